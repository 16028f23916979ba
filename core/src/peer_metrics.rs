//! What a transfer has learnt about its peer, for the next transfer with that peer.

use crate::duplicates::Duplicates;
use crate::manner::{KnownManner, Manner};
use crate::rtt::RaisedFloor;

/// Metrics of a peer, as TCP keeps them for each destination.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PeerMetrics {
    /// How far the RTO floor is raised.
    pub floor: RaisedFloor,
    /// How the blocks of a window reach it.
    pub manner: KnownManner,
    /// How it takes copies of DATA packets.
    pub duplicates: Duplicates,
}

impl PeerMetrics {
    /// Ages the metrics by this many `times` without a transfer: the floor as in [`RaisedFloor::after`]. The manner
    /// is forgotten, because another program on the peer may accept more. What is known about copies stays.
    pub fn after(self, times: u32) -> Self {
        let manner = if times > 0 { KnownManner::default() } else { self.manner };
        PeerMetrics { floor: self.floor.after(times), manner, ..self }
    }

    /// Returns whether a transfer without these metrics would lose time or blocks.
    pub fn is_costly(self) -> bool {
        self.floor.is_high() || self.manner.manner != Manner::Whole
    }
}
