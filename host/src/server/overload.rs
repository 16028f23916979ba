//! Tells when requests or datagrams are dropped. Workers only count; one line per interval says how many.

use crate::worker::Counters;
use std::sync::Arc;
use std::time::Duration;

const INTERVAL: Duration = Duration::from_secs(10);

/// Watches the counters until it is aborted.
pub(super) async fn watch(counters: Vec<Arc<Counters>>) {
    let mut ticks = tokio::time::interval(INTERVAL);
    let mut before = Totals::default();
    loop {
        ticks.tick().await;
        let now = Totals::of(&counters);
        if now.overload > before.overload {
            tracing::warn!(
                requests = now.overload - before.overload,
                "requests were dropped because `limits.transfers` or `limits.pending` was reached; clients ask again"
            );
        }
        if now.send_lost > before.send_lost {
            tracing::warn!(
                datagrams = now.send_lost - before.send_lost,
                "the kernel refused to send datagrams"
            );
        }
        if now.receive_errors > before.receive_errors {
            tracing::warn!(errors = now.receive_errors - before.receive_errors, "receiving failed");
        }
        if now.noise > before.noise {
            tracing::debug!(
                datagrams = now.noise - before.noise,
                "datagrams that are no request and belong to no transfer"
            );
        }
        before = now;
    }
}

#[derive(Default)]
struct Totals {
    overload: u64,
    send_lost: u64,
    receive_errors: u64,
    noise: u64,
}

impl Totals {
    fn of(counters: &[Arc<Counters>]) -> Totals {
        let mut totals = Totals::default();
        for one in counters {
            totals.overload += one.overload.get();
            totals.send_lost += one.send_lost.get();
            totals.receive_errors += one.receive_errors.get();
            totals.noise += one.stray.get() + one.malformed.get();
        }
        totals
    }
}
