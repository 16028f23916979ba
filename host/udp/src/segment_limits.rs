//! Limits for the size of the datagrams that the kernel segments from one message (UDP_SEGMENT), for each
//! peer.
//!
//! Kernels refuse to segment if the MTU of the path is smaller than a datagram, or if the device has no
//! checksum offload. Both depend on the route to a peer, and routes change. So a limit applies only to its
//! peer and expires after a while. Trying again costs one system call.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// Two peers that share a slot replace each other, and each limit is then learnt again.
const SLOTS: usize = 256;

/// How long a limit is valid.
const VALID_FOR: Duration = Duration::from_secs(60);

/// Empty until the kernel refuses to segment, which hardly ever happens.
#[derive(Default)]
pub(super) struct SegmentLimits {
    slots: Vec<Option<Limit>>,
    hasher: RandomState,
}

#[derive(Clone, Copy)]
struct Limit {
    peer: IpAddr,
    /// The largest segment in bytes; 0 if the kernel refuses all.
    most: usize,
    until: Instant,
}

impl SegmentLimits {
    /// Returns whether segments of this size may be tried with this peer.
    pub(super) fn allow(&self, peer: IpAddr, segment: usize) -> bool {
        self.slots.is_empty() || self.find(peer).is_none_or(|limit| segment <= limit.most)
    }

    /// Records that the kernel refused segments beyond `most` for this peer.
    pub(super) fn learn(&mut self, peer: IpAddr, most: usize, now: Instant) {
        if self.slots.is_empty() {
            self.slots = vec![None; SLOTS];
        }
        let slot = self.slot(peer);
        self.slots[slot] = Some(Limit { peer, most, until: now + VALID_FOR });
    }

    fn find(&self, peer: IpAddr) -> Option<&Limit> {
        let limit = self.slots[self.slot(peer)].as_ref().filter(|limit| limit.peer == peer)?;
        // The clock is read only for peers with a limit.
        (Instant::now() < limit.until).then_some(limit)
    }

    fn slot(&self, peer: IpAddr) -> usize {
        self.hasher.hash_one(peer) as usize % SLOTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_belongs_to_its_peer_and_expires() {
        let (peer, other) = ([192, 0, 2, 1].into(), [192, 0, 2, 2].into());
        let mut limits = SegmentLimits::default();
        assert!(limits.allow(peer, 1_500));
        limits.learn(peer, 1_271, Instant::now());
        assert!(!limits.allow(peer, 1_272) && limits.allow(peer, 1_271));
        assert!(limits.allow(other, 65_000));
        let Some(long_ago) = Instant::now().checked_sub(VALID_FOR) else { return };
        limits.learn(peer, 0, long_ago);
        assert!(limits.allow(peer, 1_500), "its time is up");
    }
}
