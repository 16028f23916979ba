//! What transfers have learnt about their peers, kept for later transfers.
//!
//! A peer that sometimes answers slowly (a busy machine, a radio link) shows that the RTO floor is too low for it; a
//! boot loader with few descriptors shows which bursts it accepts. Without this table, each new transfer would lose
//! blocks and time to learn the same again. Like TCP's metrics per destination, the table has a fixed size: a newer
//! peer may replace an older one, which then starts afresh.

use super::Worker;
use super::transmit::Transmit;
use crate::limits::KnownClient;
use hashbrown::DefaultHashBuilder;
use std::hash::BuildHasher;
use std::net::IpAddr;
use std::time::Duration;
use tuffet_core::{KnownManner, Manner, PeerMetrics, Time};

const PEERS: usize = 1024;

/// After each such time without a transfer, the floor of a peer falls by one doubling. Its manner is forgotten after
/// the first.
const FADES_AFTER: Duration = Duration::from_secs(60);

pub(super) struct KnownPeers {
    peers: Box<[KnownPeer; PEERS]>,
    hasher: DefaultHashBuilder,
}

#[derive(Clone, Copy, Default)]
struct KnownPeer {
    /// Distinguishes peers with the same index.
    tag: u32,
    metrics: PeerMetrics,
    noted: Time,
}

impl KnownPeer {
    /// Returns the metrics as they have aged by now.
    fn left(&self, now: Time) -> PeerMetrics {
        let times = now.since(self.noted).as_secs() / FADES_AFTER.as_secs();
        self.metrics.after(u32::try_from(times).unwrap_or(u32::MAX))
    }
}

impl Default for KnownPeers {
    fn default() -> Self {
        KnownPeers { peers: Box::new([KnownPeer::default(); PEERS]), hasher: DefaultHashBuilder::default() }
    }
}

impl KnownPeers {
    /// Returns the metrics of `peer`, or the default if it is not in the table.
    pub(super) fn of(&self, peer: IpAddr, now: Time) -> PeerMetrics {
        let (index, tag) = self.slot(peer);
        let known = &self.peers[index];
        if known.tag != tag {
            return PeerMetrics::default();
        }
        known.left(now)
    }

    /// Records the metrics of `peer` at the end of a transfer.
    pub(super) fn note(&mut self, peer: IpAddr, metrics: PeerMetrics, now: Time) {
        let (index, tag) = self.slot(peer);
        let known = &mut self.peers[index];
        // The metrics of a steady peer are soon learnt again; those that cost time or blocks are worth more.
        let free = metrics != PeerMetrics::default() && !known.left(now).is_costly();
        if known.tag == tag || metrics.is_costly() || free {
            *known = KnownPeer { tag, metrics, noted: now };
        }
    }

    fn slot(&self, peer: IpAddr) -> (usize, u32) {
        let hash = self.hasher.hash_one(peer);
        (hash as usize % PEERS, (hash >> 32) as u32 | 1)
    }
}

impl<T: Transmit> Worker<T> {
    /// Returns the metrics of `peer`: those of this worker, and what all workers know.
    pub(super) fn known_metrics(&self, peer: IpAddr, now: Time) -> PeerMetrics {
        let KnownClient { duplicates, lockstep } = self.settings.limiter.known_client(peer, now);
        let mut metrics = PeerMetrics { duplicates, ..self.known_peers.of(peer, now) };
        if lockstep {
            metrics.manner.manner = Manner::Lockstep;
        }
        metrics
    }

    /// Records the metrics of `peer` at the end of a transfer.
    pub(super) fn note_metrics(&mut self, peer: IpAddr, mut metrics: PeerMetrics, now: Time) {
        let lockstep = metrics.manner.manner == Manner::Lockstep;
        let duplicates = core::mem::take(&mut metrics.duplicates);
        self.settings.limiter.note_client(peer, KnownClient { duplicates, lockstep }, now);
        if lockstep {
            metrics.manner = KnownManner::default();
        }
        self.known_peers.note(peer, metrics, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;
    use tuffet_core::RaisedFloor;

    fn raised(doublings: u8) -> PeerMetrics {
        let floor = (0..doublings).fold(RaisedFloor::default(), |floor, _| floor.doubled());
        PeerMetrics { floor, ..PeerMetrics::default() }
    }

    #[test]
    fn a_peer_is_remembered_and_forgotten() {
        let mut peers = KnownPeers::default();
        let (peer, other) = ([192, 0, 2, 1].into(), [192, 0, 2, 2].into());
        peers.note(peer, raised(2), Time::from_micros(5));
        assert_eq!(peers.of(peer, Time::from_micros(9)), raised(2));
        assert_eq!(peers.of(other, Time::from_micros(9)), raised(0));
        assert_eq!(peers.of(peer, Time::from_micros(61_000_000)), raised(1));
        assert_eq!(peers.of(peer, Time::from_micros(u64::MAX / 2)), raised(0));
        peers.note(peer, raised(0), Time::from_micros(10));
        assert_eq!(peers.of(peer, Time::from_micros(11)), raised(0), "its losses were repaired");
        let manner = KnownManner { manner: Manner::Bursts(14), rest_ms: 3 };
        let small = PeerMetrics { manner, ..raised(0) };
        peers.note(peer, small, Time::from_micros(10));
        assert_eq!(peers.of(peer, Time::from_micros(59_000_000)), small);
        assert_eq!(peers.of(peer, Time::from_micros(61_000_000)), raised(0), "another program may ask");
    }

    #[test]
    fn any_number_of_peers_fits() {
        let mut peers = KnownPeers::default();
        for peer in 0..100_000_u32 {
            peers.note(Ipv4Addr::from_bits(peer).into(), raised(1), Time::from_micros(1));
        }
        let remembered = (0..100_000).filter(|peer| {
            peers.of(Ipv4Addr::from_bits(*peer).into(), Time::from_micros(2)) != PeerMetrics::default()
        });
        assert!((1..=PEERS).contains(&remembered.count()));
    }
}
