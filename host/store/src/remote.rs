//! The interface between the store and origins.
//!
//! Files of an origin arrive in files of a local cache. Reads of arrived bytes happen in place; reads of other bytes
//! wait on threads of the root. So to a transfer, an object store looks like a slow disk.

use super::StoreError;
use std::fmt::{self, Debug};
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tuffet_request::ClientKey;

/// The origin of a root. All methods may wait for the network and for the disk of the cache, up to the time-outs of the
/// origin, and belong on a thread of the root's [`Disk`](super::Disk).
pub trait Origin: Debug + Send + Sync {
    /// Opens a normalised, relative path for a client. The file counts against the client's share of the cache;
    /// [`ClientKey::SERVER`] has no limit. Returns once size and version are known; the bytes may arrive later. `None`
    /// if only the origin could answer and `reach` excludes it.
    ///
    /// # Errors
    /// `NotFound` if the origin has no such file, `RefusedByOrigin` if it denies access, `Unreachable` if it does not
    /// answer and the cache has no version to serve instead.
    fn open(&self, path: &str, client: ClientKey, reach: Reach) -> Result<Option<RemoteFile>, StoreError>;

    /// The size and the version of a path, without fetching its bytes.
    ///
    /// # Errors
    /// As [`Origin::open`].
    fn look_up(&self, path: &str, reach: Reach) -> Result<Option<RemoteMeta>, StoreError>;

    /// Stores an upload under a path. Returns once the origin has it.
    ///
    /// # Errors
    /// `Exists` if `overwrite` is off and the path is taken, `RefusedByOrigin`, `NoSpace`, `Unreachable`.
    fn store(&self, path: &str, content: &File, size: u64, overwrite: bool) -> Result<(), StoreError>;
}

/// The source that may answer a request for a file of an origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The cache, if its version is fresh. Waits only for the local disk.
    Cache,
    /// The cache, even if its version is stale, because look-ups are queueing. Validates in the background if possible.
    StaleCache,
    /// The origin, if the cache has no answer. Waits for the network.
    Origin,
}

/// The metadata of a file of an origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteMeta {
    /// The size in bytes.
    pub size: u64,
    /// Distinguishes this content from others of the path: the ETag, or a substitute.
    pub version: Arc<str>,
    /// The modification time in milliseconds since 1970; 0 if unknown.
    pub modified_unix_ms: u64,
}

/// Identifies a content among all that this process opens. Equal bytes may have several ids; an id has one content.
///
/// It does not derive from the origin's metadata, because two stores may report the same bucket, version and size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentId(u64);

impl ContentId {
    /// Returns an id that no content has had.
    #[must_use]
    pub fn unused() -> ContentId {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        ContentId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl fmt::Display for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A file of an origin, open for reading.
#[derive(Debug)]
pub struct RemoteFile {
    /// The cache file. Only bytes that have arrived may be read from it.
    pub file: Arc<File>,
    /// The id of its content.
    pub content: ContentId,
    /// Its size, version and time.
    pub meta: RemoteMeta,
    /// The arrival of its bytes; `None` if all have arrived.
    pub arrival: Option<Arc<dyn Arrival>>,
    /// Keeps the content in the cache until the file is closed.
    pub place: Option<Box<dyn Debug + Send + Sync>>,
}

/// The result of waiting for bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// They can be read from the file.
    Arrived,
    /// They will never arrive: the origin now has another version.
    Changed,
    /// The cache has no room for them: [`Arrival::read_past`] gets them.
    NoRoom,
}

/// The arrival of one version of a file in the cache. All readers of this version share it.
pub trait Arrival: Debug + Send + Sync {
    /// The number of contiguous bytes from `offset` on that have arrived, at most `length`. Never waits: workers call
    /// it.
    fn arrived(&self, offset: u64, length: u64) -> u64;

    /// Waits until these bytes have arrived, and starts fetching them if necessary.
    ///
    /// # Errors
    /// The failure of the origin, or a time-out.
    fn wait(&self, offset: u64, length: u64, within: Duration) -> io::Result<Waited>;

    /// Reads bytes from the origin, bypassing the cache: at least one of these, from the first on. `None` if the origin
    /// now has another version. Called after [`Waited::NoRoom`].
    ///
    /// # Errors
    /// As [`Arrival::wait`].
    fn read_past(&self, offset: u64, length: u64, within: Duration) -> io::Result<Option<Vec<u8>>> {
        let _ = (offset, length, within);
        Err(io::ErrorKind::Unsupported.into())
    }
}
