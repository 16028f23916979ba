//! How far a transfer has come, for whoever wants to know.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// How far a transfer has come. Written by its worker alone.
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

    /// Bytes that arrived.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// Blocks that were sent again.
    pub fn retransmissions(&self) -> u32 {
        self.retransmissions.load(Relaxed)
    }
}
