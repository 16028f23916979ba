//! The newest snapshots of all servers, merged into one.

use super::sanitise::{MAX_ROWS, align_clock, truncate};
use super::{Message, ServerSnapshot, token};
use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tuffet_request::Distribution;
use tuffet_request::events::Outcome;
use tuffet_server::status::{Reason, ServerState};
use tuffet_server::watch::{Ended, FleetServer, Labelled, RowQuery, Sample, Snapshot, Totals};

/// A server counts as silent after the first of these times, and disappears after the second.
const SILENT_AFTER: Duration = Duration::from_secs(5);
const GONE_AFTER: Duration = Duration::from_secs(60);
/// The most servers, and bytes of their messages; more would be a mistake or an attack.
const MAX_SERVERS: usize = 10_000;
const MAX_BYTES: usize = 256 << 20;

/// The servers with recent messages.
#[derive(Debug)]
pub(crate) struct Fleet {
    servers: BTreeMap<String, LatestSnapshot>,
    started_unix_ms: u64,
    /// The bytes of their messages, and their limit.
    bytes: usize,
    max_bytes: usize,
    /// The number of rejected messages.
    rejected: u64,
}

#[derive(Debug)]
struct LatestSnapshot {
    snapshot: Snapshot,
    at: Instant,
    /// The length of the message.
    bytes: usize,
}

impl Fleet {
    /// Creates a view that begins now.
    pub fn new(now_unix_ms: u64) -> Fleet {
        Fleet {
            servers: BTreeMap::new(),
            started_unix_ms: now_unix_ms,
            bytes: 0,
            max_bytes: MAX_BYTES,
            rejected: 0,
        }
    }

    /// Takes the snapshot of a server. `of` is the last token of its subject, which must match the name in the message:
    /// NATS can restrict each login to its own subjects.
    pub fn take(&mut self, of: &str, payload: &[u8], at: Instant, now_unix_ms: u64) {
        let (Ok(Message { server, content: ServerSnapshot { mut snapshot } }), bytes) =
            (serde_json::from_slice(payload), payload.len())
        else {
            self.rejected += 1;
            return;
        };
        let before = self.servers.get(&server).map(|latest| latest.bytes);
        let has_room = before.is_some() || self.servers.len() < MAX_SERVERS;
        let all = self.bytes - before.unwrap_or_default() + bytes;
        if of != token(&server) || !has_room || all > self.max_bytes {
            self.rejected += 1;
            return;
        }
        self.bytes = all;
        truncate(&mut snapshot);
        align_clock(&mut snapshot, now_unix_ms);
        self.servers.insert(server, LatestSnapshot { snapshot, at, bytes });
    }

    /// Returns whether there is no server.
    pub fn is_empty(&self) -> bool {
        self.servers.is_empty()
    }

    /// Returns all servers as one snapshot.
    pub fn merged(&mut self, now: Instant, now_unix_ms: u64) -> Snapshot {
        self.servers.retain(|_, latest| now.saturating_duration_since(latest.at) < GONE_AFTER);
        self.bytes = self.servers.values().map(|latest| latest.bytes).sum();
        let mut merged = self.empty(now_unix_ms);
        let mut reasons = Vec::new();
        let mut samples: BTreeMap<u64, Sample> = BTreeMap::new();
        for (name, LatestSnapshot { snapshot, at, .. }) in &self.servers {
            let age = now.saturating_duration_since(*at);
            let silent = age > SILENT_AFTER;
            let because = |reason: &Reason| Reason {
                check: reason.check.clone(),
                detail: format!("{name}: {}", reason.detail),
            };
            reasons.extend(snapshot.state.reasons.iter().map(because));
            if silent {
                let detail = format!("{name}: nothing was heard for {} s", age.as_secs());
                reasons.push(Reason { check: "silent".into(), detail });
            }
            merged.servers.push(server(name, snapshot, age));
            if silent {
                continue;
            }
            add_totals(&mut merged.totals, &snapshot.totals, name);
            add_saturating(&mut merged.active_blocks, snapshot.active_blocks);
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
                samples
                    .entry(second)
                    .and_modify(|sum| add_sample(sum, sample))
                    .or_insert_with(|| sample.clone());
            }
        }
        merged.state = ServerState::of_many(reasons);
        RowQuery::default().arrange(&mut merged.active, MAX_ROWS);
        merged.matching = merged.totals.active;
        merged.finished.sort_by_key(|row| std::cmp::Reverse(row.ended_unix_ms));
        merged.finished.truncate(MAX_ROWS);
        // Some servers may not have sent the newest second yet.
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
            state: ServerState::default(),
            totals: Totals::default(),
            active: Vec::new(),
            matching: 0,
            filter: String::new(),
            active_blocks: 0,
            finished: Vec::new(),
            samples: Vec::new(),
            servers: Vec::new(),
        }
    }
}

fn server(name: &str, snapshot: &Snapshot, age: Duration) -> FleetServer {
    let last = snapshot.samples.last();
    let moved =
        last.map_or(0, |sample| sample.bytes_per_second.read.saturating_add(sample.bytes_per_second.write));
    let ended = |counts: fn(Outcome) -> bool| -> u64 {
        let ended = snapshot.totals.ended.iter().filter(|ended| counts(ended.outcome));
        ended.fold(0, |sum: u64, ended| sum.saturating_add(ended.count))
    };
    FleetServer {
        server: name.to_owned(),
        version: snapshot.version.clone(),
        generation: snapshot.generation,
        revision: snapshot.revision.clone(),
        ready: snapshot.state.ready,
        active: snapshot.totals.active,
        bytes_per_second: moved,
        ended: ended(|_| true),
        failures: ended(|outcome| outcome.is_failure() && !outcome.is_refusal()),
        refused: ended(Outcome::is_refusal),
        started_unix_ms: snapshot.started_unix_ms,
        silent_seconds: if age > SILENT_AFTER { age.as_secs() } else { 0 },
    }
}

/// Adds the totals of a server. Plugins, profiles and sinks stay separate, with its name as prefix.
fn add_totals(sum: &mut Totals, more: &Totals, server: &str) {
    let Totals {
        admitted,
        active,
        ended,
        labels,
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
        profiles,
        dropped,
        unanswered,
        half_open,
        gave_way,
        with_rate,
    } = more;
    add_saturating(&mut sum.admitted, admitted);
    add_saturating(&mut sum.active, active);
    for more in ended {
        let same = |one: &&mut Ended| {
            (one.protocol, &one.operation, one.outcome) == (more.protocol, &more.operation, more.outcome)
        };
        match sum.ended.iter_mut().find(same) {
            Some(one) => add_saturating(&mut one.count, more.count),
            None => sum.ended.push(more.clone()),
        }
    }
    for more in labels {
        let same = |one: &&mut Labelled| one.plugin == more.plugin && one.label == more.label;
        let has_room = sum.labels.len() < MAX_ROWS;
        match sum.labels.iter_mut().find(same) {
            Some(one) => add_saturating(&mut one.count, more.count),
            None if has_room => sum.labels.push(more.clone()),
            None => {}
        }
    }
    add_saturating(&mut sum.bytes.read, bytes.read);
    add_saturating(&mut sum.bytes.write, bytes.write);
    add_saturating(&mut sum.blocks.read, blocks.read);
    add_saturating(&mut sum.blocks.write, blocks.write);
    add_saturating(&mut sum.retransmissions, retransmissions);
    add_saturating(&mut sum.duplicates, duplicates);
    add_saturating(&mut sum.timeouts, timeouts);
    add_saturating(&mut sum.needless_timeouts, needless_timeouts);
    add_distribution(&mut sum.duration.read, &duration.read);
    add_distribution(&mut sum.duration.write, &duration.write);
    add_distribution(&mut sum.rtt, rtt);
    add_distribution(&mut sum.first_block, first_block);
    add_distribution(&mut sum.decision, decision);
    add_saturating(&mut sum.queues.decisions, queues.decisions);
    add_saturating(&mut sum.queues.summaries, queues.summaries);
    add_saturating(&mut sum.queues.events, queues.events);
    add_saturating(&mut sum.queues.progress_left_out, queues.progress_left_out);
    sum.queues.sinks.extend(queues.sinks.iter().cloned().map(|mut sink| {
        sink.sink = format!("{server}/{}", sink.sink);
        sink
    }));
    add_saturating(&mut sum.file_cache.hits, file_cache.hits);
    add_saturating(&mut sum.file_cache.misses, file_cache.misses);
    add_saturating(&mut sum.file_cache.bytes, file_cache.bytes);
    add_saturating(&mut sum.file_cache.capacity, file_cache.capacity);
    sum.plugins.extend(plugins.iter().cloned().map(|mut plugin| {
        plugin.plugin = format!("{server}/{}", plugin.plugin);
        plugin
    }));
    sum.profiles.extend(profiles.iter().cloned().map(|mut profile| {
        profile.profile = format!("{server}/{}", profile.profile);
        profile
    }));
    for more in dropped {
        match sum.dropped.iter_mut().find(|one| one.reason == more.reason) {
            Some(one) => add_saturating(&mut one.count, more.count),
            None => sum.dropped.push(more.clone()),
        }
    }
    add_saturating(&mut sum.unanswered, unanswered);
    add_saturating(&mut sum.half_open, half_open);
    add_saturating(&mut sum.gave_way, gave_way);
    add_saturating(&mut sum.with_rate, with_rate);
}

fn add_distribution(sum: &mut Distribution, more: &Distribution) {
    add_saturating(&mut sum.sum_us, more.sum_us);
    sum.buckets.resize(sum.buckets.len().max(more.buckets.len()), 0);
    sum.buckets.iter_mut().zip(&more.buckets).for_each(|(sum, more)| add_saturating(sum, *more));
}

/// Adds the sample of another server for the same second. Percentiles cannot be added, so this takes the worst one.
fn add_sample(sum: &mut Sample, more: &Sample) {
    sum.unix_ms = sum.unix_ms.max(more.unix_ms);
    sum.elapsed_ms = sum.elapsed_ms.max(more.elapsed_ms);
    sum.ended.resize(sum.ended.len().max(more.ended.len()), 0);
    sum.ended.iter_mut().zip(&more.ended).for_each(|(sum, more)| add_saturating(sum, *more));
    add_saturating(&mut sum.bytes_per_second.read, more.bytes_per_second.read);
    add_saturating(&mut sum.bytes_per_second.write, more.bytes_per_second.write);
    add_saturating(&mut sum.retransmissions, more.retransmissions);
    add_saturating(&mut sum.active, more.active);
    add_saturating(&mut sum.pending, more.pending);
    sum.decision_p50_us = sum.decision_p50_us.max(more.decision_p50_us);
    sum.decision_p99_us = sum.decision_p99_us.max(more.decision_p99_us);
    sum.duration_p50_us = sum.duration_p50_us.max(more.duration_p50_us);
    sum.duration_p99_us = sum.duration_p99_us.max(more.duration_p99_us);
}

/// Adds a number from another machine, without overflow.
fn add_saturating(sum: &mut u64, more: impl Borrow<u64>) {
    *sum = sum.saturating_add(*more.borrow());
}

#[cfg(test)]
mod tests {
    use super::super::sanitise::MAX_COUNT;
    use super::*;
    use serde_json::json;
    use tuffet_server::watch::ByOperation;

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
            state: ServerState::of_many(if active < 9 {
                Vec::new()
            } else {
                vec![Reason { check: "sink".into(), detail: "broken".into() }]
            }),
            totals: Totals { active, decision: distribution, ..Totals::default() },
            active_blocks: active,
            unix_ms: newest.unix_ms,
            samples: vec![sample, newest],
            ..Fleet::new(0).empty(0)
        }
    }

    fn take(fleet: &mut Fleet, server: &str, snapshot: &Snapshot, at: Instant) {
        fleet.take(server, message(server, snapshot).as_bytes(), at, snapshot.unix_ms);
    }

    fn message(server: &str, snapshot: &Snapshot) -> String {
        json!({ "server": server, "snapshot": snapshot }).to_string()
    }

    #[test]
    fn servers_are_added_up_and_named() {
        let (mut fleet, now) = (Fleet::new(0), Instant::now());
        assert!(fleet.is_empty());
        take(&mut fleet, "b", &snapshot(9, 5), now);
        take(&mut fleet, "a", &snapshot(2, 5), now);
        take(&mut fleet, "a", &snapshot(3, 5), now);
        fleet.take("c", b"{ nonsense", now, 0);
        let merged = fleet.merged(now, 6000);
        assert_eq!((merged.totals.active, merged.totals.decision.count(), merged.active_blocks), (12, 6, 12));
        assert_eq!(merged.host, "2 servers");
        let names: Vec<(&str, u64)> = merged.servers.iter().map(|one| (&*one.server, one.active)).collect();
        assert_eq!(names, [("a", 3), ("b", 9)]);
        assert_eq!((merged.state.ready, &*merged.state.reasons[0].detail), (false, "b: broken"));
        // One second of both servers; the newest may be incomplete.
        let [sample] = &merged.samples[..] else { unreachable!("one second: {:?}", merged.samples) };
        assert_eq!((sample.bytes_per_second.read, sample.active, sample.decision_p50_us), (200, 12, Some(9)));
        assert_eq!(fleet.rejected, 1);
    }

    #[test]
    fn a_silent_server_is_shown_as_such_and_then_not_at_all() {
        let (mut fleet, begun) = (Fleet::new(0), Instant::now());
        take(&mut fleet, "a", &snapshot(2, 5), begun);
        take(&mut fleet, "b", &snapshot(3, 5), begun + Duration::from_secs(30));
        let merged = fleet.merged(begun + Duration::from_secs(31), 0);
        assert_eq!((merged.totals.active, merged.servers[0].silent_seconds), (3, 31));
        assert_eq!(merged.state.reasons[0].detail, "a: nothing was heard for 31 s");
        let merged = fleet.merged(begun + Duration::from_secs(70), 0);
        assert_eq!((merged.servers.len(), merged.host.as_str()), (1, "1 server"));
    }

    /// A login for one server cannot publish for another, and its data is limited.
    #[test]
    fn a_server_can_only_lie_about_itself() {
        let (mut fleet, now) = (Fleet::new(0), Instant::now());
        take(&mut fleet, "a", &snapshot(2, 5), now);
        fleet.take("liar", message("a", &snapshot(7, 5)).as_bytes(), now, 6007);
        assert_eq!((fleet.merged(now, 0).totals.active, fleet.rejected), (2, 1));

        let mut lie = snapshot(u64::MAX, 5);
        lie.state.reasons = vec![lie.state.reasons[0].clone(); 10_000];
        lie.samples = vec![lie.samples[0].clone(); 10_000];
        lie.samples.push(Sample { unix_ms: u64::MAX, ..lie.samples[0].clone() });
        lie.totals.decision.buckets = vec![u64::MAX; 2];
        take(&mut fleet, "liar", &lie, now);
        let merged = fleet.merged(now, 0);
        assert_eq!((merged.totals.active, merged.totals.decision.count()), (u64::MAX, 2 * MAX_COUNT + 3));
        assert_eq!(merged.active_blocks, u64::MAX);
        assert_eq!(merged.state.reasons.len(), MAX_ROWS);
        let [sample] = &merged.samples[..] else { unreachable!("one second: {:?}", merged.samples) };
        assert_eq!(sample.unix_ms, 5007);
    }

    #[test]
    fn messages_of_all_servers_share_a_limit() {
        let (mut fleet, now) = (Fleet::new(0), Instant::now());
        let long = Snapshot { host: "x".repeat(6000), ..snapshot(1, 5) };
        fleet.max_bytes = 12_000;
        for _ in 0..3 {
            take(&mut fleet, "a", &long, now);
        }
        take(&mut fleet, "b", &long, now);
        take(&mut fleet, "c", &snapshot(2, 5), now);
        let servers: Vec<String> = fleet.merged(now, 0).servers.into_iter().map(|one| one.server).collect();
        assert_eq!((servers, fleet.rejected), (vec!["a".into(), "c".into()], 1));
    }

    #[test]
    fn samples_of_a_server_with_a_wrong_clock_are_aligned() {
        for (theirs, ours) in [(5, 5 + 86_400), (5 + 86_400, 5), (5, 6)] {
            let (mut fleet, now) = (Fleet::new(0), Instant::now());
            let (right, wrong) = (snapshot(2, ours), snapshot(3, theirs));
            fleet.take("a", message("a", &right).as_bytes(), now, right.unix_ms);
            fleet.take("b", message("b", &wrong).as_bytes(), now, right.unix_ms);
            let merged = fleet.merged(now, right.unix_ms);
            let both = merged.samples.iter().find(|sample| sample.bytes_per_second.read == 200);
            assert!(both.is_some(), "{theirs} {ours}: {:?}", merged.samples);
        }
    }
}
