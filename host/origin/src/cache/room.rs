//! The bound of the cache: what was used longest ago, and is not open, makes room.

use std::cmp::Reverse;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustix::io::Errno;

use super::{Cache, Entry};

/// As much more is freed each time, in parts of the limit: the search looks at all entries.
const SPARE: u64 = 32;

impl Cache {
    /// Reserves bytes for content that will arrive, and makes room for them; `false` if all that it would take is being
    /// read.
    pub fn reserve(&self, bytes: u64) -> bool {
        let before = self.used.fetch_add(bytes, Ordering::Relaxed);
        let limit = self.limit();
        if bytes == 0 || before.saturating_add(bytes) <= limit {
            return true;
        }
        // Each search looks at all entries. While nothing is closed or removed, it would find nothing again.
        if self.may_shrink.load(Ordering::Relaxed) {
            self.shrink();
        }
        if self.used.load(Ordering::Relaxed) <= limit {
            return true;
        }
        self.used.fetch_sub(bytes, Ordering::Relaxed);
        false
    }

    /// Gives back reserved bytes, or none: somebody has closed a file, which may be removed now.
    pub fn release(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
        self.may_shrink.store(true, Ordering::Relaxed);
    }

    /// Removes files until the cache is within its limit.
    pub fn shrink(&self) {
        let (limit, used) = (self.limit(), self.used.load(Ordering::Relaxed));
        if used > limit {
            // Before the search: it may miss what is closed meanwhile.
            self.may_shrink.store(false, Ordering::Relaxed);
            if self.free(used - limit + limit / SPARE) > 0 {
                self.may_shrink.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Runs an action that needs space on the disk. If there is none, removes files and runs it again.
    pub fn make_room_for<T>(&self, mut action: impl FnMut() -> io::Result<T>) -> io::Result<T> {
        let mut wanted = (self.limit() / SPARE).max(1 << 20);
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
            freed += self.take_out(&entry, true);
        }
        freed
    }
}
