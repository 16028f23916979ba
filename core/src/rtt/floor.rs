//! The RTO floor of a peer: short round trips lower it, needless retransmissions raise it.

use super::Timing;

/// How far the RTO floor is raised for a peer; kept for its next transfer. An unknown peer has ten times the
/// configured floor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RaisedFloor {
    /// In quarter doublings. A needless retransmission doubles the floor. A repaired loss takes back a quarter of
    /// that, but no more than was added. So do [`STEADY_ROUND_TRIPS`] short round trips, down to the configured
    /// floor.
    quarters: u8,
}

/// This many round trips, each shorter than a [`SHORT_PART`]th of the floor, lower the floor by a quarter doubling.
/// Each needless retransmission doubles the number, at most [`MAX_WARY`] times, and each repaired loss halves it.
pub(super) const STEADY_ROUND_TRIPS: u16 = 8;
pub(super) const MAX_WARY: u8 = 7;
pub(super) const SHORT_PART: u32 = 8;
/// A round trip longer than this part of a lowered floor raises it.
pub(super) const LONG_PART: u32 = 4;

impl Default for RaisedFloor {
    fn default() -> Self {
        RaisedFloor { quarters: 3 * Self::DOUBLED + 1 }
    }
}

impl RaisedFloor {
    const DOUBLED: u8 = 4;
    const MAX: u8 = 16 * Self::DOUBLED;

    /// Returns twice the floor, up to 2^16 times the configured one.
    pub fn doubled(self) -> Self {
        RaisedFloor { quarters: (self.quarters + Self::DOUBLED).min(Self::MAX) }
    }

    /// Returns the floor after this many `times` without news: each halves a raised floor, and doubles a lowered
    /// one, until it is the default.
    pub fn after(self, times: u32) -> Self {
        let quarters = times.saturating_mul(Self::DOUBLED.into()).min(u8::MAX.into()) as u8;
        let default = Self::default();
        if self > default {
            RaisedFloor { quarters: self.quarters.saturating_sub(quarters) }.max(default)
        } else {
            RaisedFloor { quarters: self.quarters.saturating_add(quarters) }.min(default)
        }
    }

    /// Returns whether the floor is higher than for an unknown peer.
    pub fn is_high(self) -> bool {
        self > Self::default()
    }

    pub(super) fn lowered(self) -> Self {
        RaisedFloor { quarters: self.quarters.saturating_sub(1) }
    }

    /// Returns the floor in microseconds; at most the initial RTO.
    pub(super) fn of(self, timing: &Timing) -> u32 {
        let quarters = u64::from(Self::DOUBLED + self.quarters % Self::DOUBLED);
        let raised = (u64::from(timing.floor) * quarters) << (self.quarters / Self::DOUBLED);
        (raised / u64::from(Self::DOUBLED)).min(timing.initial.into()) as u32
    }
}
