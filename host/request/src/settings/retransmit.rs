//! When the server retransmits.

#[cfg(feature = "schema")]
use crate::units::TimeSpan;
use crate::units::plain;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// When the server retransmits an unanswered packet. Of `floor`, `initial`, `cap` and `give-up`, each must be at least the
/// one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Retransmit {
    /// The shortest retransmission time-out, for clients with quick and steady answers. For others the shortest is ten
    /// times this (but at most `initial`), however short the measured round-trip time is.
    #[serde(with = "plain")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "TimeSpan", extend("x-minimum" = "1ms", "x-maximum" = "1h"))
    )]
    pub floor: Duration,
    /// The retransmission time-out before a round-trip time has been measured.
    #[serde(with = "plain")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "TimeSpan", extend("x-minimum" = "1ms", "x-maximum" = "1h"))
    )]
    pub initial: Duration,
    /// The longest retransmission time-out; it doubles with each repetition up to this.
    #[serde(with = "plain")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "TimeSpan", extend("x-minimum" = "1ms", "x-maximum" = "1h"))
    )]
    pub cap: Duration,
    /// How long a client may be silent before the server gives up on the transfer.
    #[serde(with = "plain")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "TimeSpan", extend("x-minimum" = "1ms", "x-maximum" = "1h"))
    )]
    pub give_up: Duration,
    /// The shortest retransmission time-out in lockstep (a window of one block) for clients that are not known to bear
    /// duplicates: some boot ROMs count each DATA packet as the next block. A client is known by its class, or once it has
    /// answered duplicates rightly. `cap` and the option `timeout` limit it. 0s treats all clients as known.
    #[serde(with = "plain")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "TimeSpan", extend("x-minimum" = "0s", "x-maximum" = "1h"))
    )]
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
