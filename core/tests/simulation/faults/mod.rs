//! Faults: of the ends (here), of ends that break the protocol ([`Liar`], [`Impostor`]), and of the path
//! between them (`simulator::Path`).

mod impostor;
mod liar;

pub use impostor::Impostor;
pub use liar::Liar;

use super::simulator::draw::{logarithmic, one_in};
use fastrand::Rng;

/// The faults and delays of one end. Times in microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Faults {
    /// The server's decision, and how long it takes.
    pub verdict: Verdict,
    pub decision: u64,
    /// The fate of the file.
    pub disk: Disk,
    /// The duration of storing.
    pub store: u64,
    /// After this many received datagrams, the end is switched off without a word.
    pub vanishes_after: Option<u32>,
    /// After this many received datagrams, it stalls for a while; later datagrams wait for it.
    pub stalls: Option<(u32, u64)>,
    /// A client repeats its request at this time, whatever its state: an old copy.
    pub asks_again: Option<u64>,
    /// A client forgets everything at this time and starts over from the same port, as a device does after a
    /// reset.
    pub restarts: Option<u64>,
}

/// The decision of a server's host on a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Verdict {
    #[default]
    Grant,
    /// Refused with an ERROR; also the result of a plugin that traps or misses its deadline.
    Deny,
    /// Not answered at all.
    Drop,
}

/// The behaviour of a disk. The core learns of faults by `fail`, as from the server's worker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Disk {
    #[default]
    Sound,
    /// A read or write error after this many steps of sending or accepting.
    FailsAfter(u32),
    /// The file ends there, though it was longer when it was opened: reads return less than requested.
    EndsAt(u64),
    /// The file has other bytes from there on, which the host notices before it sends the last block.
    ChangesAt(u64),
    /// The written bytes cannot be stored.
    CannotStore,
}

impl Faults {
    /// Returns only delays, which an honest transfer must survive.
    pub fn mild(random: &mut Rng) -> Self {
        Faults {
            decision: if random.bool() { logarithmic(random, 10, 5_000_000) } else { 0 },
            store: if random.bool() { logarithmic(random, 10, 1_500_000) } else { 0 },
            asks_again: one_in(random, 8).then(|| logarithmic(random, 1, 2_000_000)),
            ..Faults::default()
        }
    }

    /// Returns any faults, for an end that has or gets a file of `size` bytes.
    pub fn foul(random: &mut Rng, size: u64) -> Self {
        Faults {
            verdict: match random.u32(0..12) {
                0 => Verdict::Deny,
                1 => Verdict::Drop,
                _ => Verdict::Grant,
            },
            disk: if one_in(random, 5) { disk(random, size) } else { Disk::Sound },
            vanishes_after: one_in(random, 8).then(|| random.u32(0..100)),
            stalls: one_in(random, 8).then(|| (random.u32(0..100), logarithmic(random, 1_000, 20_000_000))),
            restarts: one_in(random, 12).then(|| logarithmic(random, 100, 10_000_000)),
            ..Faults::mild(random)
        }
    }

    /// Returns whether the end does all that the transfer requires, however slowly.
    pub fn is_sound(&self) -> bool {
        let Faults { verdict, disk, vanishes_after, stalls, restarts, .. } = *self;
        (verdict, disk) == (Verdict::Grant, Disk::Sound)
            && (vanishes_after, stalls, restarts) == (None, None, None)
    }

    /// Returns whether it does so without delay.
    pub fn is_idle(&self) -> bool {
        self.is_sound() && self.store == 0 && self.decision == 0 && self.asks_again.is_none()
    }
}

fn disk(random: &mut Rng, size: u64) -> Disk {
    match random.u32(0..4) {
        0 => Disk::FailsAfter(random.u32(0..100)),
        1 => Disk::EndsAt(random.u64(0..=size)),
        2 => Disk::ChangesAt(random.u64(0..=size)),
        _ => Disk::CannotStore,
    }
}
