//! The section `limits`.

use super::Resolver;
use crate::Limits;
use crate::written::{self, defaults};
use tuffet_request::{Bounds, PerSecond};

impl Resolver<'_> {
    pub(super) fn limits(&mut self, written: &written::Limits, transfer: &written::Transfer) -> Limits {
        let client = &written.per_client;
        for (part, key, of, all) in [
            (written.half_open, "half-open", "transfers", written.transfers),
            (client.transfers, "per-client/transfers", "transfers", written.transfers),
            (client.pending, "per-client/pending", "pending", written.pending),
        ] {
            if let Some(part) = part.filter(|part| *part > all) {
                let message = format!(
                    "{part} exceeds the total of {all} (`limits.{of}`); lower it, raise the total, or remove it"
                );
                self.wrong(format!("/limits/{key}"), message);
            }
        }
        let per_second = self.per_second("/limits", written.per_second, written.burst);
        let client_per_second = self.per_second("/limits/per-client", client.per_second, client.burst);
        let share = |given: Option<usize>, all| {
            let share = given.unwrap_or_else(|| defaults::share_of_a_client(all));
            u32::try_from(share).unwrap_or(u32::MAX)
        };
        Limits {
            transfers: written.transfers,
            pending: written.pending,
            open_time: written.open_time.0,
            cache: written.cache.0,
            cache_max_age: written.cache_max_age.0,
            events: written.events,
            bounds: Bounds {
                half_open: written.half_open.unwrap_or_else(|| defaults::half_open(written.transfers)),
                per_second,
                client_transfers: share(client.transfers, written.transfers),
                client_pending: share(client.pending, written.pending),
                client_per_second,
                ipv6_prefix: client.ipv6_prefix.unwrap_or(defaults::IPV6_PREFIX),
                errors_per_second: Some(PerSecond {
                    per_second: written.errors_per_second,
                    burst: written.errors_per_second,
                }),
                uploads_per_name: written.uploads_per_name,
                least_rate: transfer.least_rate.0,
                max_duration: transfer.max_duration.0,
            },
        }
    }

    fn per_second(&mut self, section: &str, rate: Option<u32>, burst: Option<u32>) -> Option<PerSecond> {
        match (rate, burst) {
            (Some(per_second), burst) => Some(PerSecond { per_second, burst: burst.unwrap_or(per_second) }),
            (None, None) => None,
            (None, Some(_)) => {
                let message = "`burst` needs `per-second`; add it, or remove `burst`";
                self.wrong(format!("{section}/burst"), message);
                None
            }
        }
    }
}
