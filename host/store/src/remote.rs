//! What the store asks of a root that lives elsewhere.
//!
//! Its files come into files of a local cache, and are read there: in place where the bytes have arrived, on threads
//! of the root where they have not. So a transfer from an object store is a transfer from a slow disk.

use super::StoreError;
use std::fmt::Debug;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Where the files of a root live. Everything here may wait, for the network and for the disk of the cache, within
/// time-outs of its own, and belongs on a thread of the root's [`Disk`](super::Disk).
pub trait Origin: Debug + Send + Sync {
    /// Opens a path, normalised and relative. Returns once its size and version are known; its bytes may still arrive.
    ///
    /// # Errors
    /// `NotFound` if the origin has no such file, `RefusedByOrigin` if it gives no access, `Unreachable` if it does not
    /// answer and the cache has nothing that may be served instead.
    fn open(&self, path: &str) -> Result<RemoteFile, StoreError>;

    /// The size and the version of a path, without fetching its bytes.
    ///
    /// # Errors
    /// As [`Origin::open`].
    fn look_up(&self, path: &str) -> Result<RemoteMeta, StoreError>;

    /// Stores an upload under a path. Returns once the origin has it.
    ///
    /// # Errors
    /// `Exists` if `overwrite` is off and the path is taken, `RefusedByOrigin`, `NoSpace`, `Unreachable`.
    fn store(&self, path: &str, content: &File, size: u64, overwrite: bool) -> Result<(), StoreError>;
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

/// A file of an origin, open for reading.
#[derive(Debug)]
pub struct RemoteFile {
    /// The file of the cache. Only bytes that have arrived may be read from it.
    pub file: File,
    /// Its size, version and time.
    pub meta: RemoteMeta,
    /// Says which bytes have arrived; `None` if all of them have.
    pub arrival: Option<Arc<dyn Arrival>>,
}

/// The bytes of one version of a file, as they arrive in the cache. All readers of this version share it.
pub trait Arrival: Debug + Send + Sync {
    /// How many of `length` bytes from `offset` on have arrived, without a gap. Never waits: workers call it.
    fn arrived(&self, offset: u64, length: u64) -> u64;

    /// Waits until these bytes have arrived, and has them fetched if nobody has yet; `false` if the origin has another
    /// version now, so that they never will.
    ///
    /// # Errors
    /// What the origin failed with, or a time-out.
    fn wait(&self, offset: u64, length: u64, within: Duration) -> io::Result<bool>;
}
