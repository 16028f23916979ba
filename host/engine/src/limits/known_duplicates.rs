//! How clients take copies of DATA packets, kept for their next transfers.
//!
//! All workers share the table: the next request of a client has another port, and may reach another worker. It has a fixed
//! size and atomic cells, so no worker waits. A client that another one replaces is unknown again, which costs it speed, and
//! nothing else.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use tuffet_core::Duplicates;

const CLIENTS: usize = 4096;

/// How long a client is remembered that has shown that it bears copies, or has begun to: another program at its address
/// may ask later. And one that has counted a copy: its next boot may be days ahead.
const BEARS_FOR: u64 = 60;
const COUNTS_FOR: u64 = 7 * 24 * 60;

/// Cells: a tag of 32 bits, the minute of the note in 24, the evidence in 8. 0 in a free cell.
#[derive(Debug)]
pub(super) struct KnownDuplicates(Box<[AtomicU64]>);

impl Default for KnownDuplicates {
    fn default() -> Self {
        KnownDuplicates((0..CLIENTS).map(|_| AtomicU64::new(0)).collect())
    }
}

impl KnownDuplicates {
    /// Returns what is known of the client with this hash, `minute` minutes after the start.
    pub(super) fn of(&self, client: u64, minute: u64) -> Duplicates {
        let cell = self.cell(client).load(Relaxed);
        if tag(cell) == tag_of(client) { left(cell, minute) } else { Duplicates::UNKNOWN }
    }

    /// Records what a transfer with the client has learnt.
    pub(super) fn note(&self, client: u64, known: Duplicates, minute: u64) {
        let cell = self.cell(client);
        let before = cell.load(Relaxed);
        let held = left(before, minute);
        // One that counts copies would get a wrong file again. So neither another client replaces it, nor a transfer of its
        // own that began before.
        if known == Duplicates::UNKNOWN || (held.are_counted() && !known.are_counted()) {
            return;
        }
        let minute = minute & 0x00ff_ffff;
        cell.store(tag_of(client) << 32 | minute << 8 | u64::from(known.evidence()), Relaxed);
    }

    fn cell(&self, client: u64) -> &AtomicU64 {
        &self.0[client as usize % CLIENTS]
    }
}

fn tag_of(client: u64) -> u64 {
    client >> 32 | 1
}

fn tag(cell: u64) -> u64 {
    cell >> 32
}

/// Returns what is left of a cell.
fn left(cell: u64, minute: u64) -> Duplicates {
    let known = Duplicates::from_evidence(cell as u8);
    let age = minute.saturating_sub(cell >> 8 & 0x00ff_ffff);
    let most = if known.are_counted() { COUNTS_FOR } else { BEARS_FOR };
    if age < most { known } else { Duplicates::UNKNOWN }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEARS: u8 = 8;

    #[test]
    fn a_client_is_remembered_and_forgotten() {
        let known = KnownDuplicates::default();
        let bears = Duplicates::from_evidence(BEARS);
        known.note(5 << 32 | 7, bears, 10);
        assert_eq!(known.of(5 << 32 | 7, 69), bears);
        assert_eq!(known.of(5 << 32 | 7, 70), Duplicates::UNKNOWN);
        assert_eq!(known.of(7 << 32 | 7, 10), Duplicates::UNKNOWN, "another client of the same cell");
        known.note(5 << 32 | 7, Duplicates::COUNTED, 20);
        assert_eq!(known.of(5 << 32 | 7, 20 + COUNTS_FOR - 1), Duplicates::COUNTED);
        for later in [7, 5] {
            known.note(later << 32 | 7, bears, 21);
            assert_eq!(
                known.of(5 << 32 | 7, 22),
                Duplicates::COUNTED,
                "neither others nor an earlier transfer"
            );
        }
        known.note(7 << 32 | 7, bears, 21 + COUNTS_FOR);
        assert_eq!(known.of(7 << 32 | 7, 21 + COUNTS_FOR), bears);
    }
}
