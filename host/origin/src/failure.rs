//! What an origin, or the cache before it, failed with.

use std::error::Error;
use std::io;
use std::sync::Arc;

use tuffet_store::{RemoteMeta, StoreError};

use crate::version::Version;

/// A failure, shared by everybody who waited for the same answer. Texts are for the log; they hold no URL, because
/// URLs of some stores hold signatures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The origin has no such file.
    Absent,
    /// The origin gives no access.
    Forbidden(Arc<str>),
    /// The version that was asked for is still current.
    NotModified,
    /// The origin has another version now.
    Changed,
    /// The path is taken.
    Exists,
    /// The origin sends whole files alone.
    NoRanges,
    /// The origin cannot be reached.
    Away(Arc<str>),
    /// The origin was reached, and did not answer.
    Silent(Arc<str>),
    /// An answer that says that another attempt may succeed, or that did not come whole. It belongs to its path.
    Failing(Arc<str>),
    /// Nobody reads the file any more.
    Unread,
    /// Another upload of the same file was in the way.
    Collision(Arc<str>),
    /// An answer that no other attempt would improve.
    Useless(Arc<str>),
    /// The origin has no room for an upload.
    Full(Arc<str>),
    /// The disk of the cache failed, or a file does not fit into the cache.
    Cache(Arc<str>),
    /// The cache has no room now.
    NoRoom(Arc<NoRoom>),
}

/// What the cache has no room for now: it can be read past the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoRoom {
    pub why: Arc<str>,
    /// The file that was found, if the cache has nothing of it.
    pub found: Option<(RemoteMeta, Version)>,
}

impl NoRoom {
    pub fn failure(why: String, found: Option<(RemoteMeta, Version)>) -> Failure {
        Failure::NoRoom(Arc::new(NoRoom { why: why.into(), found }))
    }

    pub fn full_of_open_files(found: Option<(RemoteMeta, Version)>) -> Failure {
        let why = "its cache is full of files that are being read; enlarge `cache.bytes`";
        NoRoom::failure(why.to_owned(), found)
    }
}

impl Failure {
    /// Returns whether another attempt may succeed.
    pub fn passes(&self) -> bool {
        matches!(self, Failure::Away(_) | Failure::Silent(_) | Failure::Failing(_) | Failure::Collision(_))
    }

    /// What a log line says.
    pub fn reason(&self) -> Arc<str> {
        match self {
            Failure::Absent => "no such file".into(),
            Failure::NotModified => "not modified".into(),
            Failure::Changed => "the origin has another version now".into(),
            Failure::Exists => "the file exists".into(),
            Failure::Unread => "nobody reads the file any more".into(),
            Failure::NoRanges => "the origin sends no parts of files".into(),
            Failure::Forbidden(why)
            | Failure::Away(why)
            | Failure::Silent(why)
            | Failure::Failing(why)
            | Failure::Collision(why)
            | Failure::Useless(why)
            | Failure::Full(why)
            | Failure::Cache(why) => Arc::clone(why),
            Failure::NoRoom(no_room) => Arc::clone(&no_room.why),
        }
    }

    /// The error of a request for a file of `origin`.
    pub fn into_store(self, origin: &Arc<str>) -> StoreError {
        match self {
            Failure::Absent => StoreError::NotFound,
            Failure::Exists => StoreError::Exists,
            Failure::Forbidden(why) => {
                StoreError::RefusedByOrigin { origin: Arc::clone(origin), why: why.to_string() }
            }
            Failure::Full(why) => StoreError::NoSpace(io::Error::new(
                io::ErrorKind::StorageFull,
                format!("the origin {origin}: {why}"),
            )),
            other => StoreError::Unreachable { origin: Arc::clone(origin), why: other.reason().to_string() },
        }
    }

    /// The error of a read.
    pub fn into_io(self) -> io::Error {
        io::Error::other(self.reason().to_string())
    }
}

/// A request that got no answer.
pub(crate) fn unanswered(error: &reqwest::Error) -> Failure {
    let why = cause(error).into();
    if error.is_connect() { Failure::Away(why) } else { Failure::Silent(why) }
}

/// The innermost cause, which alone holds no URL.
pub(crate) fn cause(error: &(dyn Error + 'static)) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
