//! The section `transfer`: option negotiation, retransmission, and bounds on slow transfers.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tuffet_request::settings::{self, MaxBlksize, OptionRules};
use tuffet_request::units::{ByteCount, TimeSpan, plain};

use super::resolver::Resolver;

/// Option negotiation, retransmission, and bounds on slow transfers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Transfer {
    /// The largest granted block size, in bytes (RFC 2348). A client that requests none gets 512. `auto`: the largest
    /// block that fits into one packet on the route to the client: its MTU minus 32 bytes for IPv4 and 52 for IPv6;
    /// 1468 and 1448 if the kernel knows no route.
    pub max_blksize: MaxBlksize,
    /// The largest granted window, in blocks (RFC 7440). RFC 7440 allows 65535; above 32767 a duplicated ACK
    /// could be mistaken for another. A client that requests none gets 1.
    #[schemars(range(min = 1, max = 32767))]
    pub max_windowsize: u16,
    /// Whether IPv4 packets forbid routers to fragment them (the bit DF). With `true`, a block larger than the MTU of a
    /// router on the way is lost until the router's report (ICMP) arrives, and for ever if a firewall drops it; reports
    /// can be forged. By default routers fragment such blocks, and reports change nothing.
    pub dont_fragment: bool,
    /// Which options the server acknowledges.
    pub options: OptionRules,
    /// The block number that follows 65535.
    #[schemars(range(min = 0, max = 1))]
    pub rollover: u16,
    /// When the server retransmits an unanswered packet.
    pub retransmit: Retransmit,
    /// The slowest allowed transfer, in bytes per second, measured over twice the time that a client may be
    /// silent (`retransmit.give-up`, or three times the option `timeout`). The server ends a slower one with
    /// an ERROR. Serial lines of 1200 baud move 120. 0 disables it.
    #[serde(with = "plain")]
    #[schemars(with = "ByteCount", extend("x-minimum" = "0", "x-maximum" = "1GiB"))]
    pub least_rate: u64,
    /// The most bytes of file data per second, for each transfer. The server sends a file no faster than this,
    /// retransmissions included, and acknowledges an upload no faster. It lowers block sizes and windows for low rates,
    /// so that a block takes at most a quarter of a second and a window half a second. A listener, a profile and policy
    /// may set another rate. Clients with a rate join no multicast group. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none", with = "plain")]
    #[schemars(with = "ByteCount", extend("x-minimum" = "1KiB", "x-maximum" = "4GB"))]
    pub rate: Option<u64>,
    /// The longest allowed transfer, however well it progresses; the server ends a longer one with an ERROR.
    /// 0s disables it.
    #[serde(with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "0s", "x-maximum" = "365d"))]
    pub max_duration: Duration,
}

/// When the server retransmits an unanswered packet. Of `floor`, `initial`, `cap` and `give-up`, each must be at least the
/// one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Retransmit {
    /// The shortest retransmission time-out, for clients with quick and steady answers. For others the shortest is ten
    /// times this (but at most `initial`), however short the measured round-trip time is.
    #[serde(with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "1ms", "x-maximum" = "1h"))]
    pub floor: Duration,
    /// The retransmission time-out before a round-trip time has been measured.
    #[serde(with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "1ms", "x-maximum" = "1h"))]
    pub initial: Duration,
    /// The longest retransmission time-out; it doubles with each repetition up to this.
    #[serde(with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "1ms", "x-maximum" = "1h"))]
    pub cap: Duration,
    /// How long a client may be silent before the server gives up on the transfer.
    #[serde(with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "1ms", "x-maximum" = "1h"))]
    pub give_up: Duration,
    /// The shortest retransmission time-out in lockstep (a window of one block) for clients that are not known to bear
    /// duplicates: some boot ROMs count each DATA packet as the next block. A client is known by its class, or once it has
    /// answered duplicates rightly. `cap` and the option `timeout` limit it. 0s treats all clients as known.
    #[serde(with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "0s", "x-maximum" = "1h"))]
    pub lockstep_floor: Duration,
}

impl Default for Transfer {
    fn default() -> Self {
        let (transfer, fixed) = (settings::Transfer::default(), settings::Settings::default());
        Self {
            max_blksize: transfer.max_blksize,
            max_windowsize: transfer.max_windowsize,
            dont_fragment: fixed.dont_fragment,
            options: transfer.options,
            rollover: fixed.rollover,
            retransmit: Retransmit::default(),
            least_rate: transfer.least_rate,
            rate: transfer.rate,
            max_duration: transfer.max_duration,
        }
    }
}

impl Default for Retransmit {
    fn default() -> Self {
        let settings::Retransmit { floor, initial, cap, give_up, lockstep_floor } =
            settings::Retransmit::default();
        Retransmit { floor, initial, cap, give_up, lockstep_floor }
    }
}

impl From<Retransmit> for settings::Retransmit {
    fn from(written: Retransmit) -> settings::Retransmit {
        let Retransmit { floor, initial, cap, give_up, lockstep_floor } = written;
        settings::Retransmit { floor, initial, cap, give_up, lockstep_floor }
    }
}

impl Transfer {
    /// Returns what a reload may change, as the server takes it.
    pub(crate) fn settings(&self) -> settings::Transfer {
        settings::Transfer {
            max_blksize: self.max_blksize,
            max_windowsize: self.max_windowsize,
            options: self.options,
            least_rate: self.least_rate,
            rate: self.rate,
            max_duration: self.max_duration,
        }
    }

    /// The keys that cannot change while the server runs, and whether they differ.
    pub(crate) fn fixed(&self, next: &Self) -> Vec<(&'static str, bool)> {
        vec![
            ("transfer.dont-fragment", self.dont_fragment != next.dont_fragment),
            ("transfer.rollover", self.rollover != next.rollover),
            ("transfer.retransmit", self.retransmit != next.retransmit),
        ]
    }
}

impl Resolver<'_> {
    pub(crate) fn transfer(&mut self, transfer: &Transfer) {
        let Retransmit { floor, initial, cap, give_up, .. } = transfer.retransmit;
        let ordered = [("floor", floor), ("initial", initial), ("cap", cap), ("give-up", give_up)];
        for &[low, high] in ordered.array_windows() {
            self.ascending("/transfer/retransmit", low, high, "");
        }
    }
}
