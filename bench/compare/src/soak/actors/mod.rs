//! The actors of a soak run, each in a separate thread.

mod clients;
mod hostile;
mod machine;
mod operator;
mod restarts;

use crate::soak::server::{Programs, Server, Site};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

/// The shared state of all actors.
pub(crate) struct Stage<'a> {
    pub(crate) site: &'a Site,
    pub(crate) server: &'a Server,
    pub(crate) programs: Programs,
    pub(crate) misbehave: PathBuf,
    pub(crate) rate: u32,
    pub(crate) over: AtomicBool,
    began: Instant,
    counted: Mutex<BTreeMap<&'static str, u64>>,
    wrong: Mutex<Vec<String>>,
    standstills: Mutex<Vec<String>>,
}

impl<'a> Stage<'a> {
    pub(crate) fn new(
        site: &'a Site,
        server: &'a Server,
        programs: Programs,
        misbehave: PathBuf,
        rate: u32,
    ) -> Stage<'a> {
        let (over, counted, wrong, standstills) = Default::default();
        Stage {
            site,
            server,
            programs,
            misbehave,
            rate,
            over,
            began: Instant::now(),
            counted,
            wrong,
            standstills,
        }
    }

    /// Counts events.
    fn count(&self, what: &'static str, many: u64) {
        *self.counted.lock().entry(what).or_default() += many;
    }

    /// Records a fault.
    pub(crate) fn wrong(&self, what: String) {
        let what = format!("{:.0} s: {what}", self.began.elapsed().as_secs_f64());
        eprintln!("wrong: {what}");
        self.wrong.lock().push(what);
    }

    /// Records a standstill of the machine.
    fn stood_still(&self, time: Duration) {
        let what = format!("{:.0} s, for {:.1} s", self.began.elapsed().as_secs_f64(), time.as_secs_f64());
        eprintln!("the machine stood still: {what}");
        self.standstills.lock().push(what);
    }

    pub(crate) fn standstills(&self) -> Vec<String> {
        self.standstills.lock().clone()
    }

    pub(crate) fn counted(&self) -> BTreeMap<&'static str, u64> {
        self.counted.lock().clone()
    }

    pub(crate) fn wrongs(&self) -> Vec<String> {
        self.wrong.lock().clone()
    }

    fn goes_on(&self) -> bool {
        !self.over.load(Relaxed)
    }

    /// Waits, but not beyond the end. Returns whether the run continues.
    fn wait(&self, time: Duration) -> bool {
        let end = Instant::now() + time;
        while self.goes_on() && Instant::now() < end {
            thread::sleep(Duration::from_millis(50).min(end.saturating_duration_since(Instant::now())));
        }
        self.goes_on()
    }
}

/// An actor.
type Actor = fn(&Stage<'_>);

const ALL: [(&str, Actor); 13] = [
    ("readers", clients::readers),
    ("lossy", clients::lossy),
    ("writers", clients::writers),
    ("killed", clients::killed),
    ("evil", hostile::evil_requests),
    ("noise", hostile::noise),
    ("half-open", hostile::half_open),
    ("reloads", operator::reloads),
    ("pauses", operator::pauses_and_descriptors),
    ("watchers", operator::watchers),
    ("clock", machine::clock_jumps),
    ("standstills", machine::standstills),
    ("restarts", restarts::restarts),
];

/// Starts all actors.
pub(crate) fn enter<'scope, 'env>(scope: &'scope Scope<'scope, 'env>, stage: &'scope Stage<'scope>) {
    for (name, actor) in ALL {
        let started = thread::Builder::new().name(name.into()).spawn_scoped(scope, move || actor(stage));
        if let Err(error) = started {
            stage.wrong(format!("the thread `{name}` cannot start: {error}"));
        }
    }
}
