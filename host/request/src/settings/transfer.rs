//! Option negotiation, and bounds on slow transfers.

use super::ceilings::WINDOWS;
use super::range::{MIN_RATE, OutOfRange, number, optional};
use super::{MaxBlksize, OptionRules, Retransmit};
use crate::units::plain;
#[cfg(feature = "schema")]
use crate::units::{ByteCount, TimeSpan};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Option negotiation, and bounds on slow transfers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", default)]
pub struct Transfer {
    /// The largest granted block size, in bytes (RFC 2348). A client that requests none gets 512. `auto`: the largest
    /// block that fits into one packet on the route to the client: its MTU minus 32 bytes for IPv4 and 52 for IPv6;
    /// 1468 and 1448 if the kernel knows no route.
    pub max_blksize: MaxBlksize,
    /// The largest granted window, in blocks (RFC 7440). RFC 7440 allows 65535; above 32767 a duplicated ACK
    /// could be mistaken for another. A client that requests none gets 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 32767)))]
    pub max_windowsize: u16,
    /// Which options the server acknowledges.
    pub options: OptionRules,
    /// The slowest allowed transfer, in bytes per second, measured over twice the time that a client may be
    /// silent (`retransmit.give-up`, or three times the option `timeout`). The server ends a slower one with
    /// an ERROR. Serial lines of 1200 baud move 120. 0 disables it.
    #[serde(with = "plain")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "ByteCount", extend("x-minimum" = "0", "x-maximum" = "1GiB"))
    )]
    pub least_rate: u64,
    /// The most bytes of file data per second, for each transfer. The server sends a file no faster than this,
    /// retransmissions included, and acknowledges an upload no faster. It lowers block sizes and windows for low rates,
    /// so that a block takes at most a quarter of a second and a window half a second. A listener, a profile and policy
    /// may set another rate. Clients with a rate join no multicast group. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none", with = "plain")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "ByteCount", extend("x-minimum" = "1KiB", "x-maximum" = "4GB"))
    )]
    pub rate: Option<u64>,
    /// The longest allowed transfer, however well it progresses; the server ends a longer one with an ERROR.
    /// 0s disables it.
    #[serde(with = "plain")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "TimeSpan", extend("x-minimum" = "0s", "x-maximum" = "365d"))
    )]
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

impl Transfer {
    pub(super) fn check(&self, of: &str) -> Result<(), OutOfRange> {
        self.max_blksize.check(of)?;
        number(&format!("{of}.max_windowsize"), self.max_windowsize, WINDOWS)?;
        optional(&format!("{of}.rate"), self.rate, MIN_RATE..=u64::MAX)
    }
}

/// The part of option negotiation and retransmission that sockets and tables are made with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", default)]
pub struct FixedTransfer {
    /// Whether IPv4 packets forbid routers to fragment them (the bit DF). With `true`, a block larger than the MTU of a
    /// router on the way is lost until the router's report (ICMP) arrives, and for ever if a firewall drops it; reports
    /// can be forged. By default routers fragment such blocks, and reports change nothing.
    pub dont_fragment: bool,
    /// The block number that follows 65535.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub rollover: u16,
    /// When the server retransmits an unanswered packet.
    pub retransmit: Retransmit,
}

impl FixedTransfer {
    pub(super) fn check(&self) -> Result<(), OutOfRange> {
        number("rollover", self.rollover, 0..=1)?;
        self.retransmit.check("retransmit")
    }
}
