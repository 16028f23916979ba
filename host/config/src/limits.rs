//! The section `limits`: bounds on concurrent transfers, requests, uploads and memory.

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use tuffet_request::key_order::place;
use tuffet_request::settings::{Capacity, Limits};

use super::resolver::Resolver;

/// Bounds on concurrent transfers, requests, uploads and memory. The server drops requests over a limit and
/// counts them by reason; clients ask again.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[schemars(transform = by_topic)]
pub(crate) struct WrittenLimits {
    /// What a reload cannot change.
    #[serde(flatten)]
    pub capacity: Capacity,
    /// What a reload may change.
    #[serde(flatten)]
    pub service: Limits,
}

fn by_topic(schema: &mut Schema) {
    place(schema, "events", "cache-max-age");
}

impl Resolver<'_> {
    pub(crate) fn limits(&mut self, WrittenLimits { capacity, service: limits }: &WrittenLimits) {
        let client = &limits.per_client;
        for (part, key, of, all) in [
            (limits.half_open, "half-open", "transfers", capacity.transfers),
            (client.transfers, "per-client/transfers", "transfers", capacity.transfers),
            (client.pending, "per-client/pending", "pending", capacity.pending),
        ] {
            if let Some(part) = part.filter(|part| *part > all) {
                let message = format!(
                    "{part} exceeds the total of {all} (`limits.{of}`); lower it, raise the total, or remove it"
                );
                self.wrong(format!("/limits/{key}"), message);
            }
        }
        for (section, rate, burst) in [
            ("/limits", limits.per_second, limits.burst),
            ("/limits/per-client", client.per_second, client.burst),
        ] {
            if rate.is_none() && burst.is_some() {
                let message = "`burst` needs `per-second`; add it, or remove `burst`";
                self.wrong(format!("{section}/burst"), message);
            }
        }
    }
}
