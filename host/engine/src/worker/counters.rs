//! Counts of a worker's problems outside of transfers. The worker reports them to the control side only now
//! and then, so that an idle worker sleeps and a flood of datagrams does not flood the log.

use crate::limits::{Refused, RefusedClient, RefusedClients};
use std::array;
use std::net::IpAddr;
use std::ops::Sub;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tracing::field;
use tuffet_core::Time;
use tuffet_request::settings::SettingNames;

/// The least time between two reports.
const INTERVAL: Duration = Duration::from_secs(10);

/// Counts since the worker started, or between two reports.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Counters {
    /// Requests dropped because a limit was reached, by [`Refused`]; clients repeat them.
    pub(crate) refused: [u64; Refused::COUNT],
    /// Half-open transfers that made room for others.
    pub(crate) gave_way: u64,
    /// Requests dropped because the server is shutting down.
    pub(crate) stopping: u64,
    /// Requests repeated while their transfer ran, including duplicated datagrams.
    pub(crate) repeated: u64,
    /// Datagrams that belong to no transfer and are no request.
    pub(crate) stray: u64,
    /// Blocks of uploads dropped because the disk is slower, and the memory for them is used up.
    pub(crate) slow_disk: u64,
    /// Malformed datagrams.
    pub(crate) malformed: u64,
    /// Datagrams from port 0, to which no reply can be sent.
    pub(crate) port_zero: u64,
    /// Datagrams that the kernel did not accept for sending.
    pub(crate) send_lost: u64,
    /// Errors while receiving.
    pub(crate) receive_errors: u64,
}

impl Sub for Counters {
    type Output = Counters;

    fn sub(self, earlier: Counters) -> Counters {
        Counters {
            refused: array::from_fn(|reason| self.refused[reason] - earlier.refused[reason]),
            gave_way: self.gave_way - earlier.gave_way,
            stopping: self.stopping - earlier.stopping,
            repeated: self.repeated - earlier.repeated,
            stray: self.stray - earlier.stray,
            slow_disk: self.slow_disk - earlier.slow_disk,
            malformed: self.malformed - earlier.malformed,
            port_zero: self.port_zero - earlier.port_zero,
            send_lost: self.send_lost - earlier.send_lost,
            receive_errors: self.receive_errors - earlier.receive_errors,
        }
    }
}

impl Counters {
    /// Logs the counts, with the client that caused most of the requests over a limit. `worker`: `None` for requests of other
    /// protocols; `published`: its counters for other threads; `names`: how to name limits.
    pub fn log(&self, worker: Option<usize>, published: &PublishedCounters, names: SettingNames) {
        let Counters {
            refused,
            gave_way,
            stopping,
            repeated,
            stray,
            // The disk reports them, with the name of its root.
            slow_disk: _,
            malformed,
            port_zero,
            send_lost,
            receive_errors,
        } = *self;
        for (reason, requests) in Refused::ALL.into_iter().zip(refused).filter(|(_, count)| *count > 0) {
            let busiest = published.refused.take_busiest(reason);
            tracing::warn!(
                target: "tuffet::worker::counters",
                worker,
                requests,
                client = busiest.map(|its| field::display(its.client)),
                client_requests = busiest.map(|its| its.requests),
                reason = reason.as_str(),
                "requests were dropped because {} was reached; clients will repeat them",
                reason.limit(names)
            );
        }
        if gave_way > 0 {
            tracing::warn!(
                target: "tuffet::worker::counters",
                worker,
                transfers = gave_way,
                "half-open transfers were evicted to make room for others; a flood of requests with forged \
                 addresses looks like this"
            );
        }
        if stopping > 0 {
            tracing::info!(
                target: "tuffet::worker::counters", worker, requests = stopping,
                "requests were dropped because the server is stopping"
            );
        }
        if send_lost > 0 || receive_errors > 0 {
            tracing::warn!(
                target: "tuffet::worker::counters", worker, send_lost, receive_errors,
                "the kernel refused datagrams"
            );
        }
        if repeated > 0 || stray > 0 || malformed > 0 || port_zero > 0 {
            tracing::debug!(
                target: "tuffet::worker::counters",
                worker,
                repeated,
                stray,
                malformed,
                port_zero,
                "datagrams neither started nor advanced a transfer"
            );
        }
    }
}

/// Counts that have a name in metrics.
const REASONS: usize = Refused::COUNT + 8;

impl Counters {
    /// Each count of dropped datagrams with its name in metrics.
    pub fn by_reason(&self) -> [(&'static str, u64); REASONS] {
        let others = [
            ("stopping", self.stopping),
            ("repeated", self.repeated),
            ("stray", self.stray),
            ("slow-disk", self.slow_disk),
            ("malformed", self.malformed),
            ("port-0", self.port_zero),
            ("send-refused", self.send_lost),
            ("receive-error", self.receive_errors),
        ];
        array::from_fn(|at| match Refused::ALL.get(at) {
            Some(reason) => (reason.as_str(), self.refused[at]),
            None => others[at - Refused::COUNT],
        })
    }
}

/// The counts of a worker for other threads; only the worker writes them.
#[derive(Debug, Default)]
pub struct PublishedCounters {
    counts: [AtomicU64; REASONS],
    gave_way: AtomicU64,
    half_open: AtomicU64,
    refused: RefusedClients,
}

impl PublishedCounters {
    fn publish(&self, counters: &Counters, half_open: usize) {
        for (shared, (_, count)) in self.counts.iter().zip(counters.by_reason()) {
            shared.store(count, Relaxed);
        }
        self.gave_way.store(counters.gave_way, Relaxed);
        self.half_open.store(half_open as u64, Relaxed);
    }

    /// Dropped datagrams, by reason.
    pub fn by_reason(&self) -> [(&'static str, u64); REASONS] {
        let names = Counters::default().by_reason();
        array::from_fn(|at| (names[at].0, self.counts[at].load(Relaxed)))
    }

    /// Half-open transfers that made room for others.
    pub fn gave_way(&self) -> u64 {
        self.gave_way.load(Relaxed)
    }

    /// Counts a request of this client that a limit refused.
    pub(crate) fn note_refused(&self, refused: Refused, client: IpAddr, now: Instant) {
        self.refused.note(refused, client, now);
    }

    /// The clients whose requests were refused in the last minute, with the key of the limit.
    pub fn refused_clients(&self) -> Vec<(&'static str, RefusedClient)> {
        let now = Instant::now();
        let of = |refused: Refused| self.refused.recent(refused, now).map(move |its| (refused.key(), its));
        Refused::ALL.into_iter().flat_map(of).collect()
    }

    /// The present half-open transfers.
    pub fn half_open(&self) -> u64 {
        self.half_open.load(Relaxed)
    }
}

/// Decides when to report which counts.
#[derive(Debug, Default)]
pub(super) struct Reports {
    /// The published counts.
    seen: (Counters, usize),
    reported: Counters,
    next: Time,
}

impl Reports {
    /// Publishes the counts if they have changed.
    pub(super) fn publish(&mut self, counters: Counters, half_open: usize, shared: &PublishedCounters) {
        if (counters, half_open) != self.seen {
            shared.publish(&counters, half_open);
            self.seen = (counters, half_open);
        }
    }

    /// Returns the counts since the last report, if a report is due and any count has changed.
    pub(super) fn due(&mut self, counters: Counters, now: Time) -> Option<Counters> {
        if counters == self.reported || now < self.next {
            return None;
        }
        let news = counters - self.reported;
        self.reported = counters;
        self.next = now + INTERVAL;
        Some(news)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_see_each_count_under_its_name() {
        let counters = Counters {
            refused: [1, 2, 3, 4, 5, 6, 7],
            stopping: 8,
            repeated: 9,
            stray: 10,
            slow_disk: 11,
            malformed: 12,
            port_zero: 13,
            send_lost: 14,
            receive_errors: 15,
            gave_way: 16,
        };
        let shared = PublishedCounters::default();
        Reports::default().publish(counters, 17, &shared);
        assert_eq!(shared.by_reason(), counters.by_reason());
        assert_eq!((shared.gave_way(), shared.half_open()), (16, 17));
        assert_eq!(
            counters.by_reason().map(|(_, count)| count),
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
        );
    }

    #[test]
    fn the_first_problem_is_reported_at_once_the_next_after_a_while() {
        let at = |seconds: u64| Time::from_micros(seconds * 1_000_000);
        let mut reports = Reports::default();
        let mut counters = Counters::default();
        assert_eq!(reports.due(counters, at(1)), None);
        counters.refused[0] = 3;
        assert_eq!(reports.due(counters, at(2)).map(|news| news.refused[0]), Some(3));
        counters.refused[0] = 5;
        assert_eq!(reports.due(counters, at(3)), None);
        assert_eq!(reports.due(counters, at(12)).map(|news| news.refused[0]), Some(2));
    }
}
