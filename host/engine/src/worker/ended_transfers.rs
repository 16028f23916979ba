//! Transfers that have ended, for clients that go on.
//!
//! If the last ACK of an upload is lost, its client repeats the last block after its own time-out, which may be longer
//! than the transfer stays (curl asks after 5 s, or after 73 s without a limit). ERROR 5 would make it report a failure,
//! although the file is stored. And a client that was given up, because it built or erased something for minutes, goes on
//! with a block or an ACK: it gets an ERROR instead of silence. An answer is no larger than twice the packet that it answers.
//! The table has a fixed size, and each address a share of it: a later transfer replaces the oldest one of its share.

use super::sockets::SocketId;
use hashbrown::DefaultHashBuilder;
use std::hash::BuildHasher;
use std::net::SocketAddr;
use std::time::Duration;
use tuffet_core::Time;

/// The number of shares, and of transfers in each.
const SHARES: usize = 512;
const SHARE_SIZE: usize = 8;

/// How long a transfer is remembered, in addition to the client's `timeout`.
const REMEMBERED_FOR: Duration = Duration::from_secs(90);

/// The most ERRORs that the client of an ended transfer gets.
const MAX_ERRORS: u8 = 5;

/// How a transfer with a proven client has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// An upload was stored; its last block on the wire.
    Stored(u16),
    /// All blocks of a file were sent; the ACK of this one, which is the last, may still come.
    Sent(u16),
    /// The server gave up or failed.
    Over,
}

/// The answer to a packet of a client whose transfer has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LateAnswer {
    /// ACK of the last block.
    Acknowledge,
    /// An ERROR: the transfer has ended.
    Error,
    /// Silence: its client has what it asked for, or has been told.
    None,
}

/// A late packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Late {
    Data(u16),
    Ack(u16),
}

/// Fingerprints of (socket, peer), with the end.
pub(super) struct EndedTransfers {
    shares: Box<[[Ended; SHARE_SIZE]]>,
    hasher: DefaultHashBuilder,
}

#[derive(Clone, Copy)]
struct Ended {
    /// 0 in a free slot.
    fingerprint: u64,
    noted: Time,
    until: Time,
    end: End,
    errors: u8,
}

const FREE: Ended = Ended {
    fingerprint: 0,
    noted: Time::from_micros(0),
    until: Time::from_micros(0),
    end: End::Over,
    errors: 0,
};

impl Default for EndedTransfers {
    fn default() -> Self {
        let shares = vec![[FREE; SHARE_SIZE]; SHARES].into_boxed_slice();
        EndedTransfers { shares, hasher: DefaultHashBuilder::default() }
    }
}

impl EndedTransfers {
    /// Records the end of a transfer.
    pub(super) fn note(
        &mut self,
        socket: SocketId,
        peer: &SocketAddr,
        end: End,
        timeout: Option<u8>,
        now: Time,
    ) {
        self.forget(socket, peer);
        let until = now + REMEMBERED_FOR + Duration::from_secs(timeout.unwrap_or(0).into());
        let fingerprint = self.fingerprint(socket, peer);
        let oldest = self.share(peer).iter_mut().min_by_key(|ended| ended.noted);
        if let Some(oldest) = oldest {
            *oldest = Ended { fingerprint, noted: now, until, end, errors: 0 };
        }
    }

    /// Returns the answer to a packet from `peer` to this socket, where it has no transfer; `None` if it had none.
    pub(super) fn answer(
        &mut self,
        socket: SocketId,
        peer: &SocketAddr,
        late: Late,
        now: Time,
    ) -> Option<LateAnswer> {
        let fingerprint = self.fingerprint(socket, peer);
        let found = self.share(peer).iter_mut().find(|ended| ended.fingerprint == fingerprint);
        let ended = found.filter(|ended| now < ended.until)?;
        let answer = match (ended.end, late) {
            (End::Stored(last), Late::Data(block)) if block == last => return Some(LateAnswer::Acknowledge),
            (End::Sent(last), Late::Ack(block)) if block == last => LateAnswer::None,
            (End::Stored(_), Late::Ack(_)) | (End::Sent(_), Late::Data(_)) => LateAnswer::None,
            _ => LateAnswer::Error,
        };
        if answer == LateAnswer::Error {
            if ended.errors >= MAX_ERRORS {
                return Some(LateAnswer::None);
            }
            ended.errors += 1;
        }
        Some(answer)
    }

    /// Forgets the transfer: the port has sent another request, and the new blocks have the same numbers.
    pub(super) fn forget(&mut self, socket: SocketId, peer: &SocketAddr) {
        let fingerprint = self.fingerprint(socket, peer);
        for ended in self.share(peer).iter_mut().filter(|ended| ended.fingerprint == fingerprint) {
            *ended = FREE;
        }
    }

    fn share(&mut self, peer: &SocketAddr) -> &mut [Ended; SHARE_SIZE] {
        let hash = self.hasher.hash_one(peer.ip());
        &mut self.shares[hash as usize % SHARES]
    }

    fn fingerprint(&self, socket: SocketId, peer: &SocketAddr) -> u64 {
        self.hasher.hash_one((socket, peer)) | 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TID: SocketId = SocketId(3);

    fn at(seconds: u64) -> Time {
        Time::from_micros(seconds * 1_000_000)
    }

    fn peer(client: u8, port: u16) -> SocketAddr {
        ([192, 0, 2, client], port).into()
    }

    #[test]
    fn an_upload_is_known_for_longer_than_clients_ask() {
        let mut ended = EndedTransfers::default();
        let mut last = |timeout, late| {
            ended.note(TID, &peer(1, 7), End::Stored(40), timeout, at(10));
            ended.answer(TID, &peer(1, 7), Late::Data(40), late)
        };
        assert_eq!(last(None, at(83)), Some(LateAnswer::Acknowledge), "curl without a limit");
        assert_eq!(last(None, at(100)), None);
        assert_eq!(last(Some(255), at(266)), Some(LateAnswer::Acknowledge));
        let mut answer =
            |socket, port, block| ended.answer(socket, &peer(1, port), Late::Data(block), at(11));
        assert_eq!(answer(TID, 7, 39), Some(LateAnswer::Error), "another block");
        assert_eq!(answer(SocketId(4), 7, 40), None, "another TID");
        assert_eq!(answer(TID, 8, 40), None, "another port");
        ended.forget(TID, &peer(1, 7));
        assert_eq!(ended.answer(TID, &peer(1, 7), Late::Data(40), at(11)), None);
    }

    #[test]
    fn a_client_that_was_given_up_is_told_a_few_times() {
        let mut ended = EndedTransfers::default();
        ended.note(TID, &peer(1, 7), End::Over, None, at(10));
        for late in [Late::Ack(3), Late::Data(3), Late::Ack(3), Late::Ack(0), Late::Data(9)] {
            assert_eq!(ended.answer(TID, &peer(1, 7), late, at(70)), Some(LateAnswer::Error), "{late:?}");
        }
        assert_eq!(ended.answer(TID, &peer(1, 7), Late::Ack(3), at(71)), Some(LateAnswer::None));
    }

    #[test]
    fn a_late_last_ack_is_no_mistake_and_an_earlier_one_is() {
        let mut ended = EndedTransfers::default();
        ended.note(TID, &peer(1, 7), End::Sent(9), None, at(10));
        assert_eq!(ended.answer(TID, &peer(1, 7), Late::Ack(9), at(20)), Some(LateAnswer::None));
        assert_eq!(ended.answer(TID, &peer(1, 7), Late::Ack(8), at(20)), Some(LateAnswer::Error));
    }

    #[test]
    fn a_client_has_a_share() {
        let mut ended = EndedTransfers::default();
        ended.note(TID, &peer(1, 7), End::Stored(40), None, at(1));
        let share = ended.share(&peer(1, 7)).as_ptr();
        let other =
            (2..255).map(|client| peer(client, 7)).find(|it| ended.share(it).as_ptr() != share).unwrap();
        for port in 0..60_000 {
            let now = Time::from_micros(2_000_000 + u64::from(port));
            ended.note(TID, &SocketAddr::new(other.ip(), port), End::Stored(40), None, now);
        }
        let mut is_known = |peer| ended.answer(TID, &peer, Late::Data(40), at(3)).is_some();
        assert!(is_known(peer(1, 7)));
        let known: Vec<_> = (0..60_000).filter(|port| is_known(SocketAddr::new(other.ip(), *port))).collect();
        assert_eq!(known, (60_000 - SHARE_SIZE as u16..60_000).collect::<Vec<_>>());
    }
}
