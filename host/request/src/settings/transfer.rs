//! Option negotiation, and bounds on slow transfers.

use super::{MaxBlksize, OptionRules};
use std::time::Duration;

/// Option negotiation, and bounds on slow transfers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// The largest granted block size (RFC 2348).
    pub max_blksize: MaxBlksize,
    /// The largest granted window in blocks (RFC 7440), 1 to 32767.
    pub max_windowsize: u16,
    /// Which options the server acknowledges.
    pub options: OptionRules,
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
            options: OptionRules::default(),
            least_rate: 64,
            rate: None,
            max_duration: Duration::from_secs(24 * 60 * 60),
        }
    }
}
