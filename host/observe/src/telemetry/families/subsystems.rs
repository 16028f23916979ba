//! Metrics of subsystems: multicast groups, origins, keys of plugins, and published events.

use super::{Family, Point, Unit, counter, gauge, one};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use tuffet::origins::OriginReport;
use tuffet::watch::ExportCounts;
use tuffet_engine::worker::GroupCounts;
use tuffet_request::KvState;

pub(super) fn groups(counts: &GroupCounts) -> Vec<Family> {
    vec![
        gauge(
            "multicast.groups",
            "Multicast groups that exist now",
            Unit::Of("{group}"),
            one(counts.groups()),
        ),
        gauge(
            "multicast.members",
            "Clients that are members of a multicast group now",
            Unit::Of("{client}"),
            one(counts.members()),
        ),
        counter(
            "multicast.joined",
            "Clients that became members of a multicast group",
            Unit::Of("{client}"),
            one(counts.joined()),
        ),
        counter(
            "multicast.declined",
            "Clients that asked for a multicast group and were served alone, because none had a place",
            Unit::Of("{client}"),
            one(counts.declined()),
        ),
        counter(
            "multicast.blocks",
            "Blocks sent to multicast groups, each counted once however many members there are",
            Unit::Of("{block}"),
            one(counts.blocks()),
        ),
        counter(
            "multicast.blocks.resent",
            "Blocks among these that had been sent before",
            Unit::Of("{block}"),
            one(counts.resent()),
        ),
        counter(
            "multicast.sent",
            "Bytes of files sent to multicast groups, each counted once however many members there are",
            Unit::Bytes,
            one(counts.bytes()),
        ),
    ]
}

pub(super) fn origins(origins: &[OriginReport]) -> Vec<Family> {
    let each = |value: fn(&OriginReport) -> u64| {
        let points = origins.iter().map(|origin| Point {
            labels: vec![("root".into(), origin.root.clone().into())],
            value: value(origin),
        });
        points.collect::<Vec<_>>()
    };
    let (files, requests) = (Unit::Of("{file}"), Unit::Of("{request}"));
    vec![
        gauge(
            "origin.away",
            "1 while the origin of a root does not answer",
            Unit::Of("{root}"),
            each(|origin| origin.away_seconds.is_some().into()),
        ),
        gauge(
            "origin.breaker.open",
            "1 while the origin of a root is asked only now and then, because it failed several times in a row",
            Unit::Of("{breaker}"),
            each(|origin| (origin.breaker != "closed").into()),
        ),
        gauge(
            "origin.requests.running",
            "Requests to an origin under way",
            requests,
            each(|origin| origin.running),
        ),
        counter("origin.requests", "Requests to an origin", requests, each(|origin| origin.fetches)),
        counter(
            "origin.failures",
            "Requests to an origin without a usable answer",
            requests,
            each(|origin| origin.failures),
        ),
        counter(
            "origin.received",
            "Bytes of files that came from an origin",
            Unit::Bytes,
            each(|origin| origin.received),
        ),
        counter(
            "origin.sent",
            "Bytes of uploads that an origin took",
            Unit::Bytes,
            each(|origin| origin.sent),
        ),
        counter(
            "origin.cache.hits",
            "File opens served from the disk cache",
            files,
            each(|origin| origin.hits),
        ),
        counter(
            "origin.cache.misses",
            "File opens that had to be fetched",
            files,
            each(|origin| origin.misses),
        ),
        counter(
            "origin.cache.stale",
            "File opens served from the disk cache because the origin did not answer",
            files,
            each(|origin| origin.stale),
        ),
        counter(
            "origin.cache.damaged",
            "Parts of files in the disk cache that were damaged and fetched again",
            Unit::Of("{part}"),
            each(|origin| origin.damaged),
        ),
        counter(
            "origin.cache.failures",
            "Files that the disk cache did not take",
            requests,
            each(|origin| origin.unstored),
        ),
        gauge(
            "origin.cache.limit",
            "The most bytes in the disk cache",
            Unit::Bytes,
            each(|origin| origin.cache_limit),
        ),
        gauge("origin.cache.used", "Bytes in the disk cache", Unit::Bytes, each(|origin| origin.cache_bytes)),
        gauge("origin.cache.files", "Files in the disk cache", files, each(|origin| origin.cache_files)),
    ]
}

pub(super) fn keys(kv: &KvState) -> Vec<Family> {
    let labelled = |value| vec![Point { labels: vec![("bucket".into(), kv.bucket.clone().into())], value }];
    let operations = Unit::Of("{operation}");
    vec![
        gauge(
            "kv.away",
            "1 while the NATS servers of the plugins' keys do not answer",
            Unit::Of("{bucket}"),
            labelled(kv.away_seconds.is_some().into()),
        ),
        gauge(
            "kv.age",
            "Age of the last known values, 0 while the servers answer",
            Unit::Seconds,
            labelled(kv.away_seconds.unwrap_or(0)),
        ),
        gauge("kv.keys", "Known keys of this server's plugins", Unit::Of("{key}"), labelled(kv.keys)),
        gauge("kv.size", "Bytes of these keys and their values", Unit::Bytes, labelled(kv.bytes)),
        counter("kv.operations", "Finished operations on keys", operations, labelled(kv.operations)),
        counter(
            "kv.failures",
            "Operations on keys that failed because the servers did not answer",
            operations,
            labelled(kv.failed),
        ),
        counter(
            "kv.last_known",
            "Reads that were answered with the last known value",
            operations,
            labelled(kv.last_known),
        ),
        counter(
            "kv.conflicts",
            "Changes tried again because another server had changed the key",
            operations,
            labelled(kv.conflicts),
        ),
    ]
}

pub(super) fn compilers(available: bool) -> Family {
    gauge(
        "compilers.available",
        "1 while processes that compile plugins can be started",
        Unit::Of("{server}"),
        one(available.into()),
    )
}

pub(super) fn events(counts: &ExportCounts) -> Vec<Family> {
    let now = |counter: &AtomicU64| one(counter.load(Relaxed));
    let events = Unit::Of("{event}");
    vec![
        counter(
            "events.published",
            "Starts and ends of transfers published on NATS",
            events,
            now(&counts.exported),
        ),
        counter(
            "events.dropped",
            "Starts and ends of transfers not published: NATS was away or slow",
            events,
            now(&counts.dropped),
        ),
        counter(
            "events.failures",
            "Failed connections to the NATS servers of the events",
            Unit::Of("{connection}"),
            now(&counts.failures),
        ),
    ]
}
