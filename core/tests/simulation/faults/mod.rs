//! What goes wrong: at the ends (here), by ends that do not keep to the protocol ([`Liar`],
//! [`Impostor`]), and on the way between them (`simulator::Path`).

mod impostor;
mod liar;

pub use impostor::Impostor;
pub use liar::Liar;

use super::simulator::draw::{logarithmic, one_in};
use fastrand::Rng;

/// What goes wrong or slowly at one end. Times in microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Faults {
    /// What a server decides, and how long it takes to.
    pub verdict: Verdict,
    pub decision: u64,
    /// What becomes of the file.
    pub disk: Disk,
    /// Storing takes this long.
    pub store: u64,
    /// After this many datagrams received, the end is gone without a word: switched off.
    pub vanishes_after: Option<u32>,
    /// After this many datagrams received, it does nothing for a while; what comes then waits for it.
    pub stalls: Option<(u32, u64)>,
    /// A client sends its request once more at this time, whatever its state: an old copy.
    pub asks_again: Option<u64>,
    /// A client forgets everything at this time and begins anew from the same port, as a device does that
    /// was reset.
    pub restarts: Option<u64>,
}

/// What a server's host makes of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Verdict {
    #[default]
    Grant,
    /// Refused with an ERROR; also what a plugin that traps or has no answer by its deadline comes to.
    Deny,
    /// Not answered at all.
    Drop,
}

/// How a disk treats a file. The core hears of it by `fail`, as from the server's worker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Disk {
    #[default]
    Sound,
    /// An error of reading or writing after this many steps of sending or accepting.
    FailsAfter(u32),
    /// The file ends there, though it was longer when it was opened: reads give less than was asked.
    EndsAt(u64),
    /// The file has other bytes from there on, which is noticed before its last block is sent.
    ChangesAt(u64),
    /// What was written cannot be stored.
    CannotStore,
}

impl Faults {
    /// Delays alone, which an honest transfer must bear.
    pub fn mild(random: &mut Rng) -> Self {
        Faults {
            decision: if random.bool() { logarithmic(random, 10, 5_000_000) } else { 0 },
            store: if random.bool() { logarithmic(random, 10, 1_500_000) } else { 0 },
            asks_again: one_in(random, 8).then(|| logarithmic(random, 1, 2_000_000)),
            ..Faults::default()
        }
    }

    /// Anything, at an end that has or gets a file of `size` bytes.
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

    /// Whether it does all that is asked of it, however slowly.
    pub fn is_sound(&self) -> bool {
        let Faults { verdict, disk, vanishes_after, stalls, restarts, .. } = *self;
        (verdict, disk) == (Verdict::Grant, Disk::Sound)
            && (vanishes_after, stalls, restarts) == (None, None, None)
    }

    /// Whether it does so at once.
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
