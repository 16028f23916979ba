//! Option negotiation, retransmission, and bounds on slow transfers.

use super::{MaxBlksize, OptionRules, Retransmit};
use std::time::Duration;

/// Option negotiation, retransmission, and bounds on slow transfers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// The largest granted block size (RFC 2348).
    pub max_blksize: MaxBlksize,
    /// The largest granted window in blocks (RFC 7440), 1 to 32767.
    pub max_windowsize: u16,
    /// Whether IPv4 packets forbid routers to fragment them (the bit DF, RFC 791). A block then reaches a client behind a
    /// smaller MTU only if the routers report that MTU. Default: false. Linux only.
    pub dont_fragment: bool,
    /// Which options the server acknowledges.
    pub options: OptionRules,
    /// The block number that follows 65535: 0 or 1.
    pub rollover: u16,
    /// When the server retransmits an unanswered packet.
    pub retransmit: Retransmit,
    /// The slowest allowed transfer in bytes per second; 0 for none. See [`Bounds`](crate::Bounds).
    pub least_rate: u64,
    /// The most bytes of file data per second, for each transfer, at least 1024; `None` for no limit.
    pub rate: Option<u64>,
    /// The longest allowed transfer; zero for no limit.
    pub max_duration: Duration,
}

impl Default for Transfer {
    fn default() -> Self {
        Transfer {
            max_blksize: MaxBlksize::Bytes(65464),
            max_windowsize: 64,
            dont_fragment: false,
            options: OptionRules::default(),
            rollover: 0,
            retransmit: Retransmit::default(),
            least_rate: 64,
            rate: None,
            max_duration: Duration::from_secs(24 * 60 * 60),
        }
    }
}
