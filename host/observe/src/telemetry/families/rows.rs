//! The rows of all metrics, by what they are read from.
//!
//! Labels come from the configuration and from short lists of words, never from files, clients or requests; those of
//! [`SERIES`] come from plugins, within limits: their names are labels of fixed metrics, so that the list of metrics
//! stays that of this program, and two plugins cannot give one metric different types.

use super::Point;
use super::Unit::{Bytes, BytesPerSecond, Of, Seconds};
use super::row::{Row, counter, counters, gauge, gauges, histograms, measures};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use tuffet_engine::worker::GroupCounts;
use tuffet_policy::{PluginIdentity, PluginSeries, SeriesName, SeriesValue};
use tuffet_request::{KvState, SinkCounted};
use tuffet_server::origins::OriginReport;
use tuffet_server::status::{
    CertificateState, ConnectionsAtLimit, HttpConnections, Report, Revision, RootState,
};
use tuffet_server::watch::{
    ByOperation, Ended, ExportCounts, Labelled, PluginTotals, ProfileTotals, Totals, Watch, Word,
};

/// The process.
pub(super) const PROCESS: &[Row<Watch>] = &[
    gauge("start.time", "Start of the process, in seconds since 1970", Seconds, Watch::started_unix),
    counter(
        "log.lines.dropped",
        "Log lines dropped because the target of the log took no more",
        Of("{line}"),
        Watch::dropped_lines,
    ),
];

/// The server and its configuration.
pub(super) const REPORT: &[Row<Report>] = &[
    gauges("build.info", "Always 1; the label carries the server's version", Of("{build}"), |_| {
        info(vec![("version", env!("CARGO_PKG_VERSION").into())])
    }),
    gauge(
        "ready",
        "1 if the server serves everything that is configured, as at `/readyz`",
        Of("{server}"),
        |it| it.state.ready.into(),
    ),
    gauge(
        "configuration.current",
        "1 if the latest configuration is running; 0 after a refused reload",
        Of("{configuration}"),
        |it| it.refused.is_empty().into(),
    ),
    gauge("generation", "Number of the running configuration, from 1", Of("{generation}"), |it| {
        it.generation
    }),
    gauges(
        "configuration.info",
        "Always 1; the labels carry the source and the revision of the running configuration",
        Of("{configuration}"),
        |it| revision(&it.revision),
    ),
    gauge(
        "configuration.kept",
        "1 if the last good configuration runs because its source was away or had a bad one",
        Of("{configuration}"),
        |it| it.revision.kept.into(),
    ),
    gauges(
        "listener.missing",
        "1 while the interface or the address of a listener is missing",
        Of("{listener}"),
        listeners,
    ),
    gauges(
        "certificate.end.time",
        "When the certificate of a listener of HTTPS ends, in seconds since 1970",
        Seconds,
        |it| {
            let point = |its: &CertificateState| {
                labelled("listener", its.listener.clone().into(), its.not_after_unix)
            };
            it.certificates.iter().map(point).collect()
        },
    ),
    gauges(
        "compilers.available",
        "1 while processes that compile plugins can be started",
        Of("{server}"),
        |it| it.compilers.into_iter().flat_map(|available| one(available.into())).collect(),
    ),
];

/// Connections by HTTP.
pub(super) const HTTP: &[Row<HttpConnections>] = &[
    gauges("http.connections.active", "Open connections of a listener of HTTP", Of("{connection}"), |it| {
        it.listeners.iter().map(|its| labelled("listener", its.listener.clone().into(), its.open)).collect()
    }),
    gauge(
        "http.connections.limit",
        "The most connections of all listeners of HTTP",
        Of("{connection}"),
        |it| it.limit,
    ),
    counters(
        "http.connections.gave.way",
        "Connections by HTTP closed to make room for new ones, by the limit that was reached",
        Of("{connection}"),
        |it| at_limits(it, |its| its.gave_way),
    ),
    counters(
        "http.connections.refused",
        "New connections by HTTP closed because none could make room, by the limit that was reached",
        Of("{connection}"),
        |it| at_limits(it, |its| its.refused),
    ),
];

/// Requests and transfers.
pub(super) const TRANSFERS: &[Row<Totals>] = &[
    counter("requests", "Admitted requests", Of("{request}"), |it| it.admitted),
    counters("transfers", "Ended requests, by protocol, operation and outcome", Of("{request}"), |it| {
        let point = |ended: &Ended| Point {
            labels: vec![
                ("protocol".into(), ended.protocol.as_str().into()),
                ("operation".into(), ended.operation.clone()),
                ("outcome".into(), ended.outcome.as_str().into()),
            ],
            value: ended.count,
        };
        it.ended.iter().map(point).collect()
    }),
    counters(
        "requests.labelled",
        "Ended requests, by the labels that plugins gave them",
        Of("{request}"),
        |it| {
            let point = |its: &Labelled| Point {
                labels: vec![
                    ("plugin".into(), its.plugin.clone().into()),
                    ("label".into(), its.label.clone().into()),
                ],
                value: its.count,
            };
            it.labels.iter().map(point).collect()
        },
    ),
    gauge("transfers.active", "Running transfers", Of("{transfer}"), |it| it.active),
    counters("transferred", "Bytes that arrived, as on the wire", Bytes, |it| by(&it.bytes)),
    counters("blocks", "Blocks that arrived", Of("{block}"), |it| by(&it.blocks)),
    counter("retransmissions", "Retransmitted packets", Of("{packet}"), |it| it.retransmissions),
    counter("duplicates", "Duplicate packets received", Of("{packet}"), |it| it.duplicates),
    counter("timeouts", "Time-outs while waiting for a client", Of("{timeout}"), |it| it.timeouts),
    counter(
        "timeouts.needless",
        "Time-outs after which the client's answer turned out to have been on its way",
        Of("{timeout}"),
        |it| it.needless_timeouts,
    ),
    counters("datagrams.dropped", "Dropped datagrams, by reason", Of("{datagram}"), |it| {
        it.dropped.iter().map(|its| labelled("reason", its.reason.clone(), its.count)).collect()
    }),
    gauge(
        "transfers.with.rate",
        "Active transfers whose bytes per second are limited",
        Of("{transfer}"),
        |it| it.with_rate,
    ),
    gauge(
        "transfers.half.open",
        "Half-open transfers: the client has not answered yet",
        Of("{transfer}"),
        |it| it.half_open,
    ),
    counter(
        "transfers.unanswered",
        "Transfers that ended half-open, including those that made room for others",
        Of("{transfer}"),
        |it| it.unanswered,
    ),
    counter("transfers.gave.way", "Half-open transfers that made room for others", Of("{transfer}"), |it| {
        it.gave_way
    }),
];

/// Profiles with a total rate.
pub(super) const PROFILES: &[Row<ProfileTotals>] = &[
    gauge(
        "profile.total.rate",
        "The most bytes per second of all transfers of a profile together",
        BytesPerSecond,
        |it| it.total_rate.into(),
    ),
    counter(
        "profile.transferred",
        "Bytes that counted towards the total rate of a profile, retransmissions included",
        Bytes,
        |it| it.bytes,
    ),
    gauge(
        "profile.transfers.active",
        "Running transfers of a profile with a total rate",
        Of("{transfer}"),
        |it| it.transfers,
    ),
    gauge(
        "profile.transfers.waiting",
        "Transfers that wait for the total rate of a profile",
        Of("{transfer}"),
        |it| it.waiting,
    ),
    counter(
        "profile.waited",
        "Time for which the total rate of a profile held transfers back, all together",
        Seconds,
        |it| it.waited_seconds,
    ),
];

/// Times.
pub(super) const TIMES: &[Row<Totals>] = &[
    histograms("transfer.duration", "Time from the request to the end, for granted requests", |it| {
        by(&it.duration)
    }),
    histograms("decision.duration", "Time from the request to the decision", |it| one(it.decision.clone())),
    histograms("first.block", "Time from the request to the first block that arrived", |it| {
        one(it.first_block.clone())
    }),
    histograms("rtt", "Smoothed round-trip time at the end of a transfer", |it| one(it.rtt.clone())),
];

/// Queues and the file cache.
pub(super) const QUEUES: &[Row<Totals>] = &[
    gauges("queue.length", "Items waiting in a queue of the server", Of("{item}"), |it| {
        let queues = &it.queues;
        vec![
            labelled("queue", "decisions".into(), queues.decisions),
            labelled("queue", "summaries".into(), queues.summaries),
            labelled("queue", "events".into(), queues.events),
        ]
    }),
    counter(
        "progress.dropped",
        "Progress samples dropped because observers were busy",
        Of("{sample}"),
        |it| it.queues.progress_left_out,
    ),
    counter("file.cache.hits", "File opens served from the cache", Of("{file}"), |it| it.file_cache.hits),
    counter("file.cache.misses", "File opens not served from the cache", Of("{file}"), |it| {
        it.file_cache.misses
    }),
    gauge("file.cache.used", "Memory used by cached files", Bytes, |it| it.file_cache.bytes),
    gauge("file.cache.capacity", "Memory available for cached files", Bytes, |it| it.file_cache.capacity),
];

/// Multicast groups.
pub(super) const GROUPS: &[Row<GroupCounts>] = &[
    gauge("multicast.groups", "Multicast groups that exist now", Of("{group}"), |it| it.groups()),
    gauge("multicast.members", "Clients that are members of a multicast group now", Of("{client}"), |it| {
        it.members()
    }),
    counter("multicast.joined", "Clients that became members of a multicast group", Of("{client}"), |it| {
        it.joined()
    }),
    counter(
        "multicast.declined",
        "Clients that asked for a multicast group and were served alone, because none had a place",
        Of("{client}"),
        |it| it.declined(),
    ),
    counter(
        "multicast.blocks",
        "Blocks sent to multicast groups, each counted once however many members there are",
        Of("{block}"),
        |it| it.blocks(),
    ),
    counter("multicast.blocks.resent", "Blocks among these that had been sent before", Of("{block}"), |it| {
        it.resent()
    }),
    counter(
        "multicast.sent",
        "Bytes of files sent to multicast groups, each counted once however many members there are",
        Bytes,
        |it| it.bytes(),
    ),
];

/// Roots.
pub(super) const ROOTS: &[Row<RootState>] = &[
    gauge("root.hung", "1 while the disk of a root does not answer", Of("{root}"), |it| it.hung.into()),
    gauge(
        "root.replaced",
        "1 while the path of a root leads to another folder than the one that is served",
        Of("{root}"),
        |it| it.replaced.into(),
    ),
    gauge("root.missing", "1 while the folder of a root does not exist yet", Of("{root}"), |it| {
        it.missing.into()
    }),
    gauge("root.operations.running", "Operations under way on the disk of a root", Of("{operation}"), |it| {
        it.running
    }),
    gauge(
        "root.operations.waiting",
        "Operations that wait for a thread of a root",
        Of("{operation}"),
        |it| it.waiting,
    ),
    gauge("root.upload.memory", "Bytes of uploads that wait for the disk of a root in memory", Bytes, |it| {
        it.upload_bytes
    }),
];

/// Origins.
pub(super) const ORIGINS: &[Row<OriginReport>] = &[
    gauge("origin.away", "1 while the origin of a root does not answer", Of("{root}"), |it| {
        it.away_seconds.is_some().into()
    }),
    gauge(
        "origin.breaker.open",
        "1 while the origin of a root is asked only now and then, because it failed several times in a row",
        Of("{breaker}"),
        |it| (it.breaker != "closed").into(),
    ),
    gauge("origin.requests.running", "Requests to an origin under way", Of("{request}"), |it| it.running),
    counter("origin.requests", "Requests to an origin", Of("{request}"), |it| it.fetches),
    counter("origin.failures", "Requests to an origin without a usable answer", Of("{request}"), |it| {
        it.failures
    }),
    counter("origin.received", "Bytes of files that came from an origin", Bytes, |it| it.received),
    counter("origin.sent", "Bytes of uploads that an origin took", Bytes, |it| it.sent),
    counter("origin.cache.hits", "File opens served from the disk cache", Of("{file}"), |it| it.hits),
    counter("origin.cache.misses", "File opens that had to be fetched", Of("{file}"), |it| it.misses),
    counter(
        "origin.cache.stale",
        "File opens served from the disk cache because the origin did not answer",
        Of("{file}"),
        |it| it.stale,
    ),
    counter(
        "origin.cache.damaged",
        "Parts of files in the disk cache that were damaged and fetched again",
        Of("{part}"),
        |it| it.damaged,
    ),
    counter("origin.cache.failures", "Files that the disk cache did not take", Of("{request}"), |it| {
        it.unstored
    }),
    gauge("origin.cache.limit", "The most bytes in the disk cache", Bytes, |it| it.cache_limit),
    gauge("origin.cache.used", "Bytes in the disk cache", Bytes, |it| it.cache_bytes),
    gauge("origin.cache.files", "Files in the disk cache", Of("{file}"), |it| it.cache_files),
];

/// Sinks.
pub(super) const SINKS: &[Row<SinkCounted>] = &[
    gauge("sink.queue.length", "Lines waiting in a sink", Of("{line}"), |it| it.waiting),
    counter("sink.queued", "Lines accepted from plugins", Of("{line}"), |it| it.queued),
    counter("sink.refused", "Lines refused because the sink was full", Of("{line}"), |it| it.refused),
    counter("sink.delivered", "Lines delivered", Of("{line}"), |it| it.delivered),
    counter("sink.dropped", "Lines accepted and lost", Of("{line}"), |it| it.dropped),
    counter("sink.retries", "Failed deliveries that were retried", Of("{try}"), |it| it.retried),
    gauge("sink.spooled", "Bytes waiting in the spool", Bytes, |it| it.spooled_bytes),
    gauge("sink.broken", "1 if the last delivery of a sink failed", Of("{sink}"), |it| it.broken.into()),
];

/// Keys of plugins.
pub(super) const KEYS: &[Row<KvState>] = &[
    gauge("kv.away", "1 while the NATS servers of the plugins' keys do not answer", Of("{bucket}"), |it| {
        it.away_seconds.is_some().into()
    }),
    gauge("kv.age", "Age of the last known values, 0 while the servers answer", Seconds, |it| {
        it.away_seconds.unwrap_or(0)
    }),
    gauge("kv.keys", "Known keys of this server's plugins", Of("{key}"), |it| it.keys),
    gauge("kv.size", "Bytes of these keys and their values", Bytes, |it| it.bytes),
    counter("kv.operations", "Finished operations on keys", Of("{operation}"), |it| it.operations),
    counter(
        "kv.failures",
        "Operations on keys that failed because the servers did not answer",
        Of("{operation}"),
        |it| it.failed,
    ),
    counter("kv.last_known", "Reads that were answered with the last known value", Of("{operation}"), |it| {
        it.last_known
    }),
    counter(
        "kv.conflicts",
        "Changes tried again because another server had changed the key",
        Of("{operation}"),
        |it| it.conflicts,
    ),
];

/// Plugins.
pub(super) const PLUGINS: &[Row<PluginTotals>] = &[
    counter("plugin.calls", "Attempted calls of a plugin", Of("{call}"), |it| it.calls),
    counters("plugin.failures", "Failed calls of a plugin, by cause", Of("{call}"), |it| {
        it.failures.iter().map(|(cause, count)| labelled("cause", cause.clone(), *count)).collect()
    }),
    histograms(
        "plugin.duration",
        "Duration of calls of a plugin, including the wait for an instance",
        |it| {
            let called = it.durations.iter().filter(|(_, times)| times.count() > 0);
            called.map(|(hook, times)| labelled("hook", hook.clone(), times.clone())).collect()
        },
    ),
    gauge("plugin.running", "Calls of a plugin running now", Of("{call}"), |it| it.running),
    gauge("plugin.waiting", "Calls of a plugin waiting for an instance", Of("{call}"), |it| it.waiting),
    gauge("plugin.loaded", "1 if the running configuration uses the plugin", Of("{plugin}"), |it| {
        it.loaded.into()
    }),
    gauge("plugin.breaker.open", "1 while the breaker of a plugin is open", Of("{breaker}"), |it| {
        it.breaker_open.into()
    }),
    counter("plugin.breaker.openings", "How often the breaker of a plugin opened", Of("{opening}"), |it| {
        it.opened
    }),
    counter("plugin.monitored", "Answers of a plugin in mode monitor", Of("{opinion}"), |it| it.monitored),
    counter(
        "plugin.monitored.differing",
        "Answers of a plugin in mode monitor that differ from what happened",
        Of("{opinion}"),
        |it| it.differing,
    ),
    counter(
        "plugin.cache.hits",
        "Decisions answered from the plugin's decision cache",
        Of("{question}"),
        |it| it.cache_hits,
    ),
    counter(
        "plugin.cache.misses",
        "Decisions not found in the plugin's decision cache",
        Of("{question}"),
        |it| it.cache_misses,
    ),
    counter(
        "plugin.events.lost",
        "Events that an observer never received because every call with them failed",
        Of("{event}"),
        |it| it.events_lost,
    ),
];

/// Published starts and ends of transfers.
pub(super) const EVENTS: &[Row<ExportCounts>] = &[
    counter("events.published", "Starts and ends of transfers published on NATS", Of("{event}"), |it| {
        it.exported.load(Relaxed)
    }),
    counter(
        "events.dropped",
        "Starts and ends of transfers not published: NATS was away or slow",
        Of("{event}"),
        |it| it.dropped.load(Relaxed),
    ),
    counter(
        "events.failures",
        "Failed connections to the NATS servers of the events",
        Of("{connection}"),
        |it| it.failures.load(Relaxed),
    ),
];

/// Exports over OTLP.
pub(super) const TELEMETRY: &[Row<(&'static str, Arc<ExportCounts>)>] = &[
    counter(
        "telemetry.exported",
        "Spans or log records accepted by the collector",
        Of("{item}"),
        |(_, it)| it.exported.load(Relaxed),
    ),
    counter("telemetry.dropped", "Spans or log records dropped", Of("{item}"), |(_, it)| {
        it.dropped.load(Relaxed)
    }),
    counter("telemetry.failures", "Failed requests to the collector", Of("{request}"), |(_, it)| {
        it.failures.load(Relaxed)
    }),
];

/// The components of the active configuration.
pub(super) const COMPONENTS: &[Row<PluginIdentity>] = &[gauges(
    "plugin.info",
    "Always 1; the labels carry version and digest of the component, and whether its signature was verified",
    Of("{plugin}"),
    |it| {
        info(vec![
            ("version", it.version.clone().into()),
            ("digest", it.sha256.clone().into()),
            ("verified", it.verified.to_string().into()),
        ])
    },
)];

/// Counters and gauges that plugins define.
pub(super) const SERIES: &[Row<PluginSeries>] = &[
    counters("plugin.counter", "A counter that a plugin defines, by its name", Of("1"), |it| {
        let value = |value: SeriesValue| match value {
            SeriesValue::Counter(value) => Some(value),
            SeriesValue::Gauge(_) => None,
        };
        series(it, value)
    }),
    measures("plugin.gauge", "A gauge that a plugin defines, by its name", Of("1"), |it| {
        let value = |value: SeriesValue| match value {
            SeriesValue::Gauge(value) => Some(value),
            SeriesValue::Counter(_) => None,
        };
        series(it, value)
    }),
    counters(
        "plugin.series.refused",
        "Changes of a plugin's metrics refused because it has too many series",
        Of("{series}"),
        |it| if it.series.is_empty() { Vec::new() } else { one(it.refused) },
    ),
];

fn series<T>(plugin: &PluginSeries, value: impl Fn(SeriesValue) -> Option<T>) -> Vec<Point<T>> {
    let labels = |series: &SeriesName| {
        let chosen = series.labels.iter().map(|(label, value)| (label.clone().into(), value.clone().into()));
        std::iter::once((Word::from("name"), Word::from(series.name.clone()))).chain(chosen).collect()
    };
    let point = |(name, its): &(_, SeriesValue)| Some(Point { labels: labels(name), value: value(*its)? });
    plugin.series.iter().filter_map(point).collect()
}

/// Returns whether the interface or the address is missing, of listeners that are bound to one.
fn listeners(report: &Report) -> Vec<Point<u64>> {
    let mut listeners: BTreeMap<&str, bool> = BTreeMap::new();
    let interfaces = report.interfaces.iter().map(|its| (&its.listener, its.problem()));
    let addresses = report.addresses.iter().map(|its| (&its.listener, its.problem()));
    for (listener, problem) in interfaces.chain(addresses) {
        *listeners.entry(listener).or_default() |= problem.is_some();
    }
    let point =
        |(listener, missing): (&str, bool)| labelled("listener", listener.to_owned().into(), missing.into());
    listeners.into_iter().map(point).collect()
}

fn at_limits(http: &HttpConnections, count: fn(&ConnectionsAtLimit) -> u64) -> Vec<Point<u64>> {
    http.at_limits.iter().map(|its| labelled("limit", its.limit.clone().into(), count(its))).collect()
}

fn revision(revision: &Revision) -> Vec<Point<u64>> {
    let word = |value: &Option<String>| Word::from(value.clone().unwrap_or_default());
    let Revision { source, revision, digest, .. } = revision;
    info(vec![("source", word(source)), ("revision", word(revision)), ("digest", word(digest))])
}

/// Returns a 1 with these labels.
fn info(labels: Vec<(&'static str, Word)>) -> Vec<Point<u64>> {
    let labels = labels.into_iter().map(|(label, word)| (label.into(), word)).collect();
    vec![Point { labels, value: 1 }]
}

/// Returns a single point without labels.
fn one<T>(value: T) -> Vec<Point<T>> {
    vec![Point { labels: Vec::new(), value }]
}

fn labelled<T>(label: &'static str, word: Word, value: T) -> Point<T> {
    Point { labels: vec![(label.into(), word)], value }
}

fn by<T: Clone>(values: &ByOperation<T>) -> Vec<Point<T>> {
    vec![
        labelled("operation", "read".into(), values.read.clone()),
        labelled("operation", "write".into(), values.write.clone()),
    ]
}
