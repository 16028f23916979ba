//! Limits log lines by and about plugins, because clients decide how often a plugin is called.

use parking_lot::Mutex;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use tokio::time::{Instant, sleep};
use tracing::Level;

/// Lines per second on average, and in a burst after a pause.
const PER_SECOND: u32 = 100;
const BURST: u32 = 500;

const INTERVAL: Duration = Duration::from_nanos(1_000_000_000 / PER_SECOND as u64);

/// The interval between reports of suppressed lines.
const REPORT_INTERVAL: Duration = Duration::from_secs(10);

/// Limits the lines of one kind, and counts suppressed ones.
#[derive(Debug)]
pub struct LineRate {
    plugin: Arc<str>,
    /// The kind of lines, for the report.
    kind: LineKind,
    requests: RequestLines,
    state: Mutex<State>,
}

/// Whether the log line of a request that ended badly is a warning or an error with the reason. Then a warning about the
/// plugin that failed would say the same. Not set in programs, which log requests as they like.
#[derive(Debug, Clone, Default)]
struct RequestLines(Arc<OnceLock<fn() -> bool>>);

/// The kinds of lines, with separate rates: a chatty plugin does not hide its failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineKind {
    /// Lines that the plugin logs.
    Plugin,
    /// Lines that the server logs about its calls.
    Calls { noun: &'static str },
}

#[derive(Debug, Default)]
struct State {
    /// When the full burst is available again (GCRA).
    full_again: Option<Instant>,
    suppressed: u64,
    /// Whether a report is scheduled.
    scheduled: bool,
}

impl LineRate {
    /// A limit for the lines that a plugin logs.
    pub fn of_plugin(plugin: &Arc<str>) -> LineRate {
        LineRate::new(plugin, LineKind::Plugin)
    }

    /// A limit for the lines that the server logs about the calls of a plugin or a hook, as `noun` says.
    pub fn calls(noun: &'static str, name: &Arc<str>) -> LineRate {
        LineRate::new(name, LineKind::Calls { noun })
    }

    fn new(plugin: &Arc<str>, kind: LineKind) -> LineRate {
        let requests = RequestLines::default();
        LineRate { plugin: Arc::clone(plugin), kind, requests, state: Mutex::default() }
    }

    /// Returns the level of a line about a failed call, and counts the line; `None` if it is left out. `ends_request`:
    /// whether the failure decides how the request ends.
    pub fn level_of_failure(self: &Arc<LineRate>, ends_request: bool) -> Option<Level> {
        let is_told = ends_request && self.requests.0.get().is_some_and(|have_reasons| have_reasons());
        let level = if is_told { Level::DEBUG } else { Level::WARN };
        // A line below the log level does not count.
        let is_wanted = !is_told || tracing::enabled!(target: "tuffet::policy", Level::DEBUG);
        (is_wanted && self.take()).then_some(level)
    }

    /// Returns whether a line may be written; otherwise counts it as suppressed.
    pub fn take(self: &Arc<LineRate>) -> bool {
        let taken = self.state.lock().take(Instant::now());
        if !taken {
            self.leave_out(1);
        }
        taken
    }

    /// Counts suppressed lines. One report within ten seconds covers them all.
    pub fn leave_out(self: &Arc<LineRate>, lines: u64) {
        let mut state = self.state.lock();
        state.suppressed += lines;
        if state.scheduled {
            return;
        }
        // Without a runtime, they are reported when the policy is dropped.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            state.scheduled = true;
            let its = Arc::downgrade(self);
            runtime.spawn(async move {
                sleep(REPORT_INTERVAL).await;
                if let Some(rate) = its.upgrade() {
                    rate.report();
                }
            });
        }
    }

    fn report(&self) {
        let mut state = self.state.lock();
        let lines = std::mem::take(&mut state.suppressed);
        state.scheduled = false;
        drop(state);
        if lines == 0 {
            return;
        }
        let plugin = &self.plugin;
        match self.kind {
            LineKind::Plugin => tracing::warn!(
                target: "tuffet::plugin", %plugin, lines,
                "log lines of a plugin were suppressed: the limit is {PER_SECOND} a second"
            ),
            LineKind::Calls { noun } => tracing::warn!(
                target: "tuffet::policy", %plugin, lines,
                "log lines about a {noun} were suppressed: the limit is {PER_SECOND} a second"
            ),
        }
    }
}

/// All rates of a runtime, to report them at shutdown: a running call may still hold those of its plugin.
#[derive(Debug, Default)]
pub struct LineRates {
    all: Mutex<Vec<Weak<LineRate>>>,
    requests: RequestLines,
}

impl LineRates {
    /// Adds a rate, and returns it.
    pub fn with(&self, mut rate: LineRate) -> Arc<LineRate> {
        rate.requests = self.requests.clone();
        let rate = Arc::new(rate);
        let mut all = self.all.lock();
        all.retain(|rate| rate.strong_count() > 0);
        all.push(Arc::downgrade(&rate));
        rate
    }

    /// Sets the function that says whether the lines of requests have the reasons of bad ends, at the level WARN or ERROR.
    /// Only the first one counts.
    pub fn requests_have_reasons(&self, have: fn() -> bool) {
        let _ = self.requests.0.set(have);
    }

    /// Reports suppressed lines so far.
    pub fn report(&self) {
        let all = self.all.lock().clone();
        all.iter().filter_map(Weak::upgrade).for_each(|rate| rate.report());
    }
}

impl Drop for LineRate {
    fn drop(&mut self) {
        self.report();
    }
}

impl State {
    fn take(&mut self, now: Instant) -> bool {
        let full_again = self.full_again.map_or(now, |full_again| full_again.max(now)) + INTERVAL;
        let fits = full_again - now <= INTERVAL * BURST;
        if fits {
            self.full_again = Some(full_again);
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_then_the_rate() {
        let (mut state, begun) = (State::default(), Instant::now());
        let mut taken = |after: Duration| (0..10_000).filter(|_| state.take(begun + after)).count() as u32;
        assert_eq!(taken(Duration::ZERO), BURST);
        assert_eq!(taken(Duration::from_secs(1)), PER_SECOND);
        assert_eq!(taken(Duration::from_secs(3)), 2 * PER_SECOND);
        assert_eq!(taken(Duration::from_secs(3600)), BURST);
    }
}
