//! What goes wrong in a worker without belonging to a transfer: counted here, told to the control side now
//! and then, so that an idle worker sleeps and a flood does not flood the log.

use std::ops::Sub;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tuffet_core::Time;

/// The least time between two reports.
const INTERVAL: Duration = Duration::from_secs(10);

/// Counts since the worker started, or between two reports.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counters {
    /// Requests dropped because a limit was reached; clients ask again.
    pub(crate) overload: u64,
    /// Requests dropped because the server stops.
    pub(crate) stopping: u64,
    /// Datagrams that belong to no transfer and are no request.
    pub(crate) stray: u64,
    /// Datagrams that could not be understood.
    pub(crate) malformed: u64,
    /// Datagrams that the kernel did not take.
    pub(crate) send_lost: u64,
    /// Errors while receiving.
    pub(crate) receive_errors: u64,
}

impl Sub for Counters {
    type Output = Counters;

    fn sub(self, earlier: Counters) -> Counters {
        Counters {
            overload: self.overload - earlier.overload,
            stopping: self.stopping - earlier.stopping,
            stray: self.stray - earlier.stray,
            malformed: self.malformed - earlier.malformed,
            send_lost: self.send_lost - earlier.send_lost,
            receive_errors: self.receive_errors - earlier.receive_errors,
        }
    }
}

impl Counters {
    /// One line for the operator.
    pub(crate) fn log(&self, worker: usize) {
        let Counters { overload, stopping, stray, malformed, send_lost, receive_errors } = *self;
        if overload > 0 {
            tracing::warn!(
                worker,
                requests = overload,
                "requests were dropped because `limits.transfers` or `limits.pending` was reached; clients ask again"
            );
        }
        if stopping > 0 {
            tracing::info!(worker, requests = stopping, "requests were dropped because the server stops");
        }
        if send_lost > 0 || receive_errors > 0 {
            tracing::warn!(worker, send_lost, receive_errors, "the kernel refused datagrams");
        }
        if stray > 0 || malformed > 0 {
            tracing::debug!(
                worker,
                stray,
                malformed,
                "datagrams that are no request and belong to no transfer"
            );
        }
    }
}

impl Counters {
    /// Each count and its name in metrics.
    pub(crate) fn by_reason(&self) -> [(&'static str, u64); 6] {
        [
            ("limit", self.overload),
            ("stopping", self.stopping),
            ("stray", self.stray),
            ("malformed", self.malformed),
            ("send-refused", self.send_lost),
            ("receive-error", self.receive_errors),
        ]
    }
}

/// The counts of a worker for whoever wants to know: written by it alone.
#[derive(Debug, Default)]
pub(crate) struct Dropping([AtomicU64; 6]);

impl Dropping {
    pub(super) fn publish(&self, counters: &Counters) {
        for (shared, (_, count)) in self.0.iter().zip(counters.by_reason()) {
            shared.store(count, Relaxed);
        }
    }

    pub(crate) fn read(&self) -> Counters {
        let [overload, stopping, stray, malformed, send_lost, receive_errors] =
            self.0.each_ref().map(|count| count.load(Relaxed));
        Counters { overload, stopping, stray, malformed, send_lost, receive_errors }
    }
}

/// When and what to report next.
#[derive(Debug, Default)]
pub(super) struct Reports {
    /// What others can see.
    seen: Counters,
    told: Counters,
    next: Time,
}

impl Reports {
    /// Lets others see the counts, if they have changed.
    pub(super) fn publish(&mut self, counters: Counters, shared: &Dropping) {
        if counters != self.seen {
            shared.publish(&counters);
            self.seen = counters;
        }
    }

    /// What has come up since the last report, if it is time and there is anything.
    pub(super) fn due(&mut self, counters: Counters, now: Time) -> Option<Counters> {
        if counters == self.told || now < self.next {
            return None;
        }
        let news = counters - self.told;
        self.told = counters;
        self.next = now + INTERVAL;
        Some(news)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_see_each_count_under_its_name() {
        let counters =
            Counters { overload: 1, stopping: 2, stray: 3, malformed: 4, send_lost: 5, receive_errors: 6 };
        let shared = Dropping::default();
        Reports::default().publish(counters, &shared);
        assert_eq!(shared.read(), counters);
        assert_eq!(counters.by_reason().map(|(_, count)| count), [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn the_first_trouble_is_told_at_once_the_next_after_a_while() {
        let at = |seconds: u64| Time::from_micros(seconds * 1_000_000);
        let mut reports = Reports::default();
        let mut counters = Counters::default();
        assert_eq!(reports.due(counters, at(1)), None);
        counters.overload = 3;
        assert_eq!(reports.due(counters, at(2)).map(|news| news.overload), Some(3));
        counters.overload = 5;
        assert_eq!(reports.due(counters, at(3)), None);
        assert_eq!(reports.due(counters, at(12)).map(|news| news.overload), Some(2));
    }
}
