//! The state of the server for all views: counters, active transfers, the last finished ones, the last ten minutes.
//!
//! Workers only update the progress of their transfers. All else is counted where requests are decided and logged, once
//! per request; a [`Snapshot`] is assembled on demand.

mod active;
mod asked;
mod counts;
mod exports;
mod labels;
mod named;
mod options;
mod query;
mod readiness;
mod recent;
mod seconds;
mod shared_rates;
mod slow;
mod snapshot;
mod started;
#[cfg(test)]
mod tests;

pub use exports::ExportCounts;
pub use named::NamedCounts;
pub use query::{MAX_FILTER, RowQuery, Sort, SortKey, keep_ends};
pub(crate) use slow::{Slow, lost_block_size};
pub use snapshot::{
    Active, ByOperation, Dropped, Ended, Fact, FileCacheTotals, Finished, FleetServer, Labelled, PluginCall,
    PluginTotals, ProfileTotals, Queues, RequestInfo, Sample, SinkQueue, Snapshot, Totals, Word, unix_ms,
};

use crate::generation::CurrentGeneration;
use crate::status::{Activity, BoundListener, DroppedAtLimit, OutcomeCount, PluginCalls, Report, Status};
use active::ActiveTransfers;
use asked::LastAsked;
use counts::Counts;
use parking_lot::RwLock;
use readiness::Phase;
use recent::Recent;
use seconds::Seconds;
use shared_rates::SharedRates;
use snapshot::RootSnapshot;
use started::StartedLog;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};
use tokio::sync::Notify;
use tuffet_engine::limits::{RefusedClient, limit_names};
use tuffet_engine::worker::{GroupCounts, PublishedCounters};
use tuffet_policy::{PluginRecords, PluginSeries, PluginState};
use tuffet_request::Protocol;
use tuffet_request::events::{CompactRecord, Outcome, Summary};

/// The most active transfers in a snapshot.
pub const ROWS: usize = 200;

const MINUTE_MS: u64 = 60_000;

/// A start or an end of a transfer, for views of many servers.
pub enum Published {
    /// A transfer was granted.
    Started(Arc<CompactRecord>),
    /// A request has ended.
    Finished(Arc<Summary>),
}

/// Takes an event; it must not wait.
type Publish = Box<dyn Fn(Published) + Send + Sync>;

/// The state of the server. Cheap to clone; clones share it.
#[derive(Clone)]
pub struct Watch(Arc<WatchState>);

struct WatchState {
    counts: Counts,
    /// What processes that this one has replaced counted since then.
    before: OnceLock<Counts>,
    running: ActiveTransfers,
    asked: LastAsked,
    started_log: StartedLog,
    recent: Recent,
    seconds: Seconds,
    shared_rates: SharedRates,
    started: SystemTime,
    records: PluginRecords,
    generation: CurrentGeneration,
    status: Status,
    /// The datagrams dropped by each worker, and the requests of other protocols that were.
    workers: Vec<Arc<PublishedCounters>>,
    /// The counters of multicast groups.
    groups: Arc<GroupCounts>,
    /// The counters of the exports, by signal.
    exported: OnceLock<Vec<(&'static str, Arc<ExportCounts>)>>,
    /// Reads the number of dropped log lines.
    dropped_lines: OnceLock<fn() -> u64>,
    host: String,
    /// The bound listeners.
    listeners: RwLock<Vec<BoundListener>>,
    /// Publishes starts and ends of transfers for views of many servers, with the counters of that.
    published: OnceLock<(Publish, Arc<ExportCounts>)>,
    phase: Phase,
    /// Notified after each sample.
    sampled: Notify,
}

impl Watch {
    /// Creates the state of a server with this many workers.
    pub fn new(
        records: PluginRecords,
        generation: CurrentGeneration,
        status: Status,
        workers: usize,
    ) -> Watch {
        Watch(Arc::new(WatchState {
            counts: Counts::default(),
            before: OnceLock::new(),
            running: ActiveTransfers::default(),
            asked: LastAsked::default(),
            started_log: StartedLog::default(),
            recent: Recent::default(),
            seconds: Seconds::default(),
            shared_rates: SharedRates::default(),
            started: SystemTime::now(),
            records,
            generation,
            status,
            workers: (0..=workers).map(|_| Arc::default()).collect(),
            groups: Arc::default(),
            exported: OnceLock::new(),
            dropped_lines: OnceLock::new(),
            host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
            listeners: RwLock::default(),
            published: OnceLock::new(),
            phase: Phase::default(),
            sampled: Notify::new(),
        }))
    }

    /// Returns the counters of a worker's dropped datagrams.
    pub fn worker(&self, number: usize) -> Arc<PublishedCounters> {
        self.0.workers.get(number).cloned().unwrap_or_default()
    }

    /// Returns the counters of dropped requests of other protocols.
    pub(crate) fn other_requests(&self) -> Arc<PublishedCounters> {
        self.0.workers.last().cloned().unwrap_or_default()
    }

    /// Returns the counters of multicast groups.
    pub fn groups(&self) -> Arc<GroupCounts> {
        Arc::clone(&self.0.groups)
    }

    /// Counts requests that were admitted.
    pub fn admitted(&self, requests: u64) {
        self.0.counts.admitted.fetch_add(requests, Relaxed);
    }

    /// Counts a request that was decided, `after` its arrival.
    pub fn decided(&self, after: Duration) {
        self.0.counts.decided(after);
    }

    /// Adds a transfer. Call it before posting the grant to its worker.
    pub fn granted(&self, record: Arc<CompactRecord>) {
        if let Some((publish, _)) = self.0.published.get() {
            publish(Published::Started(Arc::clone(&record)));
        }
        self.0.asked.note(&record);
        self.0.started_log.note(&record);
        self.0.running.begin(record);
    }

    /// Sets whether transfers have a line when they begin (`log.started`).
    pub fn log_started(&self, is_on: bool) {
        self.0.started_log.set(is_on);
    }

    /// Counts an ended request and removes its transfer.
    pub fn ended(&self, summary: &Arc<Summary>) {
        self.0.counts.ended(summary);
        if let Some((publish, _)) = self.0.published.get() {
            publish(Published::Finished(Arc::clone(summary)));
        }
        self.0.recent.keep(summary);
        // Last, because this counts the rest of the transfer's progress.
        self.0.running.end(summary, &self.0.counts);
    }

    /// Records the length of the queue of summaries.
    pub(crate) fn summaries_wait(&self, summaries: usize) {
        self.0.counts.summaries.store(summaries as u64, Relaxed);
    }

    /// Counts progress samples that busy observers missed.
    pub fn progress_left_out(&self, samples: u64) {
        self.0.counts.progress_left_out.fetch_add(samples, Relaxed);
    }

    /// Records the length of the queue of events.
    pub(crate) fn events_wait(&self, events: usize) {
        self.0.counts.events.store(events as u64, Relaxed);
    }

    /// Returns whether the client of this transfer, which it never answered, waits for the same file again.
    pub(crate) fn waits_again(&self, summary: &Summary) -> bool {
        self.0.asked.waits_again(summary)
    }

    /// Takes the sample of a second, `elapsed` after the previous one. Returns the transfers that have become slow.
    pub(crate) fn sample(&self, elapsed: Duration) -> Slow {
        let state = &*self.0;
        let slow = state.running.sample(elapsed, &state.counts);
        state.started_log.next_second();
        state.shared_rates.sample(&state.generation.get(), elapsed);
        let (active, pending) = (state.running.count(), self.pending());
        state.of_server(|counts| state.seconds.add(counts, elapsed, active, pending));
        state.sampled.notify_waiters();
        slow
    }

    /// Waits for the next sample.
    pub async fn next_second(&self) {
        self.0.sampled.notified().await;
    }

    /// Logs the totals at the end: the admitted requests, and the ended ones by outcome. The two must agree.
    pub fn log_totals(&self) {
        let counts = &self.0.counts;
        let of = |outcome: Outcome| counts.ended_as(outcome);
        tracing::info!(
            target: "tuffet::watch",
            admitted = counts.admitted.load(Relaxed),
            served = of(Outcome::Served),
            stored = of(Outcome::Stored),
            probed = of(Outcome::Probed),
            aborted = of(Outcome::Aborted),
            denied = of(Outcome::Denied),
            not_found = of(Outcome::NotFound),
            timed_out = of(Outcome::TimedOut),
            unanswered = counts.unanswered.load(Relaxed),
            failed = of(Outcome::Failed),
            "totals"
        );
    }

    /// Returns the current state, with the samples that ended after `since`, in milliseconds since 1970.
    pub fn snapshot(&self, since: u64) -> Snapshot {
        self.snapshot_of(since, &RowQuery::default())
    }

    /// Returns the current state, with the rows that `query` asks for.
    pub fn snapshot_of(&self, since: u64, query: &RowQuery) -> Snapshot {
        let report = self.0.status.parts();
        let totals = self.totals();
        let state = self.state_of(&report, &totals.plugins);
        let (active, matching) = self.0.running.rows(query, ROWS);
        let mut finished = self.0.recent.rows();
        finished.retain(|row| query.matches_finished(row));
        Snapshot {
            unix_ms: unix_ms(SystemTime::now()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started_unix_ms: unix_ms(self.0.started),
            generation: report.generation,
            revision: report.revision.shown(),
            host: self.0.host.clone(),
            listeners: self.0.listeners.read().clone(),
            roots: report
                .roots
                .iter()
                .map(|root| RootSnapshot { root: root.root.clone(), hung: root.hung })
                .collect(),
            origins: report.origins,
            state,
            totals,
            active,
            matching,
            filter: query.filter().to_owned(),
            active_blocks: self.0.running.blocks(),
            finished,
            samples: self.0.seconds.after(since),
            servers: Vec::new(),
        }
    }

    /// Adds the names and addresses of bound listeners; of other protocols, the URLs. Called at the start.
    pub fn listening(&self, all: impl Iterator<Item = (String, String)>) {
        let named = |(listener, address)| BoundListener { listener, address };
        self.0.listeners.write().extend(all.map(named));
    }

    /// Returns whether more than one listener is bound.
    pub fn has_several_listeners(&self) -> bool {
        self.0.listeners.read().len() > 1
    }

    /// Passes starts and ends of transfers to `publish`, which must not wait.
    pub fn publish_to(&self, counts: Arc<ExportCounts>, publish: impl Fn(Published) + Send + Sync + 'static) {
        // Set once, at the start.
        let _ = self.0.published.set((Box::new(publish), counts));
    }

    /// Returns the counters of the published events, if there are any.
    pub fn published(&self) -> Option<&ExportCounts> {
        self.0.published.get().map(|(_, counts)| &**counts)
    }

    /// Returns the name of the host.
    pub fn host(&self) -> &str {
        &self.0.host
    }

    /// Adds the counters of the exporters to the metrics.
    pub fn exports(&self, counts: Vec<(&'static str, Arc<ExportCounts>)>) {
        // Set once, at the start of the exporters.
        let _ = self.0.exported.set(counts);
    }

    /// Sets the function that reads the number of dropped log lines.
    pub fn reads_dropped_lines(&self, read: fn() -> u64) {
        // Set once, at the start.
        let _ = self.0.dropped_lines.set(read);
    }

    /// Returns the number of log lines dropped because standard error was blocked.
    pub fn dropped_lines(&self) -> u64 {
        self.0.dropped_lines.get().map_or(0, |read| read())
    }

    /// Returns the counters of the exports, by signal.
    pub fn exported(&self) -> &[(&'static str, Arc<ExportCounts>)] {
        self.0.exported.get().map_or(&[], Vec::as_slice)
    }

    /// Returns the counters and gauges defined by plugins.
    pub fn series(&self) -> Vec<PluginSeries> {
        self.0.records.series()
    }

    /// Returns the state of the server, what it does, and the states of its parts.
    pub fn report(&self) -> Report {
        let parts = self.0.status.parts();
        let plugins = self.plugins();
        let state = self.state_of(&parts, &plugins);
        Report { state, activity: self.activity(&plugins), ..parts }
    }

    fn activity(&self, plugins: &[PluginTotals]) -> Activity {
        let now = unix_ms(SystemTime::now());
        let mut ended = [0; Outcome::ALL.len()];
        for sample in self.0.seconds.after(now.saturating_sub(MINUTE_MS)) {
            ended.iter_mut().zip(sample.ended).for_each(|(sum, more)| *sum += more);
        }
        let counts = Outcome::ALL.into_iter().zip(ended).filter(|(_, count)| *count > 0);
        let (dropped, busiest) = (self.dropped(), self.refused_clients());
        let at_limit = limit_names().filter_map(|(name, limit)| {
            let requests = dropped.iter().find(|its| its.reason == name).map(|its| its.count)?;
            // The busiest client comes first.
            let client = busiest.iter().find(|(key, _)| *key == limit).map(|(_, its)| its);
            (requests > 0).then(|| DroppedAtLimit {
                limit: limit.to_owned(),
                requests,
                client: client.map(|its| its.client.to_string()),
                of_client: client.map(|its| its.requests),
            })
        });
        Activity {
            listeners: self.0.listeners.read().clone(),
            running: self.0.running.count(),
            half_open: self.0.workers.iter().map(|worker| worker.half_open()).sum(),
            pending: self.pending(),
            last_minute: counts.map(|(outcome, count)| OutcomeCount { outcome, count }).collect(),
            dropped: at_limit.collect(),
            plugin_calls: plugins.iter().map(calls_of).collect(),
        }
    }

    /// Returns the folder of a root, or of the first root.
    pub fn folder(&self, root: Option<&str>) -> Option<PathBuf> {
        self.0.status.folder(root)
    }

    /// Returns when the process began, in seconds since 1970.
    pub fn started_unix(&self) -> u64 {
        unix_ms(self.0.started) / 1000
    }

    /// Returns the counters that pass to a process that replaces this one.
    pub fn counts(&self) -> NamedCounts {
        self.0.of_server(Counts::read)
    }

    /// Adds what a process that this one has replaced has counted since then. Views and `/metrics` show it as if this process
    /// had counted it.
    pub fn add_counts(&self, more: &NamedCounts) {
        self.0.before.get_or_init(Counts::default).add(more);
    }

    /// Returns all counters, histograms and gauges, with what processes before this one have counted since it replaced them.
    pub fn totals(&self) -> Totals {
        self.0.of_server(|counts| self.totals_of(counts))
    }

    /// Returns all counters, histograms and gauges of this process alone.
    pub fn totals_of_process(&self) -> Totals {
        self.totals_of(&self.0.counts)
    }

    fn totals_of(&self, counts: &Counts) -> Totals {
        let own = &self.0.counts;
        let read = |counter: &AtomicU64| counter.load(Relaxed);
        let ended = Protocol::ALL.into_iter().zip(&counts.ended).flat_map(|(protocol, of_protocol)| {
            let of_operations = ["read", "write"].into_iter().zip(of_protocol);
            of_operations.flat_map(move |(operation, of_one)| {
                Outcome::ALL.into_iter().zip(of_one).map(move |(outcome, count)| Ended {
                    protocol,
                    operation: operation.into(),
                    outcome,
                    count: count.load(Relaxed),
                })
            })
        });
        Totals {
            admitted: read(&counts.admitted),
            active: self.0.running.count(),
            with_rate: self.0.running.with_rate(),
            ended: ended.collect(),
            labels: counts.labels.read(),
            bytes: ByOperation { read: read(&counts.bytes[0]), write: read(&counts.bytes[1]) },
            blocks: ByOperation { read: read(&counts.blocks[0]), write: read(&counts.blocks[1]) },
            retransmissions: read(&counts.retransmissions),
            duplicates: read(&counts.duplicates),
            timeouts: read(&counts.timeouts),
            needless_timeouts: read(&counts.needless_timeouts),
            duration: ByOperation { read: counts.duration[0].read(), write: counts.duration[1].read() },
            rtt: counts.rtt.read(),
            first_block: counts.first_block.read(),
            decision: counts.decision.read(),
            queues: Queues {
                decisions: self.pending(),
                summaries: read(&own.summaries),
                events: read(&own.events),
                progress_left_out: read(&counts.progress_left_out),
                sinks: self.sinks(),
            },
            file_cache: self.file_cache(),
            plugins: self.plugins(),
            profiles: self.0.shared_rates.read(&self.0.generation.get()),
            dropped: self.dropped(),
            unanswered: read(&counts.unanswered),
            half_open: self.0.workers.iter().map(|worker| worker.half_open()).sum(),
            gave_way: self.0.workers.iter().map(|worker| worker.gave_way()).sum(),
        }
    }

    fn pending(&self) -> u64 {
        let decided = self.0.counts.decided.load(Relaxed);
        self.0.counts.admitted.load(Relaxed).saturating_sub(decided)
    }

    fn sinks(&self) -> Vec<SinkQueue> {
        let counted = self.0.status.sinks().into_iter();
        counted
            .map(|counted| SinkQueue { sink: counted.sink, lines: counted.waiting, broken: counted.broken })
            .collect()
    }

    fn file_cache(&self) -> FileCacheTotals {
        let usage = self.0.generation.get().files.cache.usage();
        FileCacheTotals {
            hits: usage.hits,
            misses: usage.misses,
            bytes: usage.bytes,
            capacity: usage.capacity,
        }
    }

    fn plugins(&self) -> Vec<PluginTotals> {
        let policy = Arc::clone(&self.0.generation.get().policy);
        let mut now: HashMap<Arc<str>, PluginState> = policy.plugin_states().collect();
        let counted = self.0.records.counted().into_iter().map(|counted| {
            let now = now.remove(&counted.plugin);
            let loaded = now.is_some();
            let now = now.unwrap_or_default();
            let identity = policy.plugins().iter().find(|identity| *identity.plugin == *counted.plugin);
            let identity = identity.cloned().unwrap_or_default();
            PluginTotals {
                plugin: counted.plugin.to_string(),
                loaded,
                component: identity.component,
                verified: identity.verified,
                version: identity.version,
                sha256: identity.sha256,
                breaker_open: now.breaker_open,
                running: now.running,
                waiting: now.waiting,
                calls: counted.calls,
                failures: counted.failures.into_iter().map(|(cause, count)| (cause.into(), count)).collect(),
                opened: counted.opened,
                monitored: counted.monitored,
                differing: counted.differing,
                cache_hits: counted.hits,
                cache_misses: counted.misses,
                events_lost: counted.lost,
                keys: counted.keys,
                key_bytes: counted.key_bytes,
                durations: counted.durations.into_iter().map(|(hook, times)| (hook.into(), times)).collect(),
            }
        });
        let mut all: Vec<PluginTotals> = counted.collect();
        all.sort_unstable_by(|a, b| a.plugin.cmp(&b.plugin));
        all
    }

    /// Returns the clients whose requests were dropped at a limit in the last minute: with the key of the limit, the
    /// client of most requests first.
    pub fn refused_clients(&self) -> Vec<(&'static str, RefusedClient)> {
        let mut sums: HashMap<(&'static str, IpAddr), RefusedClient> = HashMap::new();
        for (limit, its) in self.0.workers.iter().flat_map(|worker| worker.refused_clients()) {
            let sum = sums.entry((limit, its.client)).or_insert(RefusedClient { requests: 0, ..its });
            (sum.requests, sum.last) = (sum.requests + its.requests, sum.last.max(its.last));
        }
        let mut all: Vec<_> = sums.into_iter().map(|((limit, _), sum)| (limit, sum)).collect();
        all.sort_unstable_by_key(|(limit, its)| (Reverse(its.requests), *limit, its.client));
        all
    }

    /// Returns the last ended requests, newest first, at most 1,000.
    pub fn recent(&self) -> Vec<Finished> {
        self.0.recent.all()
    }

    /// Returns the last ended requests of this client, newest first.
    pub fn last_requests(&self, client: IpAddr, most: usize) -> Vec<Finished> {
        self.0.recent.of(client.to_canonical(), most)
    }

    fn dropped(&self) -> Vec<Dropped> {
        let mut sums = HashMap::new();
        for worker in &self.0.workers {
            for (reason, count) in worker.by_reason() {
                *sums.entry(reason).or_insert(0) += count;
            }
        }
        let mut all: Vec<Dropped> =
            sums.into_iter().map(|(reason, count)| Dropped { reason: reason.into(), count }).collect();
        all.sort_unstable_by(|a, b| a.reason.cmp(&b.reason));
        all
    }
}

impl WatchState {
    /// Reads the counters of this process, with what those before it have counted since it replaced them.
    fn of_server<T>(&self, read: impl FnOnce(&Counts) -> T) -> T {
        let Some(before) = self.before.get() else { return read(&self.counts) };
        let all = Counts::default();
        all.add(&self.counts.read());
        all.add(&before.read());
        read(&all)
    }
}

fn calls_of(plugin: &PluginTotals) -> PluginCalls {
    let failures = plugin.failures.iter().filter(|(_, count)| *count > 0);
    PluginCalls {
        plugin: plugin.plugin.clone(),
        calls: plugin.calls,
        failures: failures.map(|(cause, count)| (cause.to_string(), *count)).collect(),
    }
}
