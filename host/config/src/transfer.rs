//! The section `transfer`: option negotiation, retransmission, and bounds on slow transfers.

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use tuffet_request::key_order::place;
use tuffet_request::settings::{FixedTransfer, Retransmit, Transfer};

use super::resolver::Resolver;

/// Option negotiation, retransmission, and bounds on slow transfers.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[schemars(transform = by_topic)]
pub(crate) struct WrittenTransfer {
    /// What a reload may change.
    #[serde(flatten)]
    pub service: Transfer,
    /// What a reload cannot change.
    #[serde(flatten)]
    pub fixed: FixedTransfer,
}

fn by_topic(schema: &mut Schema) {
    place(schema, "dont-fragment", "max-windowsize");
    place(schema, "rollover", "options");
    place(schema, "retransmit", "rollover");
}

impl Resolver<'_> {
    pub(crate) fn transfer(&mut self, transfer: &WrittenTransfer) {
        let Retransmit { floor, initial, cap, give_up, .. } = transfer.fixed.retransmit;
        let ordered = [("floor", floor), ("initial", initial), ("cap", cap), ("give-up", give_up)];
        for &[low, high] in ordered.array_windows() {
            self.ascending("/transfer/retransmit", low, high, "");
        }
    }
}
