//! The progress of a transfer, readable by other threads.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The progress of a transfer, and the part of it that samples have counted.
///
/// Its worker alone writes the progress. One thread at a time takes samples.
#[derive(Debug, Default)]
pub struct Progress {
    bytes: AtomicU64,
    retransmissions: AtomicU32,
    counted: AtomicU64,
    counted_retransmissions: AtomicU32,
    /// The rate at the last sample in bytes per second: the bits of an `f32`.
    rate: AtomicU32,
    /// How long nothing had moved at the last sample, in milliseconds.
    idle_ms: AtomicU32,
}

/// Bytes and retransmissions of a transfer, or a part of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moved {
    /// Bytes that have arrived.
    pub bytes: u64,
    /// Retransmitted blocks.
    pub retransmissions: u32,
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

    /// Takes a sample, `elapsed` after the last one. Returns the progress since then.
    pub fn sample(&self, elapsed: Duration) -> Moved {
        let (bytes, retransmissions, counted) = (self.bytes(), self.retransmissions(), self.counted());
        let moved = Moved {
            bytes: bytes.saturating_sub(counted.bytes),
            retransmissions: retransmissions.saturating_sub(counted.retransmissions),
        };
        self.counted.store(bytes, Relaxed);
        self.counted_retransmissions.store(retransmissions, Relaxed);
        let rate = moved.bytes as f64 / elapsed.as_secs_f64().max(0.001);
        self.rate.store((rate as f32).to_bits(), Relaxed);
        let passed = u32::try_from(elapsed.as_millis()).unwrap_or(u32::MAX);
        let idle_ms = if moved.bytes > 0 { 0 } else { self.idle_ms.load(Relaxed).saturating_add(passed) };
        self.idle_ms.store(idle_ms, Relaxed);
        moved
    }

    /// Returns the progress that all samples together have returned.
    pub fn counted(&self) -> Moved {
        Moved {
            bytes: self.counted.load(Relaxed),
            retransmissions: self.counted_retransmissions.load(Relaxed),
        }
    }

    /// Returns the rate at the last sample in bytes per second, with a precision of seven digits.
    pub fn rate(&self) -> u64 {
        f32::from_bits(self.rate.load(Relaxed)) as u64
    }

    /// Returns for how many whole seconds nothing had moved at the last sample.
    pub fn idle_seconds(&self) -> u64 {
        u64::from(self.idle_ms.load(Relaxed) / 1000)
    }
}
