//! The thread of a sink: takes lines, delivers them, and retries failed deliveries.

use std::io;
use std::time::{Duration, Instant};

use super::backlog::TakenLines;
use super::counters::add;
use super::output::{Failure, Output, Remedy};
use super::{DeliveryMode, PAUSE, Shared};

/// How long a closed sink tries to deliver its last lines.
const GRACE: Duration = Duration::from_millis(1500);
/// The longest pause that a receiver may request.
const LONGEST_REQUEST: Duration = Duration::from_secs(300);
/// The pause after the spool's disk has failed.
const DISK_PAUSE: Duration = Duration::from_secs(1);

/// Delivers lines until the sink is closed and empty, or must give up.
pub(super) fn run(shared: &Shared, mut output: Box<dyn Output>) {
    let delivery_lock = shared.backlog.lock_delivery();
    let mut delivery = Delivery { shared, logged: LoggedStates::default(), pause: PAUSE };
    loop {
        let taken = shared.backlog.take(&output.batch(), output.due(), &|| shared.mode());
        let continues = match taken {
            Ok(taken) if taken.lines.is_empty() => {
                delivery.report_damage(&taken);
                shared.mode() != DeliveryMode::Stop || taken.damaged > 0
            }
            Ok(taken) => {
                delivery.report_damage(&taken);
                shared.backlog.has_claim() && delivery.deliver(&mut *output, taken)
            }
            Err(error) => {
                delivery.disk_failed(&error);
                shared.backlog.pause(Instant::now() + DISK_PAUSE, &|| shared.mode());
                shared.mode() != DeliveryMode::Stop
            }
        };
        if !continues {
            break;
        }
        if output.due().is_some_and(|due| due <= Instant::now()) {
            delivery.maintain(&mut *output);
        }
    }
    delivery.maintain(&mut *output);
    drop(delivery_lock);
    delivery.report_rest();
}

struct Delivery<'a> {
    shared: &'a Shared,
    logged: LoggedStates,
    /// The pause before the next retry.
    pause: Duration,
}

/// Which states have been logged, so that each is logged once.
#[derive(Default)]
struct LoggedStates {
    broken: bool,
    refused: bool,
    damaged: bool,
    unsynced: bool,
}

impl Delivery<'_> {
    /// Delivers the lines; returns whether to continue.
    fn deliver(&mut self, output: &mut dyn Output, mut taken: TakenLines) -> bool {
        let shared = self.shared;
        let mut at = 0;
        while at < taken.lines.len() {
            if !shared.backlog.has_claim() {
                return false;
            }
            if shared.backlog.takes_over() {
                return true;
            }
            let failure = match output.deliver(&taken.lines[at..]) {
                Ok(()) => {
                    // Who waits until the lines are acknowledged finds the sink working.
                    self.report_recovery();
                    let lines = taken.lines.len() - at;
                    self.arrived(&mut taken, lines);
                    return true;
                }
                Err(failure) => failure,
            };
            at += failure.done;
            self.arrived(&mut taken, failure.done);
            match failure.remedy {
                Remedy::Drop(lines) => {
                    let lines = lines.min(taken.lines.len() - at);
                    at += lines;
                    self.refused(&mut taken, lines, &failure.error);
                }
                Remedy::Retry(after) => {
                    if !self.wait_to_retry(&failure, after, output.longest_pause()) {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn arrived(&mut self, taken: &mut TakenLines, lines: usize) {
        if lines > 0 {
            self.pause = PAUSE;
            add(&self.shared.counters.delivered, lines);
            self.acknowledge(taken, lines);
        }
    }

    fn refused(&mut self, taken: &mut TakenLines, lines: usize, error: &str) {
        let sink = &*self.shared.name;
        add(&self.shared.counters.dropped, lines);
        self.acknowledge(taken, lines);
        if !std::mem::replace(&mut self.logged.refused, true) {
            tracing::warn!(
                target: "tuffet::sinks::deliver",
                sink,
                lines,
                error,
                "the receiver of a sink refuses lines: they are dropped and counted; further refusals are \
                 not logged"
            );
        }
    }

    fn acknowledge(&mut self, taken: &mut TakenLines, lines: usize) {
        if let Err(error) = self.shared.backlog.acknowledge(taken, lines) {
            self.disk_failed(&error);
        }
    }

    /// Pauses after a failure; returns whether to continue.
    fn wait_to_retry(&mut self, failure: &Failure, after: Option<Duration>, longest: Duration) -> bool {
        let (shared, sink) = (self.shared, &*self.shared.name);
        if !std::mem::replace(&mut self.logged.broken, true) {
            shared.set_broken(true);
            tracing::warn!(
                target: "tuffet::sinks::deliver",
                sink,
                error = failure.error,
                "a sink is broken; its lines are queued, and plugins get an error when the queue is full"
            );
        }
        if shared.closed_for().is_some_and(|time| shared.backlog.is_persistent() || time >= GRACE) {
            return false;
        }
        add(&shared.counters.retried, 1);
        if shared.closed_for().is_some() {
            std::thread::sleep(PAUSE.min(longest) / 2);
            return true;
        }
        // Random, so that sinks of servers that failed together do not all retry at the same moment.
        let pause = self.pause.mul_f64(0.8 + 0.4 * fastrand::f64());
        let pause = rest(pause, after);
        self.pause = (self.pause * 2).min(longest);
        shared.backlog.pause(Instant::now() + pause, &|| shared.mode());
        true
    }

    fn report_recovery(&mut self) {
        let sink = &*self.shared.name;
        self.logged.refused = false;
        if std::mem::take(&mut self.logged.broken) {
            self.shared.set_broken(false);
            tracing::info!(target: "tuffet::sinks::deliver", sink, "the sink works again");
        }
    }

    fn maintain(&mut self, output: &mut dyn Output) {
        let sink = &*self.shared.name;
        match output.maintain() {
            Ok(()) => self.logged.unsynced = false,
            Err(error) if !std::mem::replace(&mut self.logged.unsynced, true) => {
                tracing::warn!(
                    target: "tuffet::sinks::deliver", sink, %error,
                    "lines of a sink were written but may not be on disk"
                );
            }
            Err(_) => {}
        }
    }

    fn report_damage(&mut self, taken: &TakenLines) {
        if taken.damaged == 0 {
            return;
        }
        let sink = &*self.shared.name;
        add(&self.shared.counters.dropped, taken.damaged);
        tracing::warn!(
            target: "tuffet::sinks::deliver", sink, lines = taken.damaged,
            "damaged lines in the spool of a sink were skipped"
        );
    }

    fn disk_failed(&mut self, error: &io::Error) {
        let sink = &*self.shared.name;
        if !std::mem::replace(&mut self.logged.damaged, true) {
            tracing::warn!(
                target: "tuffet::sinks::deliver", sink, %error,
                "the spool of a sink cannot be read or written; check its disk"
            );
        }
    }

    fn report_rest(&self) {
        let (shared, sink) = (self.shared, &*self.shared.name);
        let (lines, bytes) = shared.backlog.size();
        if lines == 0 || !shared.backlog.has_claim() {
            return;
        }
        if shared.backlog.is_persistent() {
            tracing::info!(
                target: "tuffet::sinks::deliver", sink, lines, bytes,
                "lines of a sink stay in its spool for the next start"
            );
        } else {
            shared.backlog.give_up();
            add(&shared.counters.dropped, usize::try_from(lines).unwrap_or(usize::MAX));
            tracing::warn!(
                target: "tuffet::sinks::deliver", sink, lines,
                "a sink was still broken at shutdown: lines are lost"
            );
        }
    }
}

/// The pause before the next try: our own, or the longer one that the receiver wants.
fn rest(pause: Duration, wanted: Option<Duration>) -> Duration {
    pause.max(wanted.unwrap_or_default().min(LONGEST_REQUEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_may_want_five_minutes_at_most() {
        let rest = |wanted| rest(Duration::from_secs(15), Some(Duration::from_secs(wanted))).as_secs();
        assert_eq!([rest(0), rest(16), rest(299), rest(3_600)], [15, 16, 299, 300]);
    }
}
