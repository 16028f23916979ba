//! The bound of the cache: what was used longest ago, and is not open, makes room.

use std::cmp::Reverse;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustix::io::Errno;

use super::{Cache, Entry};
use crate::failure::Failure;

/// As much more is freed each time, in parts of the limit: the search looks at all entries.
const SPARE: u64 = 32;

impl Cache {
    /// Reserves bytes for content that will arrive, and makes room for them.
    pub fn reserve(&self, bytes: u64) -> Result<(), Failure> {
        let before = self.used.fetch_add(bytes, Ordering::Relaxed);
        let limit = self.limit.load(Ordering::Relaxed);
        if bytes == 0 || before + bytes <= limit {
            return Ok(());
        }
        self.shrink();
        if self.used.load(Ordering::Relaxed) <= limit {
            return Ok(());
        }
        self.release(bytes);
        let why = "its cache is full of files that are being read; enlarge `cache.bytes`";
        Err(Failure::Cache(why.into()))
    }

    /// Gives back reserved bytes.
    pub fn release(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Removes files until the cache is within its limit.
    pub fn shrink(&self) {
        let limit = self.limit.load(Ordering::Relaxed);
        let used = self.used.load(Ordering::Relaxed);
        if used > limit {
            self.free(used - limit + limit / SPARE);
        }
    }

    /// Runs an action that needs space on the disk. If there is none, removes files and runs it again.
    pub fn make_room_for<T>(&self, mut action: impl FnMut() -> io::Result<T>) -> io::Result<T> {
        let limit = self.limit.load(Ordering::Relaxed);
        let mut wanted = (limit / SPARE).max(1 << 20);
        loop {
            match action() {
                Err(error) if Errno::from_io_error(&error) == Some(Errno::NOSPC) && self.free(wanted) > 0 => {
                    wanted = wanted.saturating_mul(2);
                }
                other => return other,
            }
        }
    }

    /// Removes files with at least so many bytes, or all that are not open. Returns how many bytes were freed.
    fn free(&self, bytes: u64) -> u64 {
        let mut candidates: Vec<Arc<Entry>> = self.lock().values().cloned().collect();
        candidates.sort_by_key(|entry| Reverse(entry.used()));
        let mut freed = 0;
        while freed < bytes
            && let Some(entry) = candidates.pop()
        {
            let held = entry.held();
            if entry.is_idle() {
                self.remove(&entry);
                freed += held;
            }
        }
        freed
    }
}
