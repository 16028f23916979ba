//! How much of their rates the transfers of profiles use.

use super::snapshot::ProfileTotals;
use crate::generation::Generation;
use crate::negotiation::SharedRate;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// The samples of the last second, by profile.
#[derive(Debug, Default)]
pub(super) struct SharedRates(Mutex<HashMap<Arc<str>, LastSecond>>);

#[derive(Debug, Clone, Copy, Default)]
struct LastSecond {
    /// The total at its end.
    bytes: u64,
    bytes_per_second: u64,
}

impl SharedRates {
    /// Takes a sample, `elapsed` after the last one. Forgets profiles that the generation does not have.
    pub(super) fn sample(&self, generation: &Generation, elapsed: Duration) {
        let mut all = self.0.lock();
        let mut last = std::mem::take(&mut *all);
        for SharedRate { profile, total, .. } in generation.negotiation.shared_rates() {
            let before = last.remove(profile).unwrap_or_default();
            let bytes = total.bytes();
            let moved = bytes.saturating_sub(before.bytes) as f64 / elapsed.as_secs_f64().max(0.001);
            all.insert(Arc::clone(profile), LastSecond { bytes, bytes_per_second: moved as u64 });
        }
    }

    /// Returns the present use, in the order of the configuration.
    pub(super) fn read(&self, generation: &Generation) -> Vec<ProfileTotals> {
        let all = self.0.lock();
        let shared_rates = generation.negotiation.shared_rates();
        let read = shared_rates.map(|SharedRate { profile, total, .. }| {
            let last = all.get(profile).copied().unwrap_or_default();
            ProfileTotals {
                profile: profile.to_string(),
                total_rate: total.rate(),
                bytes_per_second: last.bytes_per_second,
                transfers: total.members().into(),
                waiting: total.waiting().into(),
                bytes: total.bytes(),
                waited_seconds: total.waited().as_secs(),
            }
        });
        read.collect()
    }
}
