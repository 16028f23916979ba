//! What a transfer learnt about its peer, for the next transfer of that peer.

use crate::manner::{KnownManner, Manner};
use crate::rtt::RaisedFloor;

/// What is known of a peer, as TCP keeps metrics for each destination.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PeerMetrics {
    /// How far the RTO floor is raised.
    pub floor: RaisedFloor,
    /// How the blocks of a window reach it.
    pub manner: KnownManner,
}

impl PeerMetrics {
    /// Returns what is left of it after this many `times` without news: [`RaisedFloor::after`] tells of the floor, and
    /// the manner is forgotten, since another program of the peer may take more.
    pub fn after(self, times: u32) -> Self {
        let manner = if times > 0 { KnownManner::default() } else { self.manner };
        PeerMetrics { floor: self.floor.after(times), manner }
    }

    /// Returns whether a transfer that does not know it would lose time, or send blocks in vain.
    pub fn is_costly(self) -> bool {
        self.floor.is_high() || self.manner.manner != Manner::Whole
    }
}
