//! The progress of a transfer, readable by other threads.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use tuffet_core::{OptionSet, PackedOptions};

/// The progress of a transfer. Only its worker writes it.
#[derive(Debug, Default)]
pub struct Progress {
    bytes: AtomicU64,
    retransmissions: AtomicU32,
    /// Set once, by one thread, so no thread ever waits for it.
    options: OnceLock<PackedOptions>,
}

impl Progress {
    /// Sets the negotiated options, once.
    pub fn negotiated(&self, options: OptionSet) {
        let _ = self.options.set(options.into());
    }

    /// Returns the negotiated options; `None` until the worker has granted the request.
    pub fn options(&self) -> Option<OptionSet> {
        self.options.get().map(|options| (*options).into())
    }

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
