//! Roots of the program: places of files that are no folders.

use super::{Scope, Source};
use futures_util::future::BoxFuture;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use tuffet_request::{ClientKey, Denial, ErrorCode};
use tuffet_store::{Origin, Reach, RemoteFile, RemoteMeta, Sink, StoreError};

/// A place of files that the program implements: an object store, a database, an archive.
///
/// Its methods may be `async fn` with the crate `async-trait`, as hooks may.
///
/// Its futures run on the server's tokio runtime and must not block. A request is dropped if its file is not open within
/// [`Limits::open_time`](tuffet_request::settings::Limits::open_time); its client then asks again.
pub trait Root: Send + Sync + 'static {
    /// Opens a file for reading. The path is relative and normalised: it has no empty parts, `.` or `..`.
    ///
    /// # Errors
    /// [`RootError::NotFound`] if there is no such file; the server then tries the next candidate.
    fn open<'root, 'path, 'opened>(
        &'root self,
        path: &'path str,
    ) -> BoxFuture<'opened, Result<Source, RootError>>
    where
        'root: 'opened,
        'path: 'opened;

    /// Begins an upload. Nothing may be visible under the path before [`Sink::commit`].
    ///
    /// # Errors
    /// Why the path cannot be written; [`RootError::ReadOnly`] by default.
    fn create<'root, 'path, 'created>(
        &'root self,
        path: &'path str,
    ) -> BoxFuture<'created, Result<Box<dyn Sink>, RootError>>
    where
        'root: 'created,
        'path: 'created,
    {
        let _ = path;
        Box::pin(async { Err(RootError::ReadOnly) })
    }
}

/// Roots behind pointers: of types that the program knows only while it runs, or that several servers share.
macro_rules! behind {
    ($pointer:ident) => {
        impl<T: Root + ?Sized> Root for $pointer<T> {
            fn open<'r, 'p, 'o>(&'r self, path: &'p str) -> BoxFuture<'o, Result<Source, RootError>>
            where
                'r: 'o,
                'p: 'o,
            {
                (**self).open(path)
            }

            fn create<'r, 'p, 'c>(&'r self, path: &'p str) -> BoxFuture<'c, Result<Box<dyn Sink>, RootError>>
            where
                'r: 'c,
                'p: 'c,
            {
                (**self).create(path)
            }
        }
    };
}

behind!(Arc);
behind!(Box);

/// Why a file of a [`Root`] cannot be opened. Clients learn the kind, the log has the text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RootError {
    /// There is no such file (ERROR 1).
    #[error("no such file")]
    NotFound,
    /// The file exists and must not be replaced (ERROR 6).
    #[error("the file exists")]
    Exists,
    /// The root takes no uploads (ERROR 2).
    #[error("the root takes no uploads")]
    ReadOnly,
    /// Access is denied, for this reason (ERROR 2).
    #[error("denied: {0}")]
    Denied(String),
    /// It may succeed later, or at another server. The request is dropped, so that the client asks again.
    #[error("unavailable: {0}")]
    Unavailable(String),
    /// An error of the system: ERROR 1 if something is not found, 2 if permission is denied, 3 if the storage is full, 6 if
    /// something exists, and otherwise 0.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl RootError {
    /// The error of a file of a folder ([`OpenFolder`](crate::OpenFolder)).
    pub(crate) fn of_store(error: StoreError) -> RootError {
        match error {
            error if error.code() == ErrorCode::FileNotFound => RootError::NotFound,
            StoreError::Exists => RootError::Exists,
            StoreError::ReadOnly => RootError::ReadOnly,
            StoreError::Io(error) | StoreError::Forbidden { error, .. } | StoreError::NoSpace(error) => {
                RootError::Io(error)
            }
            error @ (StoreError::Unreachable { .. } | StoreError::Exhausted(_)) => {
                RootError::Unavailable(error.to_string())
            }
            error => RootError::Denied(error.to_string()),
        }
    }

    pub(crate) fn into_store(self, root: &Arc<str>) -> StoreError {
        match self {
            RootError::NotFound => StoreError::NotFound,
            RootError::Exists => StoreError::Exists,
            RootError::ReadOnly => StoreError::ReadOnly,
            RootError::Denied(reason) => StoreError::Refused(Denial {
                code: ErrorCode::AccessViolation,
                message: "access denied".into(),
                reason,
            }),
            RootError::Unavailable(why) => StoreError::Unreachable { origin: Arc::clone(root), why },
            RootError::Io(error) => StoreError::of_program(error),
        }
    }
}

/// A root of the program.
#[derive(Clone)]
pub(crate) struct SuppliedRoot {
    pub(crate) name: Arc<str>,
    pub(crate) root: Arc<dyn Root>,
    pub(crate) scope: Scope,
}

/// The roots of the program, by name.
#[derive(Clone, Default)]
pub(crate) struct SuppliedRoots(Arc<HashMap<Arc<str>, SuppliedRoot>>);

impl SuppliedRoots {
    pub(crate) fn new(roots: Vec<(String, Arc<dyn Root>)>) -> SuppliedRoots {
        let named = roots.into_iter().map(|(name, root)| {
            let name: Arc<str> = name.into();
            (name.clone(), SuppliedRoot { name, root, scope: Scope::unused() })
        });
        SuppliedRoots(Arc::new(named.collect()))
    }

    pub(crate) fn get(&self, name: &str) -> Option<SuppliedRoot> {
        self.0.get(name).cloned()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.0.keys()
    }
}

/// Stands for a root of the program among the roots of the store, which open no file of it.
#[derive(Debug)]
pub(crate) struct SuppliedOrigin;

impl Origin for SuppliedOrigin {
    fn open(&self, _: &str, _: ClientKey, _: Reach) -> Result<Option<RemoteFile>, StoreError> {
        Err(StoreError::Io(io::ErrorKind::Unsupported.into()))
    }

    fn look_up(&self, _: &str, _: Reach) -> Result<Option<RemoteMeta>, StoreError> {
        Err(StoreError::Io(io::ErrorKind::Unsupported.into()))
    }

    fn store(&self, _: &str, _: &std::fs::File, _: u64, _: bool) -> Result<(), StoreError> {
        Err(StoreError::Io(io::ErrorKind::Unsupported.into()))
    }
}
