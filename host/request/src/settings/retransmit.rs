//! When the server retransmits.

use std::time::Duration;

/// When the server retransmits an unanswered packet. The times but `lockstep_floor` ascend in the order of the fields; each
/// is 1 ms to 1 h.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retransmit {
    /// The shortest retransmission time-out, for clients with quick and steady answers. For others the shortest is ten
    /// times this (but at most `initial`), however short the measured round-trip time is.
    pub floor: Duration,
    /// The retransmission time-out before a round-trip time has been measured.
    pub initial: Duration,
    /// The longest retransmission time-out; it doubles with each repetition up to this.
    pub cap: Duration,
    /// How long a client may be silent before the server gives up on the transfer.
    pub give_up: Duration,
    /// The shortest retransmission time-out in lockstep (`windowsize` 1) for a client that is not known to bear duplicates;
    /// `cap` and the option `timeout` limit it. Zero to 1 h. Zero treats all clients as known.
    pub lockstep_floor: Duration,
}

impl Default for Retransmit {
    fn default() -> Self {
        Retransmit {
            floor: Duration::from_millis(2),
            initial: Duration::from_millis(250),
            cap: Duration::from_secs(4),
            // in.tftpd waits 63 s.
            give_up: Duration::from_secs(65),
            // The first time-out of in.tftpd, which its clients have lived with.
            lockstep_floor: Duration::from_secs(1),
        }
    }
}
