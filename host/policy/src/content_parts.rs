//! Content that a plugin produces in parts.
//!
//! The parts are written to an anonymous file in memory, which readers open like a partially fetched file of an origin.
//! So a worker never waits for a part, and if the content ends early, its transfers end with an error.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::memory_file;
use tuffet_store::{Arrival, Waited};

/// The maximum length of a requested part, in bytes.
const PART: u64 = 1 << 20;

/// Content as announced by the plugin.
#[derive(Debug, Clone)]
pub struct AnnouncedContent {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its size in bytes.
    pub size: u64,
    /// How long it is valid; `None`: until the next reload.
    pub ttl: Option<Duration>,
}

/// The memory for all content in parts of a plugin.
#[derive(Debug)]
pub(crate) struct ContentMemory {
    most: u64,
    taken: AtomicU64,
}

/// Reserved bytes, released with the content.
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

/// The parts so far. Owned by the readers: without any, the plugin produces no more.
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
        let file = Arc::new(memory_file::create()?);
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
        self.failed.lock()
    }

    /// Appends the next part; returns the size so far.
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
            self.changed.wait_for(&mut failed, left);
        }
    }
}

/// The length of the next part to request, with `left` bytes missing.
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
