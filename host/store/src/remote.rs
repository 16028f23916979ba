//! What the store asks of a root that lives elsewhere.
//!
//! Its files come into files of a local cache, and are read there: in place where the bytes have arrived, on threads
//! of the root where they have not. So a transfer from an object store is a transfer from a slow disk.

use super::StoreError;
use std::fmt::{self, Debug};
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tuffet_request::ClientKey;

/// Where the files of a root live. Everything here may wait, for the network and for the disk of the cache, within
/// time-outs of its own, and belongs on a thread of the root's [`Disk`](super::Disk).
pub trait Origin: Debug + Send + Sync {
    /// Opens a path, normalised and relative, for a client, whose share of the cache it takes; [`ClientKey::SERVER`] has
    /// no bound. Returns once its size and version are known; its bytes may still arrive. `None` if the origin has to be
    /// asked, which is beyond the `reach`.
    ///
    /// # Errors
    /// `NotFound` if the origin has no such file, `RefusedByOrigin` if it gives no access, `Unreachable` if it does not
    /// answer and the cache has nothing that may be served instead.
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

/// What may answer a request for a file that lives elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The cache, with what needs no validation. Waits for the local disk alone.
    Cache,
    /// The cache, also with what should be validated: look-ups stand in line. The origin is asked beside, if it can be.
    StaleCache,
    /// The origin, where the cache has no answer. Waits for the network.
    Origin,
}

/// What an origin says of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteMeta {
    /// Bytes.
    pub size: u64,
    /// What tells this content from any other of the path: the ETag, or what takes its place.
    pub version: Arc<str>,
    /// The modification time in milliseconds since 1970; 0 if it is not known.
    pub modified_unix_ms: u64,
}

/// Names a content among all that this process opens. Equal bytes may have several names; a name has one content.
///
/// A number, and not what the origin says of the file: two stores may show the same bucket, version and size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentId(u64);

impl ContentId {
    /// A name that no content has had.
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
    /// The file of the cache. Only bytes that have arrived may be read from it.
    pub file: Arc<File>,
    /// Names its content.
    pub content: ContentId,
    /// Its size, version and time.
    pub meta: RemoteMeta,
    /// Says which bytes have arrived; `None` if all of them have.
    pub arrival: Option<Arc<dyn Arrival>>,
    /// Its place in the cache, given back when the file is closed.
    pub place: Option<Box<dyn Debug + Send + Sync>>,
}

/// What became of bytes that were waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// They can be read from the file.
    Arrived,
    /// They will never arrive: the origin has another version now.
    Changed,
    /// The cache has no room for them: [`Arrival::read_past`] gets them.
    NoRoom,
}

/// The bytes of one version of a file, as they arrive in the cache. All readers of this version share it.
pub trait Arrival: Debug + Send + Sync {
    /// How many of `length` bytes from `offset` on have arrived, without a gap. Never waits: workers call it.
    fn arrived(&self, offset: u64, length: u64) -> u64;

    /// Waits until these bytes have arrived, and has them fetched if nobody has yet.
    ///
    /// # Errors
    /// What the origin failed with, or a time-out.
    fn wait(&self, offset: u64, length: u64, within: Duration) -> io::Result<Waited>;

    /// Gets bytes from the origin, past the cache: the first of these, at least one; `None` if the origin has another
    /// version now. Called after [`Waited::NoRoom`].
    ///
    /// # Errors
    /// As [`Arrival::wait`].
    fn read_past(&self, offset: u64, length: u64, within: Duration) -> io::Result<Option<Vec<u8>>> {
        let _ = (offset, length, within);
        Err(io::ErrorKind::Unsupported.into())
    }
}
