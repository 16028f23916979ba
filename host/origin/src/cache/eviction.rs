//! Keeps the cache within its limit: evicts the least recently used files that are not open.

use std::cmp::Reverse;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustix::io::Errno;

use super::{Cache, Entry};

/// The divisor of the limit: each eviction frees this part in addition, because the search visits all entries.
const SPARE_DIVISOR: u64 = 32;

impl Cache {
    /// Reserves bytes for arriving content, and makes room for them; `false` if open files leave too little room.
    pub fn reserve(&self, bytes: u64) -> bool {
        if self.fits(bytes) {
            return true;
        }
        // One search at a time. It frees bytes for the callers that wait for it, too.
        let _searching = self.searching.lock();
        if self.fits(bytes) {
            return true;
        }
        // A search visits all entries. It would be in vain if no file was closed or removed since the last one.
        if self.may_shrink.load(Ordering::Relaxed) {
            self.shrink(bytes);
        }
        self.fits(bytes)
    }

    /// Reserves bytes if there is room.
    fn fits(&self, bytes: u64) -> bool {
        let more = |used: u64| used.checked_add(bytes).filter(|sum| bytes == 0 || *sum <= self.limit());
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// Releases reserved bytes. 0 reports only that a closed file can be evicted now.
    pub fn release(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
        self.may_shrink.store(true, Ordering::Relaxed);
    }

    /// Evicts files until the cache has room for this many bytes within its limit; none if that is impossible.
    pub fn shrink(&self, bytes: u64) {
        let limit = self.limit();
        let over = self.used.load(Ordering::Relaxed).saturating_add(bytes).saturating_sub(limit);
        if over > 0 {
            // Cleared before the search, because the search may miss files that are closed during it.
            self.may_shrink.store(false, Ordering::Relaxed);
            self.free(if bytes > 0 { over } else { 0 }, over.saturating_add(limit / SPARE_DIVISOR));
        }
    }

    /// Runs an action that needs disk space. While the disk is full, evicts files and retries.
    pub fn make_room_for<T>(&self, mut action: impl FnMut() -> io::Result<T>) -> io::Result<T> {
        let mut wanted = (self.limit() / SPARE_DIVISOR).max(1 << 20);
        loop {
            match action() {
                Err(error)
                    if Errno::from_io_error(&error) == Some(Errno::NOSPC) && self.free(0, wanted) > 0 =>
                {
                    wanted = wanted.saturating_mul(2);
                }
                other => return other,
            }
        }
    }

    /// Evicts idle files of `wanted` bytes, or all; none if they have less than `least` bytes. Returns the number of
    /// freed bytes.
    fn free(&self, least: u64, wanted: u64) -> u64 {
        let entries: Vec<Arc<Entry>> = self.lock().values().cloned().collect();
        let mut idle: Vec<_> = entries.iter().filter_map(|entry| Some((entry, entry.idle()?))).collect();
        if idle.iter().map(|(_, held)| held).sum::<u64>() < least {
            return 0;
        }
        idle.sort_by_key(|(entry, _)| Reverse(entry.used()));
        let mut freed = 0;
        while freed < wanted
            && let Some((entry, _)) = idle.pop()
        {
            freed += self.take_out(entry, true);
        }
        freed
    }
}
