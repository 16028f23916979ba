//! The bytes of a content that a plugin makes in parts, as they arrive.
//!
//! They are in a file without a name, in memory. Readers open it as a file whose bytes arrive, as those of an origin do:
//! a worker never waits for a part, and a content that ends early ends its transfers with an error.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::fs::{MemfdFlags, memfd_create};
use tuffet_store::{Arrival, Waited};

/// The longest part that a plugin is asked for, in bytes.
const PART: u64 = 1 << 20;

/// A content as the plugin announced it.
#[derive(Debug, Clone)]
pub struct AnnouncedContent {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its size in bytes.
    pub size: u64,
    /// How long it holds; `None` for the generation.
    pub ttl: Option<Duration>,
}

/// The memory that the contents of a plugin may take, all together.
#[derive(Debug)]
pub(crate) struct ContentMemory {
    most: u64,
    taken: AtomicU64,
}

/// A part of it, given back with the content.
#[derive(Debug)]
pub(crate) struct MemoryReservation {
    memory: Arc<ContentMemory>,
    bytes: u64,
}

impl ContentMemory {
    pub fn new(most: u64) -> Arc<ContentMemory> {
        Arc::new(ContentMemory { most, taken: AtomicU64::new(0) })
    }

    pub fn take(self: &Arc<Self>, bytes: u64) -> Option<MemoryReservation> {
        let fits = |taken: u64| taken.checked_add(bytes).filter(|sum| *sum <= self.most);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).ok()?;
        Some(MemoryReservation { memory: Arc::clone(self), bytes })
    }
}

impl Drop for MemoryReservation {
    fn drop(&mut self) {
        self.memory.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// The bytes of a content, as they arrive. Its readers own it: without any, nothing more is made.
#[derive(Debug)]
pub(crate) struct ContentParts {
    pub file: Arc<File>,
    pub size: u64,
    arrived: AtomicU64,
    failed: Mutex<Option<String>>,
    changed: Condvar,
    _reservation: Option<MemoryReservation>,
}

impl ContentParts {
    pub fn create(size: u64, reservation: Option<MemoryReservation>) -> io::Result<ContentParts> {
        let file = Arc::new(File::from(memfd_create("tuffet-content", MemfdFlags::CLOEXEC)?));
        file.set_len(size)?;
        Ok(ContentParts {
            file,
            size,
            arrived: AtomicU64::new(0),
            failed: Mutex::default(),
            changed: Condvar::new(),
            _reservation: reservation,
        })
    }

    pub fn has_failed(&self) -> bool {
        self.failure().is_some()
    }

    fn failure(&self) -> MutexGuard<'_, Option<String>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the bytes that follow those so far.
    pub fn take(&self, bytes: &[u8]) -> io::Result<u64> {
        let offset = self.arrived.load(Ordering::Relaxed);
        self.file.write_all_at(bytes, offset)?;
        let arrived = offset + bytes.len() as u64;
        let failed = self.failure();
        self.arrived.store(arrived, Ordering::Release);
        drop(failed);
        self.changed.notify_all();
        Ok(arrived)
    }

    pub fn fail(&self, why: String) {
        self.failure().get_or_insert(why);
        self.changed.notify_all();
    }
}

impl Arrival for ContentParts {
    fn arrived(&self, offset: u64, length: u64) -> u64 {
        self.arrived.load(Ordering::Acquire).saturating_sub(offset).min(length)
    }

    fn wait(&self, offset: u64, length: u64, within: Duration) -> io::Result<Waited> {
        let end = std::time::Instant::now() + within;
        let mut failed = self.failure();
        loop {
            if self.arrived(offset, length) == length {
                return Ok(Waited::Arrived);
            }
            if let Some(why) = &*failed {
                return Err(io::Error::other(why.clone()));
            }
            let left = end.saturating_duration_since(std::time::Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let waited = self.changed.wait_timeout(failed, left);
            failed = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The bytes of the next part to ask for, of so many that are left.
pub fn part_length(max_content: u64, left: u64) -> u32 {
    PART.min(max_content).min(left).max(1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_and_given_back() {
        let memory = ContentMemory::new(10);
        let six = memory.take(6);
        assert!(six.is_some() && memory.take(5).is_none() && memory.take(u64::MAX).is_none());
        let four = memory.take(4);
        assert!(four.is_some());
        drop(six);
        assert!(memory.take(6).is_some());
    }
}
