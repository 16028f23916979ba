//! All metrics: name, help text, current values. One list for all exporters.
//!
//! Labels come from the configuration and from short lists of words, never from files, clients or requests; those of
//! [`mod@plugin_series`] come from plugins, within limits.

mod plugin_series;
mod subsystems;

use plugin_series::plugin_series;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use subsystems::{compilers, events, groups, keys, origins};
use tuffet::status::{Report, Revision, RootState};
use tuffet::watch::ExportCounts;
use tuffet::watch::{ByOperation, PluginTotals, ProfileTotals, Totals, Watch, Word};
use tuffet_policy::PluginIdentity;
use tuffet_request::Distribution;
use tuffet_request::SinkCounted;

/// A metric and its values.
#[derive(Debug, PartialEq)]
pub(crate) struct Family {
    /// With dots, without its unit: `plugin.duration`.
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    pub(crate) unit: Unit,
    pub(crate) values: Values,
}

/// What a metric counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Things, in UCUM braces: `{request}`.
    Of(&'static str),
    Bytes,
    BytesPerSecond,
    Seconds,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Values {
    /// Never falls while the process runs.
    Counter(Vec<Point<u64>>),
    /// The current value.
    Gauge(Vec<Point<u64>>),
    /// The current value, a fraction.
    Measure(Vec<Point<f64>>),
    /// Times, in the buckets of [`tuffet_request::BOUNDS_US`].
    Histogram(Vec<Point<Distribution>>),
}

/// A value and its labels.
#[derive(Debug, PartialEq)]
pub(crate) struct Point<T> {
    pub(crate) labels: Vec<(Word, Word)>,
    pub(crate) value: T,
}

/// Returns the current values of all metrics.
pub(crate) fn families(watch: &Watch) -> Vec<Family> {
    let (totals, report) = (watch.totals(), watch.report());
    let mut all = server(&report, watch.started_unix());
    all.extend(transfers(&totals));
    all.extend(profiles(&totals.profiles));
    all.extend(times(&totals));
    all.extend(queues(&totals));
    all.extend(groups(&watch.groups()));
    all.push(listeners(&report));
    all.extend(roots(&report.roots));
    all.extend(origins(&report.origins));
    all.extend(sinks(&report.sinks));
    all.extend(report.kv.iter().flat_map(keys));
    all.extend(report.compilers.map(compilers));
    all.extend(plugins(&totals.plugins));
    all.extend(plugin_series(&watch.series()));
    all.push(components(&report.plugins));
    all.extend(watch.published().into_iter().flat_map(events));
    all.extend(telemetry(watch.exported()));
    all.push(counter(
        "log.lines.dropped",
        "Log lines dropped because the target of the log took no more",
        Unit::Of("{line}"),
        one(watch.dropped_lines()),
    ));
    all
}

fn server(report: &Report, started_unix: u64) -> Vec<Family> {
    let version = Point { labels: vec![("version".into(), env!("CARGO_PKG_VERSION").into())], value: 1 };
    vec![
        gauge(
            "build.info",
            "Always 1; the label carries the server's version",
            Unit::Of("{build}"),
            vec![version],
        ),
        gauge("start.time", "Start of the process, in seconds since 1970", Unit::Seconds, one(started_unix)),
        gauge(
            "ready",
            "1 if the latest configuration is running; 0 after a refused reload",
            Unit::Of("{server}"),
            one(report.ready.into()),
        ),
        gauge(
            "generation",
            "Number of the running configuration, from 1",
            Unit::Of("{generation}"),
            one(report.generation),
        ),
        gauge(
            "configuration.info",
            "Always 1; the labels carry the source and the revision of the running configuration",
            Unit::Of("{configuration}"),
            revision(&report.revision),
        ),
        gauge(
            "configuration.kept",
            "1 if the last good configuration runs because its source was away or had a bad one",
            Unit::Of("{configuration}"),
            one(report.revision.kept.into()),
        ),
    ]
}

fn revision(revision: &Revision) -> Vec<Point<u64>> {
    let word = |value: &Option<String>| Word::from(value.clone().unwrap_or_default());
    let Revision { source, revision, digest, .. } = revision;
    let labels = vec![
        ("source".into(), word(source)),
        ("revision".into(), word(revision)),
        ("digest".into(), word(digest)),
    ];
    vec![Point { labels, value: 1 }]
}

fn transfers(totals: &Totals) -> Vec<Family> {
    let ended = totals.ended.iter().map(|ended| Point {
        labels: vec![
            ("operation".into(), ended.operation.clone()),
            ("outcome".into(), ended.outcome.as_str().into()),
        ],
        value: ended.count,
    });
    let dropped = totals.dropped.iter().map(|dropped| Point {
        labels: vec![("reason".into(), dropped.reason.clone())],
        value: dropped.count,
    });
    vec![
        counter("requests", "Admitted requests", Unit::Of("{request}"), one(totals.admitted)),
        counter(
            "transfers",
            "Ended requests, by operation and outcome",
            Unit::Of("{request}"),
            ended.collect(),
        ),
        gauge("transfers.active", "Running transfers", Unit::Of("{transfer}"), one(totals.active)),
        counter("transferred", "Bytes that arrived, as on the wire", Unit::Bytes, by(&totals.bytes)),
        counter("blocks", "Blocks that arrived", Unit::Of("{block}"), by(&totals.blocks)),
        counter(
            "retransmissions",
            "Retransmitted packets",
            Unit::Of("{packet}"),
            one(totals.retransmissions),
        ),
        counter("duplicates", "Duplicate packets received", Unit::Of("{packet}"), one(totals.duplicates)),
        counter(
            "timeouts",
            "Time-outs while waiting for a client",
            Unit::Of("{timeout}"),
            one(totals.timeouts),
        ),
        counter(
            "timeouts.needless",
            "Time-outs after which the client's answer turned out to have been on its way",
            Unit::Of("{timeout}"),
            one(totals.needless_timeouts),
        ),
        counter(
            "datagrams.dropped",
            "Dropped datagrams, by reason",
            Unit::Of("{datagram}"),
            dropped.collect(),
        ),
        gauge(
            "transfers.with.rate",
            "Active transfers whose bytes per second are limited",
            Unit::Of("{transfer}"),
            one(totals.with_rate),
        ),
        gauge(
            "transfers.half.open",
            "Half-open transfers: the client has not answered yet",
            Unit::Of("{transfer}"),
            one(totals.half_open),
        ),
        counter(
            "transfers.unanswered",
            "Transfers that ended half-open, including those that made room for others",
            Unit::Of("{transfer}"),
            one(totals.unanswered),
        ),
        counter(
            "transfers.gave.way",
            "Half-open transfers that made room for others",
            Unit::Of("{transfer}"),
            one(totals.gave_way),
        ),
    ]
}

/// What the transfers of profiles with a total rate use of it.
fn profiles(profiles: &[ProfileTotals]) -> Vec<Family> {
    let each = |value: fn(&ProfileTotals) -> u64| {
        let points = profiles.iter().map(|its| Point {
            labels: vec![("profile".into(), its.profile.clone().into())],
            value: value(its),
        });
        points.collect::<Vec<_>>()
    };
    let transfers = Unit::Of("{transfer}");
    vec![
        gauge(
            "profile.total.rate",
            "The most bytes per second of all transfers of a profile together",
            Unit::BytesPerSecond,
            each(|its| its.total_rate.into()),
        ),
        counter(
            "profile.transferred",
            "Bytes that counted towards the total rate of a profile, retransmissions included",
            Unit::Bytes,
            each(|its| its.bytes),
        ),
        gauge(
            "profile.transfers.active",
            "Running transfers of a profile with a total rate",
            transfers,
            each(|its| its.transfers),
        ),
        gauge(
            "profile.transfers.waiting",
            "Transfers that wait for the total rate of a profile",
            transfers,
            each(|its| its.waiting),
        ),
        counter(
            "profile.waited",
            "Time for which the total rate of a profile held transfers back, all together",
            Unit::Seconds,
            each(|its| its.waited_seconds),
        ),
    ]
}

fn times(totals: &Totals) -> Vec<Family> {
    vec![
        histogram(
            "transfer.duration",
            "Time from the request to the end, for granted requests",
            by(&totals.duration),
        ),
        histogram("decision.duration", "Time from the request to the decision", one(totals.decision.clone())),
        histogram(
            "first.block",
            "Time from the request to the first block that arrived",
            one(totals.first_block.clone()),
        ),
        histogram("rtt", "Smoothed round-trip time at the end of a transfer", one(totals.rtt.clone())),
    ]
}

fn queues(totals: &Totals) -> Vec<Family> {
    let queues = &totals.queues;
    let named = |queue: &'static str, value| Point { labels: vec![("queue".into(), queue.into())], value };
    let waiting = vec![
        named("decisions", queues.decisions),
        named("summaries", queues.summaries),
        named("events", queues.events),
    ];
    let cache = &totals.file_cache;
    vec![
        gauge("queue.length", "Items waiting in a queue of the server", Unit::Of("{item}"), waiting),
        counter(
            "progress.dropped",
            "Progress samples dropped because observers were busy",
            Unit::Of("{sample}"),
            one(queues.progress_left_out),
        ),
        counter("file.cache.hits", "File opens served from the cache", Unit::Of("{file}"), one(cache.hits)),
        counter(
            "file.cache.misses",
            "File opens not served from the cache",
            Unit::Of("{file}"),
            one(cache.misses),
        ),
        gauge("file.cache.used", "Memory used by cached files", Unit::Bytes, one(cache.bytes)),
        gauge("file.cache.capacity", "Memory available for cached files", Unit::Bytes, one(cache.capacity)),
    ]
}

/// Listeners that are bound to an interface or an address.
fn listeners(report: &Report) -> Family {
    let mut listeners: BTreeMap<&str, bool> = BTreeMap::new();
    let interfaces = report.interfaces.iter().map(|its| (&its.listener, its.problem()));
    let addresses = report.addresses.iter().map(|its| (&its.listener, its.problem()));
    for (listener, problem) in interfaces.chain(addresses) {
        *listeners.entry(listener).or_default() |= problem.is_some();
    }
    let points = listeners.into_iter().map(|(listener, missing)| Point {
        labels: vec![("listener".into(), listener.to_owned().into())],
        value: missing.into(),
    });
    gauge(
        "listener.missing",
        "1 while the interface or the address of a listener is missing",
        Unit::Of("{listener}"),
        points.collect(),
    )
}

fn roots(roots: &[RootState]) -> Vec<Family> {
    let each = |value: fn(&RootState) -> u64| {
        let points = roots.iter().map(|root| Point {
            labels: vec![("root".into(), root.root.clone().into())],
            value: value(root),
        });
        points.collect::<Vec<_>>()
    };
    let operations = Unit::Of("{operation}");
    vec![
        gauge(
            "root.hung",
            "1 while the disk of a root does not answer",
            Unit::Of("{root}"),
            each(|root| root.hung.into()),
        ),
        gauge(
            "root.replaced",
            "1 while the path of a root leads to another folder than the one that is served",
            Unit::Of("{root}"),
            each(|root| root.replaced.into()),
        ),
        gauge(
            "root.missing",
            "1 while the folder of a root does not exist yet",
            Unit::Of("{root}"),
            each(|root| root.missing.into()),
        ),
        gauge(
            "root.operations.running",
            "Operations under way on the disk of a root",
            operations,
            each(|root| root.running),
        ),
        gauge(
            "root.operations.waiting",
            "Operations that wait for a thread of a root",
            operations,
            each(|root| root.waiting),
        ),
        gauge(
            "root.upload.memory",
            "Bytes of uploads that wait for the disk of a root in memory",
            Unit::Bytes,
            each(|root| root.upload_bytes),
        ),
    ]
}

fn sinks(sinks: &[SinkCounted]) -> Vec<Family> {
    let each = |value: fn(&SinkCounted) -> u64| {
        let points = sinks.iter().map(|sink| Point {
            labels: vec![("sink".into(), sink.sink.clone().into())],
            value: value(sink),
        });
        points.collect::<Vec<_>>()
    };
    let lines = Unit::Of("{line}");
    vec![
        gauge("sink.queue.length", "Lines waiting in a sink", lines, each(|sink| sink.waiting)),
        counter("sink.queued", "Lines accepted from plugins", lines, each(|sink| sink.queued)),
        counter("sink.refused", "Lines refused because the sink was full", lines, each(|sink| sink.refused)),
        counter("sink.delivered", "Lines delivered", lines, each(|sink| sink.delivered)),
        counter("sink.dropped", "Lines accepted and lost", lines, each(|sink| sink.dropped)),
        counter(
            "sink.retries",
            "Failed deliveries that were retried",
            Unit::Of("{try}"),
            each(|sink| sink.retried),
        ),
        gauge("sink.spooled", "Bytes waiting in the spool", Unit::Bytes, each(|sink| sink.spooled_bytes)),
        gauge(
            "sink.broken",
            "1 if the last delivery of a sink failed",
            Unit::Of("{sink}"),
            each(|sink| sink.broken.into()),
        ),
    ]
}

/// Identifies the component of each plugin in the active configuration.
fn components(plugins: &[PluginIdentity]) -> Family {
    let points = plugins.iter().map(|plugin| Point {
        labels: vec![
            ("plugin".into(), plugin.plugin.clone().into()),
            ("version".into(), plugin.version.clone().into()),
            ("digest".into(), plugin.sha256.clone().into()),
            ("verified".into(), plugin.verified.to_string().into()),
        ],
        value: 1,
    });
    gauge(
        "plugin.info",
        "Always 1; the labels carry version and digest of the component, and whether its signature was verified",
        Unit::Of("{plugin}"),
        points.collect(),
    )
}

fn plugins(plugins: &[PluginTotals]) -> Vec<Family> {
    let name = |plugin: &PluginTotals| (Word::from("plugin"), Word::from(plugin.plugin.clone()));
    let each = |value: fn(&PluginTotals) -> u64| {
        let points = plugins.iter().map(|plugin| Point { labels: vec![name(plugin)], value: value(plugin) });
        points.collect::<Vec<_>>()
    };
    let failures = plugins.iter().flat_map(|plugin| {
        plugin.failures.iter().map(|(cause, count)| Point {
            labels: vec![name(plugin), ("cause".into(), cause.clone())],
            value: *count,
        })
    });
    let durations = plugins.iter().flat_map(|plugin| {
        plugin.durations.iter().filter(|(_, times)| times.count() > 0).map(|(hook, times)| Point {
            labels: vec![name(plugin), ("hook".into(), hook.clone())],
            value: times.clone(),
        })
    });
    let calls = Unit::Of("{call}");
    vec![
        counter("plugin.calls", "Attempted calls of a plugin", calls, each(|plugin| plugin.calls)),
        counter("plugin.failures", "Failed calls of a plugin, by cause", calls, failures.collect()),
        histogram(
            "plugin.duration",
            "Duration of calls of a plugin, including the wait for an instance",
            durations.collect(),
        ),
        gauge("plugin.running", "Calls of a plugin running now", calls, each(|plugin| plugin.running)),
        gauge(
            "plugin.waiting",
            "Calls of a plugin waiting for an instance",
            calls,
            each(|plugin| plugin.waiting),
        ),
        gauge(
            "plugin.loaded",
            "1 if the running configuration uses the plugin",
            Unit::Of("{plugin}"),
            each(|plugin| plugin.loaded.into()),
        ),
        gauge(
            "plugin.breaker.open",
            "1 while the breaker of a plugin is open",
            Unit::Of("{breaker}"),
            each(|plugin| plugin.breaker_open.into()),
        ),
        counter(
            "plugin.breaker.openings",
            "How often the breaker of a plugin opened",
            Unit::Of("{opening}"),
            each(|plugin| plugin.opened),
        ),
        counter(
            "plugin.monitored",
            "Verdicts of a plugin in mode monitor",
            Unit::Of("{opinion}"),
            each(|plugin| plugin.monitored),
        ),
        counter(
            "plugin.cache.hits",
            "Decisions answered from the plugin's decision cache",
            Unit::Of("{question}"),
            each(|plugin| plugin.cache_hits),
        ),
        counter(
            "plugin.cache.misses",
            "Decisions not found in the plugin's decision cache",
            Unit::Of("{question}"),
            each(|plugin| plugin.cache_misses),
        ),
        counter(
            "plugin.events.lost",
            "Events that an observer never received because every call with them failed",
            Unit::Of("{event}"),
            each(|plugin| plugin.events_lost),
        ),
    ]
}

fn telemetry(counts: &[(&'static str, Arc<ExportCounts>)]) -> Vec<Family> {
    let each = |count: fn(&ExportCounts) -> &AtomicU64| {
        let points = counts.iter().map(|(signal, counts)| Point {
            labels: vec![("signal".into(), (*signal).into())],
            value: count(counts).load(Relaxed),
        });
        points.collect::<Vec<_>>()
    };
    vec![
        counter(
            "telemetry.exported",
            "Spans or log records accepted by the collector",
            Unit::Of("{item}"),
            each(|counts| &counts.exported),
        ),
        counter(
            "telemetry.dropped",
            "Spans or log records dropped",
            Unit::Of("{item}"),
            each(|counts| &counts.dropped),
        ),
        counter(
            "telemetry.failures",
            "Failed requests to the collector",
            Unit::Of("{request}"),
            each(|counts| &counts.failures),
        ),
    ]
}

fn counter(name: &'static str, help: &'static str, unit: Unit, points: Vec<Point<u64>>) -> Family {
    Family { name, help, unit, values: Values::Counter(points) }
}

fn gauge(name: &'static str, help: &'static str, unit: Unit, points: Vec<Point<u64>>) -> Family {
    Family { name, help, unit, values: Values::Gauge(points) }
}

fn histogram(name: &'static str, help: &'static str, points: Vec<Point<Distribution>>) -> Family {
    Family { name, help, unit: Unit::Seconds, values: Values::Histogram(points) }
}

/// Returns a single point without labels.
fn one<T>(value: T) -> Vec<Point<T>> {
    vec![Point { labels: Vec::new(), value }]
}

fn by<T: Clone>(values: &ByOperation<T>) -> Vec<Point<T>> {
    let point = |operation: &'static str, value: &T| Point {
        labels: vec![("operation".into(), operation.into())],
        value: value.clone(),
    };
    vec![point("read", &values.read), point("write", &values.write)]
}
