//! The progress of a transfer, readable by other threads.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};
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
    /// How long nothing had moved at the last sample, in eighths of a second; at most two hours.
    idle: AtomicU16,
    /// What is known of the client, and whether the transfer was reported: [`ANSWERED`] and so on.
    seen: AtomicU8,
}

const ANSWERED: u8 = 1;
const LACKS_FIRST_BLOCK: u8 = 1 << 1;
const REPORTED: u8 = 1 << 2;

/// The unit of [`Progress::idle`] in milliseconds.
const IDLE_UNIT: u128 = 125;

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

    /// Notes that the client has answered: its worker does, once.
    pub fn note_answered(&self) {
        self.seen.fetch_or(ANSWERED, Relaxed);
    }

    /// Returns whether the client has answered.
    pub fn is_answered(&self) -> bool {
        self.seen.load(Relaxed) & ANSWERED != 0
    }

    /// Notes that the client repeats itself after its first answer, and no block has arrived: its worker does.
    pub fn note_lack_of_first_block(&self) {
        self.seen.fetch_or(LACKS_FIRST_BLOCK, Relaxed);
    }

    /// Returns whether the client repeats itself and no block has arrived.
    pub fn lacks_first_block(&self) -> bool {
        self.seen.load(Relaxed) & LACKS_FIRST_BLOCK != 0 && self.bytes() == 0
    }

    /// Marks the transfer as reported. Returns whether it was not.
    pub fn report_once(&self) -> bool {
        self.seen.fetch_or(REPORTED, Relaxed) & REPORTED == 0
    }

    /// Returns whether the transfer was reported.
    pub fn is_reported(&self) -> bool {
        self.seen.load(Relaxed) & REPORTED != 0
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
        let passed = u16::try_from((elapsed.as_millis() + IDLE_UNIT / 2) / IDLE_UNIT).unwrap_or(u16::MAX);
        let idle = if moved.bytes > 0 { 0 } else { self.idle.load(Relaxed).saturating_add(passed) };
        self.idle.store(idle, Relaxed);
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
        u64::from(self.idle.load(Relaxed)) * IDLE_UNIT as u64 / 1000
    }
}
