//! The progress of a transfer, readable by other threads.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// The progress of a transfer. Only its worker writes it.
#[derive(Debug, Default)]
pub struct Progress {
    bytes: AtomicU64,
    retransmissions: AtomicU32,
}

impl Progress {
    /// Replaces both counts.
    pub fn set(&self, bytes: u64, retransmissions: u32) {
        self.bytes.store(bytes, Relaxed);
        self.retransmissions.store(retransmissions, Relaxed);
    }

    /// Returns the bytes that have arrived.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// Returns the number of retransmitted blocks.
    pub fn retransmissions(&self) -> u32 {
        self.retransmissions.load(Relaxed)
    }
}
