//! Roots of the program: places of files that are no folders.

use super::Source;
use futures_util::future::BoxFuture;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use tuffet_request::{ClientKey, Denial, ErrorCode};
use tuffet_store::{Origin, Reach, RemoteFile, RemoteMeta, Sink, StoreError};

/// A place of files that the program implements: an object store, a database, an archive.
///
/// Its futures run on the server's tokio runtime and must not block. A request is dropped if its file is not open within
/// [`Limits::open_time`](tuffet_request::settings::Limits::open_time); its client then asks again.
pub trait Root: Send + Sync + 'static {
    /// Opens a file for reading. The path is relative and normalised: it has no empty parts, `.` or `..`.
    ///
    /// # Errors
    /// [`RootError::NotFound`] if there is no such file; the server then tries the next candidate.
    fn open<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Source, RootError>>;

    /// Begins an upload. Nothing may be visible under the path before [`Sink::commit`].
    ///
    /// # Errors
    /// Why the path cannot be written; [`RootError::ReadOnly`] by default.
    fn create<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Box<dyn Sink>, RootError>> {
        let _ = path;
        Box::pin(async { Err(RootError::ReadOnly) })
    }
}

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
    /// Anything else (ERROR 0).
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl RootError {
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
            RootError::Io(error) => StoreError::Io(error),
        }
    }
}

/// The roots of the program, by name.
#[derive(Clone, Default)]
pub(crate) struct SuppliedRoots(pub(crate) Arc<HashMap<Arc<str>, Arc<dyn Root>>>);

impl SuppliedRoots {
    /// Returns a root of the program, with its shared name.
    pub(crate) fn get(&self, name: &str) -> Option<(Arc<str>, Arc<dyn Root>)> {
        let (name, root) = self.0.get_key_value(name)?;
        Some((Arc::clone(name), Arc::clone(root)))
    }
}

/// Stands for a root of the program among the roots of the store, which open no file of it.
#[derive(Debug)]
pub(crate) struct SuppliedOrigin;

impl Origin for SuppliedOrigin {
    fn open(&self, _: &str, _: ClientKey, _: Reach) -> Result<Option<RemoteFile>, StoreError> {
        Err(StoreError::Io(io::ErrorKind::Unsupported.into()))
    }

    /// Every name counts as stored as it is spelled.
    fn look_up(&self, _: &str, _: Reach) -> Result<Option<RemoteMeta>, StoreError> {
        Ok(Some(RemoteMeta { size: 0, version: "".into(), modified_unix_ms: 0 }))
    }

    fn store(&self, _: &str, _: &std::fs::File, _: u64, _: bool) -> Result<(), StoreError> {
        Err(StoreError::Io(io::ErrorKind::Unsupported.into()))
    }
}
