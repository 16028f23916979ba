//! The newest snapshots of all servers, merged into one.

use super::{Message, Now};
use crate::watch::{Ended, Reason, Sample, ServerNow, Snapshot, Totals};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tuffet_request::Distribution;

/// A server is shown as silent after this time, and not at all after the other.
const SILENT: Duration = Duration::from_secs(5);
const GONE: Duration = Duration::from_secs(60);
/// The most rows of each table, as one server has.
const ROWS: usize = 200;
/// The most servers: more than that is a mistake, or somebody's joke.
const SERVERS: usize = 10_000;

/// The servers that were heard.
#[derive(Debug)]
pub(crate) struct Fleet {
    servers: BTreeMap<String, Heard>,
    started_unix_ms: u64,
    /// Messages that could not be read.
    strange: u64,
}

#[derive(Debug)]
struct Heard {
    snapshot: Snapshot,
    at: Instant,
}

impl Fleet {
    /// Creates a view that begins now.
    pub(crate) fn new(now_unix_ms: u64) -> Fleet {
        Fleet { servers: BTreeMap::new(), started_unix_ms: now_unix_ms, strange: 0 }
    }

    /// Takes the snapshot of a server.
    pub(crate) fn take(&mut self, payload: &[u8], at: Instant) {
        let Ok(Message { server, content: Now { snapshot } }) = serde_json::from_slice(payload) else {
            self.strange += 1;
            return;
        };
        if self.servers.len() < SERVERS || self.servers.contains_key(&server) {
            self.servers.insert(server, Heard { snapshot, at });
        }
    }

    /// Whether no server was heard.
    pub(crate) fn is_empty(&self) -> bool {
        self.servers.is_empty()
    }

    /// Returns all servers as one snapshot.
    pub(crate) fn merged(&mut self, now: Instant, now_unix_ms: u64) -> Snapshot {
        self.servers.retain(|_, heard| now.saturating_duration_since(heard.at) < GONE);
        let mut merged = self.empty(now_unix_ms);
        let mut samples: BTreeMap<u64, Sample> = BTreeMap::new();
        for (name, Heard { snapshot, at }) in &self.servers {
            let age = now.saturating_duration_since(*at);
            let silent = age > SILENT;
            let because = |reason: &Reason| Reason {
                check: reason.check.clone(),
                detail: format!("{name}: {}", reason.detail),
            };
            merged.reasons.extend(snapshot.reasons.iter().map(because));
            if silent {
                let detail = format!("{name}: nothing was heard for {} s", age.as_secs());
                merged.reasons.push(Reason { check: "silent".into(), detail });
            }
            merged.servers.push(server(name, snapshot, age));
            if silent {
                continue;
            }
            add(&mut merged.totals, &snapshot.totals, name);
            for listener in &snapshot.listeners {
                let mut listener = listener.clone();
                listener.listener = format!("{name}/{}", listener.listener);
                merged.listeners.push(listener);
            }
            for root in &snapshot.roots {
                let mut root = root.clone();
                root.root = format!("{name}/{}", root.root);
                merged.roots.push(root);
            }
            merged.origins.extend(snapshot.origins.iter().cloned().map(|mut origin| {
                origin.root = format!("{name}/{}", origin.root);
                origin
            }));
            merged.active.extend(snapshot.active.iter().cloned().map(|mut row| {
                row.who.server.clone_from(name);
                row
            }));
            merged.finished.extend(snapshot.finished.iter().cloned().map(|mut row| {
                row.who.server.clone_from(name);
                row
            }));
            for sample in &snapshot.samples {
                let second = sample.unix_ms / 1000;
                samples.entry(second).and_modify(|sum| sum_up(sum, sample)).or_insert_with(|| sample.clone());
            }
        }
        merged.ready = merged.reasons.is_empty();
        merged.active.sort_by_key(|row| std::cmp::Reverse(row.bytes_per_second));
        merged.active.truncate(ROWS);
        merged.finished.sort_by_key(|row| std::cmp::Reverse(row.ended_unix_ms));
        merged.finished.truncate(ROWS);
        // The servers' newest second may not have come from all of them.
        samples.pop_last();
        merged.samples = samples.into_values().collect();
        merged
    }

    fn empty(&self, now_unix_ms: u64) -> Snapshot {
        Snapshot {
            unix_ms: now_unix_ms,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started_unix_ms: self.started_unix_ms,
            generation: 0,
            revision: String::new(),
            host: match self.servers.len() {
                1 => "1 server".into(),
                servers => format!("{servers} servers"),
            },
            listeners: Vec::new(),
            roots: Vec::new(),
            origins: Vec::new(),
            ready: true,
            reasons: Vec::new(),
            totals: Totals::default(),
            active: Vec::new(),
            finished: Vec::new(),
            samples: Vec::new(),
            servers: Vec::new(),
        }
    }
}

fn server(name: &str, snapshot: &Snapshot, age: Duration) -> ServerNow {
    let last = snapshot.samples.last();
    let moved = last.map_or(0, |sample| sample.bytes_per_second.read + sample.bytes_per_second.write);
    let ended = |failed: bool| -> u64 {
        let ended = snapshot.totals.ended.iter().filter(|ended| !failed || ended.outcome.is_failure());
        ended.map(|ended| ended.count).sum()
    };
    ServerNow {
        server: name.to_owned(),
        version: snapshot.version.clone(),
        generation: snapshot.generation,
        revision: snapshot.revision.clone(),
        ready: snapshot.ready,
        active: snapshot.totals.active,
        bytes_per_second: moved,
        ended: ended(false),
        failures: ended(true),
        started_unix_ms: snapshot.started_unix_ms,
        silent_seconds: if age > SILENT { age.as_secs() } else { 0 },
    }
}

/// Adds the totals of a server. Plugins and sinks stay apart, below its name.
fn add(sum: &mut Totals, more: &Totals, server: &str) {
    let Totals {
        admitted,
        active,
        ended,
        bytes,
        blocks,
        retransmissions,
        duplicates,
        timeouts,
        needless_timeouts,
        duration,
        rtt,
        first_block,
        decision,
        queues,
        file_cache,
        plugins,
        dropped,
        unanswered,
        half_open,
        gave_way,
        with_rate,
    } = more;
    sum.admitted += admitted;
    sum.active += active;
    for Ended { operation, outcome, count } in ended {
        let same = |one: &&mut Ended| one.operation == *operation && one.outcome == *outcome;
        match sum.ended.iter_mut().find(same) {
            Some(one) => one.count += count,
            None => sum.ended.push(Ended { operation: operation.clone(), outcome: *outcome, count: *count }),
        }
    }
    sum.bytes.read += bytes.read;
    sum.bytes.write += bytes.write;
    sum.blocks.read += blocks.read;
    sum.blocks.write += blocks.write;
    sum.retransmissions += retransmissions;
    sum.duplicates += duplicates;
    sum.timeouts += timeouts;
    sum.needless_timeouts += needless_timeouts;
    distribute(&mut sum.duration.read, &duration.read);
    distribute(&mut sum.duration.write, &duration.write);
    distribute(&mut sum.rtt, rtt);
    distribute(&mut sum.first_block, first_block);
    distribute(&mut sum.decision, decision);
    sum.queues.decisions += queues.decisions;
    sum.queues.summaries += queues.summaries;
    sum.queues.events += queues.events;
    sum.queues.progress_left_out += queues.progress_left_out;
    sum.queues.sinks.extend(queues.sinks.iter().cloned().map(|mut sink| {
        sink.sink = format!("{server}/{}", sink.sink);
        sink
    }));
    sum.file_cache.hits += file_cache.hits;
    sum.file_cache.misses += file_cache.misses;
    sum.file_cache.bytes += file_cache.bytes;
    sum.file_cache.capacity += file_cache.capacity;
    sum.plugins.extend(plugins.iter().cloned().map(|mut plugin| {
        plugin.plugin = format!("{server}/{}", plugin.plugin);
        plugin
    }));
    for more in dropped {
        match sum.dropped.iter_mut().find(|one| one.reason == more.reason) {
            Some(one) => one.count += more.count,
            None => sum.dropped.push(more.clone()),
        }
    }
    sum.unanswered += unanswered;
    sum.half_open += half_open;
    sum.gave_way += gave_way;
    sum.with_rate += with_rate;
}

fn distribute(sum: &mut Distribution, more: &Distribution) {
    sum.sum_us += more.sum_us;
    sum.buckets.resize(sum.buckets.len().max(more.buckets.len()), 0);
    sum.buckets.iter_mut().zip(&more.buckets).for_each(|(sum, more)| *sum += more);
}

/// Adds the sample of another server of the same second. Percentiles cannot be added; the worst one counts.
fn sum_up(sum: &mut Sample, more: &Sample) {
    sum.unix_ms = sum.unix_ms.max(more.unix_ms);
    sum.elapsed_ms = sum.elapsed_ms.max(more.elapsed_ms);
    sum.ended.resize(sum.ended.len().max(more.ended.len()), 0);
    sum.ended.iter_mut().zip(&more.ended).for_each(|(sum, more)| *sum += more);
    sum.bytes_per_second.read += more.bytes_per_second.read;
    sum.bytes_per_second.write += more.bytes_per_second.write;
    sum.retransmissions += more.retransmissions;
    sum.active += more.active;
    sum.pending += more.pending;
    sum.decision_p50_us = sum.decision_p50_us.max(more.decision_p50_us);
    sum.decision_p99_us = sum.decision_p99_us.max(more.decision_p99_us);
    sum.duration_p50_us = sum.duration_p50_us.max(more.duration_p50_us);
    sum.duration_p99_us = sum.duration_p99_us.max(more.duration_p99_us);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::ByOperation;
    use serde_json::json;

    fn snapshot(active: u64, second: u64) -> Snapshot {
        let sample = Sample {
            unix_ms: second * 1000 + 7,
            elapsed_ms: 1000,
            ended: vec![1, 0],
            bytes_per_second: ByOperation { read: 100, write: 1 },
            retransmissions: 2,
            active,
            pending: 0,
            decision_p50_us: Some(active),
            decision_p99_us: None,
            duration_p50_us: None,
            duration_p99_us: None,
        };
        let newest = Sample { unix_ms: sample.unix_ms + 1000, ..sample.clone() };
        let distribution = Distribution { sum_us: 5, buckets: vec![1, 2] };
        Snapshot {
            ready: active < 9,
            reasons: if active < 9 {
                Vec::new()
            } else {
                vec![Reason { check: "sink".into(), detail: "broken".into() }]
            },
            totals: Totals { active, decision: distribution, ..Totals::default() },
            samples: vec![sample, newest],
            ..Fleet::new(0).empty(0)
        }
    }

    fn say(fleet: &mut Fleet, server: &str, snapshot: &Snapshot, at: Instant) {
        fleet.take(json!({ "server": server, "snapshot": snapshot }).to_string().as_bytes(), at);
    }

    #[test]
    fn servers_are_added_up_and_named() {
        let (mut fleet, now) = (Fleet::new(0), Instant::now());
        assert!(fleet.is_empty());
        say(&mut fleet, "b", &snapshot(9, 5), now);
        say(&mut fleet, "a", &snapshot(2, 5), now);
        say(&mut fleet, "a", &snapshot(3, 5), now);
        fleet.take(b"{ nonsense", now);
        let merged = fleet.merged(now, 6000);
        assert_eq!((merged.totals.active, merged.totals.decision.count()), (12, 6));
        assert_eq!(merged.host, "2 servers");
        let names: Vec<(&str, u64)> = merged.servers.iter().map(|one| (&*one.server, one.active)).collect();
        assert_eq!(names, [("a", 3), ("b", 9)]);
        assert_eq!((merged.ready, &*merged.reasons[0].detail), (false, "b: broken"));
        // One second of both; the newest may not be whole.
        let [sample] = &merged.samples[..] else { unreachable!("one second: {:?}", merged.samples) };
        assert_eq!((sample.bytes_per_second.read, sample.active, sample.decision_p50_us), (200, 12, Some(9)));
        assert_eq!(fleet.strange, 1);
    }

    #[test]
    fn a_silent_server_is_shown_as_such_and_then_not_at_all() {
        let (mut fleet, begun) = (Fleet::new(0), Instant::now());
        say(&mut fleet, "a", &snapshot(2, 5), begun);
        say(&mut fleet, "b", &snapshot(3, 5), begun + Duration::from_secs(30));
        let merged = fleet.merged(begun + Duration::from_secs(31), 0);
        assert_eq!((merged.totals.active, merged.servers[0].silent_seconds), (3, 31));
        assert_eq!(merged.reasons[0].detail, "a: nothing was heard for 31 s");
        let merged = fleet.merged(begun + Duration::from_secs(70), 0);
        assert_eq!((merged.servers.len(), merged.host.as_str()), (1, "1 server"));
    }
}
