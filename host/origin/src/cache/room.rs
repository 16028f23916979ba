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
    /// Reserves bytes for content that will arrive, and makes room for them; `false` if too much is being read for that.
    pub fn reserve(&self, bytes: u64) -> bool {
        if self.fits(bytes) {
            return true;
        }
        // One search at a time: what it frees is for those that wait for it, too.
        let _searching = self.searching.lock();
        if self.fits(bytes) {
            return true;
        }
        // Each search looks at all entries. While nothing is closed or removed, it would find nothing again.
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

    /// Gives back reserved bytes, or none: somebody has closed a file, which may be removed now.
    pub fn release(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
        self.may_shrink.store(true, Ordering::Relaxed);
    }

    /// Removes files until the cache is within its limit, with so many bytes more: none if that cannot be reached.
    pub fn shrink(&self, bytes: u64) {
        let limit = self.limit();
        let over = self.used.load(Ordering::Relaxed).saturating_add(bytes).saturating_sub(limit);
        if over > 0 {
            // Before the search: it may miss what is closed meanwhile.
            self.may_shrink.store(false, Ordering::Relaxed);
            self.free(if bytes > 0 { over } else { 0 }, over.saturating_add(limit / SPARE));
        }
    }

    /// Runs an action that needs space on the disk. If there is none, removes files and runs it again.
    pub fn make_room_for<T>(&self, mut action: impl FnMut() -> io::Result<T>) -> io::Result<T> {
        let mut wanted = (self.limit() / SPARE).max(1 << 20);
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

    /// Removes files of `wanted` bytes, or all that are not open; none if these have less than `least`. Returns how many
    /// bytes were freed.
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
