//! Stored uploads, for clients that repeat their last block.
//!
//! If the last ACK of an upload is lost, its client repeats the last block after its own time-out, which may be longer
//! than the transfer stays (curl asks after 5 s, or after 73 s without a limit). ERROR 5 would make it report a failure,
//! although the file is stored. An ACK is no larger than the block. The table has a fixed size, and each address
//! a share of it: a later upload replaces the oldest one of its share.

use super::sockets::SocketId;
use hashbrown::DefaultHashBuilder;
use std::hash::BuildHasher;
use std::net::SocketAddr;
use std::time::Duration;
use tuffet_core::Time;

/// The number of shares, and of uploads in each.
const SHARES: usize = 512;
const SHARE_SIZE: usize = 8;

/// How long an upload is remembered, in addition to the client's `timeout`.
const REMEMBERED_FOR: Duration = Duration::from_secs(90);

/// Fingerprints of (socket, peer), with the last block on the wire.
pub(super) struct StoredUploads {
    shares: Box<[[StoredUpload; SHARE_SIZE]]>,
    hasher: DefaultHashBuilder,
}

#[derive(Clone, Copy, Default)]
struct StoredUpload {
    /// 0 in a free slot.
    fingerprint: u64,
    noted: Time,
    until: Time,
    block: u16,
}

impl Default for StoredUploads {
    fn default() -> Self {
        let shares = vec![[StoredUpload::default(); SHARE_SIZE]; SHARES].into_boxed_slice();
        StoredUploads { shares, hasher: DefaultHashBuilder::default() }
    }
}

impl StoredUploads {
    /// Records the end of an upload with this last block.
    pub(super) fn note(
        &mut self,
        socket: SocketId,
        peer: &SocketAddr,
        block: u16,
        timeout: Option<u8>,
        now: Time,
    ) {
        self.forget(socket, peer);
        let until = now + REMEMBERED_FOR + Duration::from_secs(timeout.unwrap_or(0).into());
        let fingerprint = self.fingerprint(socket, peer);
        let oldest = self.share(peer).iter_mut().min_by_key(|upload| upload.noted);
        if let Some(oldest) = oldest {
            *oldest = StoredUpload { fingerprint, noted: now, until, block };
        }
    }

    /// Returns whether this block was the last one of an upload from `peer` to this socket.
    pub(super) fn ended_with(&mut self, socket: SocketId, peer: &SocketAddr, block: u16, now: Time) -> bool {
        let fingerprint = self.fingerprint(socket, peer);
        let found = self.share(peer).iter().find(|upload| upload.fingerprint == fingerprint);
        found.is_some_and(|upload| upload.block == block && now < upload.until)
    }

    /// Forgets the upload: the port has sent another request, and the new blocks have the same numbers.
    pub(super) fn forget(&mut self, socket: SocketId, peer: &SocketAddr) {
        let fingerprint = self.fingerprint(socket, peer);
        for upload in self.share(peer).iter_mut().filter(|upload| upload.fingerprint == fingerprint) {
            *upload = StoredUpload::default();
        }
    }

    fn share(&mut self, peer: &SocketAddr) -> &mut [StoredUpload; SHARE_SIZE] {
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
        let mut stored = StoredUploads::default();
        stored.note(TID, &peer(1, 7), 40, None, at(10));
        assert!(stored.ended_with(TID, &peer(1, 7), 40, at(83)), "curl without a limit");
        assert!(!stored.ended_with(TID, &peer(1, 7), 40, at(100)));
        stored.note(TID, &peer(1, 7), 40, Some(255), at(10));
        assert!(stored.ended_with(TID, &peer(1, 7), 40, at(266)));
        assert!(!stored.ended_with(TID, &peer(1, 7), 39, at(11)), "another block");
        assert!(!stored.ended_with(SocketId(4), &peer(1, 7), 40, at(11)), "another TID");
        assert!(!stored.ended_with(TID, &peer(1, 8), 40, at(11)), "another port");
        stored.forget(TID, &peer(1, 7));
        assert!(!stored.ended_with(TID, &peer(1, 7), 40, at(11)));
    }

    #[test]
    fn a_client_has_a_share() {
        let mut stored = StoredUploads::default();
        stored.note(TID, &peer(1, 7), 40, None, at(1));
        let share = stored.share(&peer(1, 7)).as_ptr();
        let other =
            (2..255).map(|client| peer(client, 7)).find(|it| stored.share(it).as_ptr() != share).unwrap();
        for port in 0..60_000 {
            let now = Time::from_micros(2_000_000 + u64::from(port));
            stored.note(TID, &SocketAddr::new(other.ip(), port), 40, None, now);
        }
        assert!(stored.ended_with(TID, &peer(1, 7), 40, at(3)));
        let known =
            (0..60_000).filter(|port| stored.ended_with(TID, &SocketAddr::new(other.ip(), *port), 40, at(3)));
        assert_eq!(known.collect::<Vec<_>>(), (60_000 - SHARE_SIZE as u16..60_000).collect::<Vec<_>>());
    }
}
