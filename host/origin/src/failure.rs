//! Failures of an origin, or of the cache in front of it.

use std::error::Error;
use std::io;
use std::sync::Arc;

use tuffet_store::{RemoteMeta, StoreError};

use crate::version::Version;

/// A failure, shared by all callers that waited for the same answer. Texts are for the log; they contain no URL,
/// because the URLs of some stores contain signatures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The origin has no such file.
    Absent,
    /// The origin denies access.
    Forbidden(Arc<str>),
    /// The cached version is still current.
    NotModified,
    /// The origin now has another version.
    Changed,
    /// The path is taken.
    Exists,
    /// The origin sends only whole files.
    NoRanges,
    /// The origin cannot be reached.
    Away(Arc<str>),
    /// The origin was reached, and did not answer.
    Silent(Arc<str>),
    /// The answer was incomplete, or permits a retry. It concerns only its path.
    Failing(Arc<str>),
    /// The file has no reader any more.
    Unread,
    /// Another upload of the same file interfered.
    Collision(Arc<str>),
    /// The answer cannot be used, and a retry would not help.
    Useless(Arc<str>),
    /// The origin has no room for an upload.
    Full(Arc<str>),
    /// The disk of the cache failed, or a file does not fit into the cache.
    Cache(Arc<str>),
    /// The cache has no room now.
    NoRoom(Arc<NoRoom>),
}

/// A file without room in the cache. It can be read from the origin directly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoRoom {
    pub why: Arc<str>,
    /// The metadata of the file, if no part of it is cached.
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

    /// The reason, for the log.
    pub fn reason(&self) -> Arc<str> {
        match self {
            Failure::Absent => "no such file".into(),
            Failure::NotModified => "not modified".into(),
            Failure::Changed => "the origin has another version now".into(),
            Failure::Exists => "the file exists".into(),
            Failure::Unread => "the file has no reader any more".into(),
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

/// Converts the error of a request without an answer.
pub(crate) fn unanswered(error: &reqwest::Error) -> Failure {
    let why = cause(error).into();
    if error.is_connect() { Failure::Away(why) } else { Failure::Silent(why) }
}

/// Returns the innermost cause. The outer errors may contain the URL.
pub(crate) fn cause(error: &(dyn Error + 'static)) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
