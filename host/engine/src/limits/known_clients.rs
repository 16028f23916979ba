//! How clients take copies of DATA packets and windows, kept for their next transfers.
//!
//! All workers share the table: the next request of a client has another port, and may reach another worker. It has a fixed
//! size and atomic cells, so no worker waits. A client that another one replaces is unknown again, which costs it speed, and
//! nothing else.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use tuffet_core::Duplicates;

const CLIENTS: usize = 4096;

/// How long a client is remembered that has shown that it bears copies, or has begun to, or that windows are too much for
/// it: another program at its address may ask later. And one that has counted a copy: its next boot may be days ahead.
const BEARS_FOR: u64 = 60;
const COUNTS_FOR: u64 = 7 * 24 * 60;

/// What is known of a client.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct KnownClient {
    pub(crate) duplicates: Duplicates,
    /// Whether it gets one block for each answer: windows are too much for it.
    pub(crate) lockstep: bool,
}

/// Cells: a tag of 32 bits, the minute of the note in 23, one for lockstep, the evidence in 8. 0 in a free cell.
#[derive(Debug)]
pub(super) struct KnownClients(Box<[AtomicU64]>);

const LOCKSTEP: u64 = 1 << 8;
const MINUTE: u64 = 0x007f_ffff;

impl Default for KnownClients {
    fn default() -> Self {
        KnownClients((0..CLIENTS).map(|_| AtomicU64::new(0)).collect())
    }
}

impl KnownClients {
    /// Returns what is known of the client with this hash, `minute` minutes after the start.
    pub(super) fn of(&self, client: u64, minute: u64) -> KnownClient {
        let cell = self.cell(client).load(Relaxed);
        if tag(cell) == tag_of(client) { left(cell, minute) } else { KnownClient::default() }
    }

    /// Records what a transfer with the client has learnt.
    pub(super) fn note(&self, client: u64, known: KnownClient, minute: u64) {
        let cell = self.cell(client);
        let before = cell.load(Relaxed);
        let held = left(before, minute);
        // One that counts copies would get a wrong file again. So neither another client replaces it, nor a transfer of its
        // own that began before.
        let counts = held.duplicates.are_counted() && !known.duplicates.are_counted();
        if known == KnownClient::default() || counts {
            return;
        }
        let is_same = tag(before) == tag_of(client) && held.lockstep;
        // A transfer without windows shows nothing of them. So the hour is not renewed, and windows are tried again.
        let minute = if is_same && known.lockstep { minute_of(before) } else { minute & MINUTE };
        let lockstep = if known.lockstep || is_same { LOCKSTEP } else { 0 };
        let evidence = u64::from(known.duplicates.evidence());
        cell.store(tag_of(client) << 32 | minute << 9 | lockstep | evidence, Relaxed);
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

fn minute_of(cell: u64) -> u64 {
    cell >> 9 & MINUTE
}

/// Returns what is left of a cell.
fn left(cell: u64, minute: u64) -> KnownClient {
    let duplicates = Duplicates::from_evidence(cell as u8);
    let age = minute.saturating_sub(minute_of(cell));
    let most = if duplicates.are_counted() { COUNTS_FOR } else { BEARS_FOR };
    KnownClient {
        duplicates: if age < most { duplicates } else { Duplicates::UNKNOWN },
        lockstep: cell & LOCKSTEP != 0 && age < BEARS_FOR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEVER_SEEN: KnownClient = KnownClient { duplicates: Duplicates::UNKNOWN, lockstep: false };
    const COUNTS: KnownClient = KnownClient { duplicates: Duplicates::COUNTED, lockstep: false };
    const SLOW: KnownClient = KnownClient { duplicates: Duplicates::UNKNOWN, lockstep: true };

    fn bears() -> KnownClient {
        KnownClient { duplicates: Duplicates::from_evidence(8), lockstep: false }
    }

    #[test]
    fn a_client_is_remembered_and_forgotten() {
        let known = KnownClients::default();
        known.note(5 << 32 | 7, bears(), 10);
        assert_eq!(known.of(5 << 32 | 7, 69), bears());
        assert_eq!(known.of(5 << 32 | 7, 70), NEVER_SEEN);
        assert_eq!(known.of(7 << 32 | 7, 10), NEVER_SEEN, "another client of the same cell");
        known.note(5 << 32 | 7, COUNTS, 20);
        assert_eq!(known.of(5 << 32 | 7, 20 + COUNTS_FOR - 1), COUNTS);
        for later in [7, 5] {
            known.note(later << 32 | 7, bears(), 21);
            assert_eq!(known.of(5 << 32 | 7, 22), COUNTS, "neither others nor an earlier transfer");
        }
        known.note(7 << 32 | 7, bears(), 21 + COUNTS_FOR);
        assert_eq!(known.of(7 << 32 | 7, 21 + COUNTS_FOR), bears());
    }

    #[test]
    fn a_client_that_gets_no_windows_has_them_again_after_an_hour() {
        let known = KnownClients::default();
        known.note(9 << 32, SLOW, 10);
        known.note(9 << 32, SLOW, 40);
        assert_eq!(known.of(9 << 32, 69), SLOW);
        assert_eq!(known.of(9 << 32, 70), NEVER_SEEN, "it had no windows since");
        known.note(9 << 32, SLOW, 71);
        known.note(9 << 32, bears(), 72);
        assert_eq!(known.of(9 << 32, 73), KnownClient { lockstep: true, ..bears() });
        known.note(11 << 32, bears(), 74);
        assert_eq!(known.of(11 << 32, 74), bears(), "another client of the same cell");
    }
}
