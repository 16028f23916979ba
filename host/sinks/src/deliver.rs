//! The thread of a sink: takes lines, delivers them, and retries failed deliveries.

use std::io;
use std::time::{Duration, Instant};

use super::backlog::Load;
use super::counters::add;
use super::output::{Failure, Output, Then};
use super::{PAUSE, Pace, Shared};

/// How long a closed sink tries to deliver its last lines.
const GRACE: Duration = Duration::from_millis(1500);
/// The longest pause that a receiver may request.
const LONGEST_REQUEST: Duration = Duration::from_secs(300);
/// The pause after the spool's disk has failed.
const DISK_PAUSE: Duration = Duration::from_secs(1);

/// Delivers until the sink is closed and empty, or has given up.
pub(super) fn run(shared: &Shared, mut output: Box<dyn Output>) {
    let alone = shared.backlog.alone();
    let mut delivery = Delivery { shared, said: Said::default(), pause: PAUSE };
    loop {
        let taken = shared.backlog.take(&output.batch(), output.due(), &|| shared.pace());
        let went_on = match taken {
            Ok(load) if load.lines.is_empty() => {
                delivery.lost_on_disk(&load);
                shared.pace() != Pace::Stop || load.damaged > 0
            }
            Ok(load) => {
                delivery.lost_on_disk(&load);
                shared.backlog.is_mine() && delivery.deliver(&mut *output, load)
            }
            Err(error) => {
                delivery.disk_failed(&error);
                shared.backlog.pause(Instant::now() + DISK_PAUSE, &|| shared.pace());
                shared.pace() != Pace::Stop
            }
        };
        if !went_on {
            break;
        }
        if output.due().is_some_and(|due| due <= Instant::now()) {
            delivery.tend(&mut *output);
        }
    }
    delivery.tend(&mut *output);
    drop(alone);
    delivery.say_what_is_left();
}

struct Delivery<'a> {
    shared: &'a Shared,
    said: Said,
    /// Before the next try.
    pause: Duration,
}

/// The logged states, so that each is logged once.
#[derive(Default)]
struct Said {
    broken: bool,
    refused: bool,
    damaged: bool,
    unsynced: bool,
}

impl Delivery<'_> {
    /// Delivers these lines; returns whether to continue.
    fn deliver(&mut self, output: &mut dyn Output, mut load: Load) -> bool {
        let shared = self.shared;
        let mut at = 0;
        while at < load.lines.len() {
            if !shared.backlog.is_mine() {
                return false;
            }
            let failure = match output.deliver(&load.lines[at..]) {
                Ok(()) => {
                    let lines = load.lines.len() - at;
                    self.arrived(&mut load, lines);
                    self.works();
                    return true;
                }
                Err(failure) => failure,
            };
            at += failure.done;
            self.arrived(&mut load, failure.done);
            match failure.then {
                Then::Drop(lines) => {
                    let lines = lines.min(load.lines.len() - at);
                    at += lines;
                    self.refused(&mut load, lines, &failure.error);
                }
                Then::Again(after) => {
                    if !self.fails(&failure, after, output.longest_pause()) {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn arrived(&mut self, load: &mut Load, lines: usize) {
        if lines > 0 {
            self.pause = PAUSE;
            add(&self.shared.counters.delivered, lines);
            self.acknowledge(load, lines);
        }
    }

    fn refused(&mut self, load: &mut Load, lines: usize, error: &str) {
        let sink = &*self.shared.name;
        add(&self.shared.counters.dropped, lines);
        self.acknowledge(load, lines);
        if !std::mem::replace(&mut self.said.refused, true) {
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

    fn acknowledge(&mut self, load: &mut Load, lines: usize) {
        if let Err(error) = self.shared.backlog.acknowledge(load, lines) {
            self.disk_failed(&error);
        }
    }

    /// Pauses after a failure; returns whether to continue.
    fn fails(&mut self, failure: &Failure, after: Option<Duration>, longest: Duration) -> bool {
        let (shared, sink) = (self.shared, &*self.shared.name);
        if !std::mem::replace(&mut self.said.broken, true) {
            shared.set_broken(true);
            tracing::warn!(
                target: "tuffet::sinks::deliver",
                sink,
                error = failure.error,
                "a sink is broken; its lines are queued, and plugins get an error when the queue is full"
            );
        }
        if shared.closed_for().is_some_and(|time| shared.backlog.is_kept() || time >= GRACE) {
            return false;
        }
        add(&shared.counters.retried, 1);
        if shared.closed_for().is_some() {
            std::thread::sleep(PAUSE.min(longest) / 2);
            return true;
        }
        // Random, so that sinks of servers that failed together do not all retry at the same moment.
        let pause = self.pause.mul_f64(0.8 + 0.4 * fastrand::f64());
        let pause = pause.max(after.unwrap_or_default().min(LONGEST_REQUEST));
        self.pause = (self.pause * 2).min(longest);
        shared.backlog.pause(Instant::now() + pause, &|| shared.pace());
        true
    }

    fn works(&mut self) {
        let sink = &*self.shared.name;
        self.said.refused = false;
        if std::mem::take(&mut self.said.broken) {
            self.shared.set_broken(false);
            tracing::info!(target: "tuffet::sinks::deliver", sink, "the sink works again");
        }
    }

    fn tend(&mut self, output: &mut dyn Output) {
        let sink = &*self.shared.name;
        match output.tend() {
            Ok(()) => self.said.unsynced = false,
            Err(error) if !std::mem::replace(&mut self.said.unsynced, true) => {
                tracing::warn!(
                    target: "tuffet::sinks::deliver", sink, %error,
                    "lines of a sink were written but may not be on disk"
                );
            }
            Err(_) => {}
        }
    }

    fn lost_on_disk(&mut self, load: &Load) {
        if load.damaged == 0 {
            return;
        }
        let sink = &*self.shared.name;
        add(&self.shared.counters.dropped, load.damaged);
        tracing::warn!(
            target: "tuffet::sinks::deliver", sink, lines = load.damaged,
            "damaged lines in the spool of a sink were skipped"
        );
    }

    fn disk_failed(&mut self, error: &io::Error) {
        let sink = &*self.shared.name;
        if !std::mem::replace(&mut self.said.damaged, true) {
            tracing::warn!(
                target: "tuffet::sinks::deliver", sink, %error,
                "the spool of a sink cannot be read or written; check its disk"
            );
        }
    }

    fn say_what_is_left(&self) {
        let (shared, sink) = (self.shared, &*self.shared.name);
        let (lines, bytes) = shared.backlog.size();
        if lines == 0 || !shared.backlog.is_mine() {
            return;
        }
        if shared.backlog.is_kept() {
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
