//! Counts the memory of contents, from before they are read until their last transfer ends.
//!
//! A slow client may hold a content for hours after the cache evicted it, so such a content still counts. For
//! the same reason the cache does not evict contents in use: that would free nothing.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counts contents, including those of caches before a reload.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// Bytes of all contents.
    live: AtomicU64,
    /// Bytes of contents with a reader.
    in_use: AtomicU64,
}

impl Ledger {
    pub(super) fn live(&self) -> u64 {
        self.live.load(Relaxed)
    }

    /// Reserves memory for a content of this size and its first reader, before it is read. `None` if all contents in
    /// use would exceed `most`.
    pub(super) fn reserve(self: &Arc<Self>, size: u64, most: u64) -> Option<Reader> {
        let room = |in_use: u64| in_use.checked_add(size).filter(|sum| *sum <= most);
        self.in_use.fetch_update(Relaxed, Relaxed, room).ok()?;
        self.live.fetch_add(size, Relaxed);
        Some(Reader(Arc::new(Held { size, readers: AtomicU64::new(1), ledger: Arc::clone(self) })))
    }
}

/// The memory of one content.
#[derive(Debug)]
pub(super) struct Held {
    size: u64,
    readers: AtomicU64,
    ledger: Arc<Ledger>,
}

impl Held {
    pub(super) fn is_in_use(&self) -> bool {
        self.readers.load(Relaxed) > 0
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.ledger.live.fetch_sub(self.size, Relaxed);
    }
}

/// A reader of a content.
#[derive(Debug)]
pub(super) struct Reader(Arc<Held>);

impl Reader {
    pub(super) fn new(held: &Arc<Held>) -> Reader {
        if held.readers.fetch_add(1, Relaxed) == 0 {
            held.ledger.in_use.fetch_add(held.size, Relaxed);
        }
        Reader(Arc::clone(held))
    }

    pub(super) fn held(&self) -> &Arc<Held> {
        &self.0
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if self.0.readers.fetch_sub(1, Relaxed) == 1 {
            self.0.ledger.in_use.fetch_sub(self.0.size, Relaxed);
        }
    }
}

/// Bytes in memory, sent in place. Bytes of the cache count as used until this is dropped.
#[derive(Debug)]
pub struct MemoryBytes {
    bytes: Arc<[u8]>,
    _reader: Option<Reader>,
}

impl MemoryBytes {
    pub(super) fn new(bytes: Arc<[u8]>, reader: Reader) -> MemoryBytes {
        MemoryBytes { bytes, _reader: Some(reader) }
    }

    /// The bytes, for sending in place while `self` exists.
    pub fn shared(&self) -> &Arc<[u8]> {
        &self.bytes
    }
}

impl Deref for MemoryBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Bytes outside of the cache.
impl From<Arc<[u8]>> for MemoryBytes {
    fn from(bytes: Arc<[u8]>) -> MemoryBytes {
        MemoryBytes { bytes, _reader: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_counts_until_its_last_holder_drops_it() {
        let ledger = Arc::new(Ledger::default());
        let first = ledger.reserve(60, 100).unwrap();
        assert!(ledger.reserve(41, 100).is_none() && ledger.reserve(u64::MAX, 100).is_none());
        let held = Arc::clone(first.held());
        let second = Reader::new(&held);
        drop(first);
        assert!(held.is_in_use() && ledger.reserve(41, 100).is_none(), "one reader is left");
        drop(second);
        assert!(!held.is_in_use());
        let other = ledger.reserve(100, 100).expect("the first has no reader");
        assert_eq!(ledger.live(), 160, "but it is still in memory");
        drop(held);
        assert_eq!(ledger.live(), 100);
        drop(other);
        assert_eq!((ledger.live(), ledger.in_use.load(Relaxed)), (0, 0));
    }
}
