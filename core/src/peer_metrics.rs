//! What a transfer learnt about its peer, for the next transfer of that peer.

use crate::pacer::KnownBurst;
use crate::rtt::RaisedFloor;

/// What is known of a peer, as TCP keeps metrics for each destination.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PeerMetrics {
    /// How far the RTO floor is raised.
    pub floor: RaisedFloor,
    /// How many blocks of a window the peer takes at once.
    pub burst: KnownBurst,
}

impl PeerMetrics {
    /// Returns what is left of it after this many `times` without news: [`RaisedFloor::after`] tells of the floor, and
    /// the burst is forgotten, since another program of the peer may take more.
    pub fn after(self, times: u32) -> Self {
        let burst = if times > 0 { KnownBurst::default() } else { self.burst };
        PeerMetrics { floor: self.floor.after(times), burst }
    }

    /// Returns whether a transfer that does not know it would lose time, or send blocks in vain.
    pub fn is_costly(self) -> bool {
        self.floor.is_high() || self.burst.blocks > 0
    }
}
