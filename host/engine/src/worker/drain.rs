//! The shutdown of a worker: it admits no requests, lets transfers end, and keeps its deadline.

use super::Worker;
use super::passed::Succession;
use super::sockets::{ListenerId, SocketId};
use super::transmit::Transmit;
use super::unread::Unread;
use std::collections::HashSet;
use std::time::{Duration, Instant};
use tuffet_core::{ErrorCode, Time};
use tuffet_request::events::{Ending, Outcome};
use tuffet_store::CommitPoint;

/// How long a half-open transfer may delay the shutdown. Its client has received nothing yet, and repeats its
/// request.
const HALF_OPEN_GRACE: Duration = Duration::from_secs(1);

/// How long a shutdown waits for the results of uploads that can no longer be stopped.
const COMMIT_GRACE: Duration = Duration::from_millis(500);

/// The interval of checks whether all transfers have ended.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// A worker that is shutting down.
#[derive(Debug, Clone, Copy)]
pub(super) struct Draining {
    since: Time,
    until: Instant,
    is_replaced: bool,
}

impl<T: Transmit> Worker<T> {
    /// Stops admission now, and ends all transfers at `until` at the latest. A second call may bring that
    /// forward.
    pub(super) fn drain(&mut self, until: Instant, is_replaced: bool, now: Time) {
        self.draining = Some(match self.draining {
            Some(before) => Draining {
                until: before.until.min(until),
                is_replaced: before.is_replaced || is_replaced,
                ..before
            },
            None => Draining { since: now, until, is_replaced },
        });
    }

    /// Leaves new requests in the kernel, where the next process may find them. Acts only once. `unread`: the sockets
    /// known to have datagrams.
    pub(super) fn stop_listening(&mut self, unread: &mut Unread) {
        let Some(draining) = self.draining else { return };
        let registry = self.poll.registry();
        if !self.stopped_listening {
            self.stopped_listening = true;
            for number in self.wire.sockets.stop_listening(registry) {
                unread.set(number, false);
            }
            self.give_up_tids(0);
        }
        if draining.is_replaced && !self.stopped_reading {
            self.stopped_reading = true;
            for number in self.wire.sockets.stop_reading(self.poll.registry()) {
                unread.set(number, false);
            }
        }
    }

    /// Whether the listening sockets of a listener are this process's. A draining worker has closed them or, where
    /// transfers use them, shares them with the next process, which binds them to an interface that comes back.
    pub(super) fn listens(&self, listener: ListenerId) -> bool {
        !self.stopped_reading && (!self.stopped_listening || !self.wire.sockets.has_tids(listener))
    }

    /// Another process begins or ends to serve the same ports. The next one needs TID ports of the configured ranges.
    pub(super) fn set_succession(&mut self, succession: Succession) {
        self.wire.sockets.share_parked(succession.next.is_some());
        if succession.next.is_some() && self.succession.next.is_none() {
            self.give_up_tids(2);
        }
        self.succession = succession;
    }

    /// Closes idle TID ports of configured ranges, except for one in `keep` (0: all of them). They are not used again.
    fn give_up_tids(&mut self, keep: u16) {
        if !self.wire.sockets.has_ranges() {
            return;
        }
        let indices = self.table.indices().into_iter();
        let used: HashSet<SocketId> =
            indices.filter_map(|index| self.table.get_mut(index).map(|entry| entry.tid)).collect();
        self.wire.sockets.give_up_tids(self.poll.registry(), keep, &used);
    }

    /// The time until the next check whether all transfers have ended.
    pub(super) fn next_look(&self) -> Option<Duration> {
        let Draining { until, .. } = self.draining?;
        let left = until.saturating_duration_since(self.clock.instant());
        // After the deadline, a result of storing wakes the worker.
        Some(if left.is_zero() { CHECK_INTERVAL } else { left.min(CHECK_INTERVAL) })
    }

    /// Returns whether all transfers have ended. Ends those that are left at the deadline.
    pub(super) fn is_drained(&mut self, now: Time) -> bool {
        let Some(Draining { since, until, .. }) = self.draining else { return false };
        let past = self.clock.instant().checked_duration_since(until);
        let mut over = past.is_some();
        if let Some(past) = past {
            over = self.end_all(past >= COMMIT_GRACE);
        } else {
            self.end_half_open(since, now);
        }
        self.wire.flush();
        over || !self.has_running()
    }

    /// Ends all transfers because the server stops. A client without an answer, or that has not answered,
    /// gets no ERROR: it repeats its request, and the next server knows nothing of this one.
    ///
    /// An upload that is stored either is stopped, so that the old file stays, or becomes visible, and then its result is
    /// waited for, unless `at_last`. Returns whether none is waited for.
    pub(super) fn end_all(&mut self, at_last: bool) -> bool {
        let now = self.clock.now();
        let mut all_ended = true;
        for index in self.table.indices() {
            let Some(entry) = self.table.get_mut(index) else { continue };
            // The group thread ends it.
            if entry.joined {
                self.forget(index);
                continue;
            }
            // If only the last ACK is missing, the server has done its part: the client may have the whole file. The
            // same holds if the client had time to answer and did not.
            let silent = now.since(entry.core.heard()) >= HALF_OPEN_GRACE;
            let only_acks_missing = match entry.core.left_to_acknowledge() {
                Some(1) => true,
                Some(_) => silent,
                None => false,
            };
            if entry.core.is_confirmed() {
                entry.core.abandon();
                entry.rare().ending = Some(Outcome::Served.into());
                self.drive(index, None, now);
                continue;
            }
            let is_stopped =
                !entry.core.is_storing() || entry.rare().commit_point.as_ref().is_some_and(CommitPoint::stop);
            if !is_stopped && !at_last {
                all_ended = false;
                continue;
            }
            let (outcome, detail) = if only_acks_missing {
                let detail = "all blocks were sent; the last ACK had not come when the server stopped";
                (Outcome::TimedOut, detail)
            } else if !is_stopped {
                let detail =
                    "the server was shut down while the upload was stored; it may have become visible";
                (Outcome::Failed, detail)
            } else {
                (Outcome::Failed, "the server was shut down")
            };
            // It is unknown what to tell the client of an upload that may become visible.
            if entry.core.is_unproven() || !is_stopped {
                entry.core.abandon();
            } else {
                entry.core.fail(ErrorCode::NotDefined, "the server is shutting down");
            }
            entry.rare().ending = Some(Ending::new(outcome, detail));
            self.drive(index, None, now);
        }
        all_ended
    }

    /// Silently ends half-open transfers after their clients have had time to answer. If another process serves
    /// meanwhile, nobody waits for the end of this one, so they have as long as ever.
    fn end_half_open(&mut self, since: Time, now: Time) {
        if self.succession.next.is_some() {
            return;
        }
        for index in self.table.indices() {
            let Some(entry) = self.table.get_mut(index) else { continue };
            let granted = entry.ticket.is_some() && entry.core.is_unproven();
            if granted && now.since(entry.core.heard().max(since)) >= HALF_OPEN_GRACE {
                entry.core.abandon();
                let detail = "the client had not answered when the server stopped";
                entry.rare().ending = Some(Ending::new(Outcome::TimedOut, detail));
                self.drive(index, None, now);
            }
        }
    }

    /// Returns whether transfers are running, apart from those that stay only to repeat their last ACK.
    fn has_running(&mut self) -> bool {
        let indices = self.table.indices();
        self.pending > 0
            || indices
                .into_iter()
                .any(|index| self.table.get_mut(index).is_some_and(|entry| entry.ticket.is_some()))
    }
}
