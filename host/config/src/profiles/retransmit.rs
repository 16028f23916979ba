//! The retransmission times for the clients of a profile.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tuffet_request::settings::Retransmit;
use tuffet_request::units::{TimeSpan, plain};

use crate::resolver::Resolver;

/// When the server retransmits to these clients. Missing times come from `transfer.retransmit`; of these,
/// `floor`, `initial`, `cap` and `give-up` must ascend.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct RetransmitRules {
    /// The shortest retransmission time-out.
    #[serde(with = "plain", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<TimeSpan>", extend("x-minimum" = "1ms", "x-maximum" = "1h"))]
    pub floor: Option<Duration>,
    /// The retransmission time-out before a round-trip time has been measured, unless the client names one with the
    /// option `timeout`.
    #[serde(with = "plain", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<TimeSpan>", extend("x-minimum" = "1ms", "x-maximum" = "1h"))]
    pub initial: Option<Duration>,
    /// The longest retransmission time-out.
    #[serde(with = "plain", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<TimeSpan>", extend("x-minimum" = "1ms", "x-maximum" = "1h"))]
    pub cap: Option<Duration>,
    /// How long a client may be silent before the server gives up on the transfer.
    #[serde(with = "plain", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<TimeSpan>", extend("x-minimum" = "1ms", "x-maximum" = "1h"))]
    pub give_up: Option<Duration>,
    /// The shortest retransmission time-out in lockstep for those of them that are not known to bear duplicates; 0s treats
    /// all of them as known.
    #[serde(with = "plain", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<TimeSpan>", extend("x-minimum" = "0s", "x-maximum" = "1h"))]
    pub lockstep_floor: Option<Duration>,
}

impl RetransmitRules {
    /// Returns the times of a transfer: these, and otherwise those of `transfer`.
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

impl Resolver<'_> {
    /// Checks the order of the times, if one of the two is written in this profile.
    pub(super) fn retransmit_of_profile(
        &mut self,
        section: &str,
        rules: &RetransmitRules,
        transfer: &Retransmit,
    ) {
        let Retransmit { floor, initial, cap, give_up, .. } = rules.over(transfer);
        let ordered = [
            ("floor", floor, rules.floor),
            ("initial", initial, rules.initial),
            ("cap", cap, rules.cap),
            ("give-up", give_up, rules.give_up),
        ];
        for &[(low, shorter, low_here), (high, longer, high_here)] in ordered.array_windows() {
            let because = match (low_here, high_here) {
                (None, None) => continue,
                (Some(_), Some(_)) => "",
                (None, Some(_)) | (Some(_), None) => "; missing times come from `transfer.retransmit`",
            };
            self.ascending(section, (low, shorter), (high, longer), because);
        }
    }
}
