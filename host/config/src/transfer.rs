//! The section `transfer`: option negotiation, retransmission, and bounds on slow transfers.

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use tuffet_request::settings::{Retransmit, Settings, Transfer};

use super::key_order::place;
use super::resolver::Resolver;

/// Option negotiation, retransmission, and bounds on slow transfers.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[schemars(transform = by_topic)]
pub(crate) struct WrittenTransfer {
    /// What a reload may change.
    #[serde(flatten)]
    pub service: Transfer,
    /// Whether IPv4 packets forbid routers to fragment them (the bit DF). With `true`, a block larger than the MTU of a
    /// router on the way is lost until the router's report (ICMP) arrives, and for ever if a firewall drops it; reports
    /// can be forged. By default routers fragment such blocks, and reports change nothing.
    pub dont_fragment: bool,
    /// The block number that follows 65535.
    #[schemars(range(min = 0, max = 1))]
    pub rollover: u16,
    /// When the server retransmits an unanswered packet.
    pub retransmit: Retransmit,
}

impl Default for WrittenTransfer {
    fn default() -> Self {
        let Settings { dont_fragment, rollover, retransmit, service, .. } = Settings::default();
        WrittenTransfer { service: service.transfer, dont_fragment, rollover, retransmit }
    }
}

fn by_topic(schema: &mut Schema) {
    place(schema, "dont-fragment", "max-windowsize");
    place(schema, "rollover", "options");
    place(schema, "retransmit", "rollover");
}

impl Resolver<'_> {
    pub(crate) fn transfer(&mut self, transfer: &WrittenTransfer) {
        let Retransmit { floor, initial, cap, give_up, .. } = transfer.retransmit;
        let ordered = [("floor", floor), ("initial", initial), ("cap", cap), ("give-up", give_up)];
        for &[low, high] in ordered.array_windows() {
            self.ascending("/transfer/retransmit", low, high, "");
        }
    }
}
