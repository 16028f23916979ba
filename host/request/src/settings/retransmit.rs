//! When the server retransmits.

use super::range::OutOfRange;
#[cfg(feature = "schema")]
use crate::units::TimeSpan;
use crate::units::plain;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::time::Duration;

/// The bounds of each time of [`Retransmit`], and of those of uploads.
pub(super) const TIMES: RangeInclusive<Duration> = Duration::from_millis(1)..=Duration::from_secs(3600);

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

impl Retransmit {
    pub(super) fn check(&self, of: &str) -> Result<(), OutOfRange> {
        let Retransmit { floor, initial, cap, give_up, lockstep_floor } = self;
        OutOfRange::unless(lockstep_floor <= TIMES.end(), &format!("{of}.lockstep_floor"), "0 to 1 h")?;
        for (name, time) in [("floor", floor), ("initial", initial), ("cap", cap), ("give_up", give_up)] {
            OutOfRange::unless(TIMES.contains(time), &format!("{of}.{name}"), "1 ms to 1 h")?;
        }
        let ascend = floor <= initial && initial <= cap && cap <= give_up;
        OutOfRange::unless(ascend, of, "in ascending order: floor, initial, cap, give_up")
    }
}

/// When the server retransmits to these clients. Missing times come from `transfer.retransmit`; of these,
/// `floor`, `initial`, `cap` and `give-up` must ascend.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct RetransmitRules {
    /// The shortest retransmission time-out.
    #[serde(with = "plain", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<TimeSpan>", extend("x-minimum" = "1ms", "x-maximum" = "1h")))]
    pub floor: Option<Duration>,
    /// The retransmission time-out before a round-trip time has been measured, unless the client names one with the
    /// option `timeout`.
    #[serde(with = "plain", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<TimeSpan>", extend("x-minimum" = "1ms", "x-maximum" = "1h")))]
    pub initial: Option<Duration>,
    /// The longest retransmission time-out.
    #[serde(with = "plain", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<TimeSpan>", extend("x-minimum" = "1ms", "x-maximum" = "1h")))]
    pub cap: Option<Duration>,
    /// How long a client may be silent before the server gives up on the transfer.
    #[serde(with = "plain", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<TimeSpan>", extend("x-minimum" = "1ms", "x-maximum" = "1h")))]
    pub give_up: Option<Duration>,
    /// The shortest retransmission time-out in lockstep for those of them that are not known to bear duplicates; 0s treats
    /// all of them as known.
    #[serde(with = "plain", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<TimeSpan>", extend("x-minimum" = "0s", "x-maximum" = "1h")))]
    pub lockstep_floor: Option<Duration>,
}

impl RetransmitRules {
    /// Returns the times of a transfer: these, and otherwise those of `transfer`.
    #[doc(hidden)]
    pub fn over(&self, transfer: &Retransmit) -> Retransmit {
        Retransmit {
            floor: self.floor.unwrap_or(transfer.floor),
            initial: self.initial.unwrap_or(transfer.initial),
            cap: self.cap.unwrap_or(transfer.cap),
            give_up: self.give_up.unwrap_or(transfer.give_up),
            lockstep_floor: self.lockstep_floor.unwrap_or(transfer.lockstep_floor),
        }
    }
}
