//! Counters of plugins.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::failure::Cause;
use super::load_problem::LoadProblem;
use super::series::SeriesTable;
use tuffet_request::{Distribution, Histogram};

/// The counters of one plugin, from the start of the server; a reload continues them.
#[derive(Debug, Default)]
pub struct Counters {
    fetch: AtomicU64,
    load: AtomicU64,
    calls: AtomicU64,
    failures: [AtomicU64; Cause::ALL.len()],
    opened: AtomicU64,
    monitored: AtomicU64,
    differing: AtomicU64,
    hits: AtomicU64,
    misses: AtomicU64,
    lost: AtomicU64,
    keys: AtomicU64,
    key_bytes: AtomicU64,
    durations: [Histogram; HOOKS.len()],
    series: Arc<SeriesTable>,
}

/// The hooks, in the order of their durations.
const HOOKS: [&str; 5] = ["authorize", "resolve", "render", "accept-upload", "observe"];

/// The counters at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginCounts {
    /// The plugin's name.
    pub plugin: Arc<str>,
    /// Failures to read its component.
    pub fetch: u64,
    /// Other failures to load it.
    pub load: u64,
    /// Attempted calls of its hooks, including those that the breaker prevented.
    pub calls: u64,
    /// Failed calls, by cause.
    pub failures: Vec<(&'static str, u64)>,
    /// How often its breaker opened.
    pub opened: u64,
    /// Answers in the mode `monitor`.
    pub monitored: u64,
    /// Those of them that differ from what happened.
    pub differing: u64,
    /// Answers of the decision cache.
    pub hits: u64,
    /// Misses of the decision cache.
    pub misses: u64,
    /// Events lost because all calls with them failed.
    pub lost: u64,
    /// The stored keys of its own, when they were last counted.
    pub keys: u64,
    /// The bytes of these keys and their values.
    pub key_bytes: u64,
    /// The durations of its calls, by hook, without those that the breaker prevented.
    pub durations: Vec<(&'static str, Distribution)>,
}

impl Counters {
    /// Counts a plugin that could not be loaded.
    pub fn unloadable(&self, problem: &LoadProblem) {
        let count = if problem.failure() == "fetch" { &self.fetch } else { &self.load };
        count.fetch_add(1, Relaxed);
    }

    pub(super) fn call(&self) {
        self.calls.fetch_add(1, Relaxed);
    }

    /// Counts the duration of a finished call.
    pub(super) fn took(&self, hook: &'static str, time: Duration) {
        if let Some(place) = HOOKS.iter().position(|name| *name == hook) {
            self.durations[place].observe(time);
        }
    }

    pub(super) fn failure(&self, cause: Cause) {
        self.failures[cause as usize].fetch_add(1, Relaxed);
    }

    pub(super) fn open(&self) {
        self.opened.fetch_add(1, Relaxed);
    }

    /// Counts an answer in the mode `monitor`.
    pub(super) fn monitor(&self, differs: bool) {
        self.differing.fetch_add(differs.into(), Relaxed);
        self.monitored.fetch_add(1, Relaxed);
    }

    pub(super) fn hit(&self) {
        self.hits.fetch_add(1, Relaxed);
    }

    pub(super) fn miss(&self) {
        self.misses.fetch_add(1, Relaxed);
    }

    pub(super) fn lose(&self, events: usize) {
        self.lost.fetch_add(events as u64, Relaxed);
    }

    /// Sets the size of its stored keys.
    pub fn stores(&self, keys: u64, bytes: u64) {
        self.keys.store(keys, Relaxed);
        self.key_bytes.store(bytes, Relaxed);
    }

    /// Returns the metrics that the plugin defines.
    pub fn series(&self) -> Arc<SeriesTable> {
        Arc::clone(&self.series)
    }

    /// Returns the counters at this moment.
    pub fn read(&self, plugin: Arc<str>) -> PluginCounts {
        let failures = Cause::ALL.iter().zip(&self.failures);
        PluginCounts {
            plugin,
            fetch: self.fetch.load(Relaxed),
            load: self.load.load(Relaxed),
            calls: self.calls.load(Relaxed),
            failures: failures.map(|(cause, count)| (cause.as_str(), count.load(Relaxed))).collect(),
            opened: self.opened.load(Relaxed),
            monitored: self.monitored.load(Relaxed),
            differing: self.differing.load(Relaxed),
            hits: self.hits.load(Relaxed),
            misses: self.misses.load(Relaxed),
            lost: self.lost.load(Relaxed),
            keys: self.keys.load(Relaxed),
            key_bytes: self.key_bytes.load(Relaxed),
            durations: HOOKS.into_iter().zip(self.durations.iter().map(Histogram::read)).collect(),
        }
    }
}
