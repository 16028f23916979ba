//! The active transfers and their progress.
//!
//! A transfer is inserted when it is granted and removed when its summary is logged, both outside of the data path. In
//! between, its worker updates the progress in its record, which others read.

use super::counts::Counts;
use super::options::negotiated;
use super::query::{Facts, Row, RowQuery, state};
use super::slow::Slow;
use super::snapshot::{Active, calls, unix_ms};
use hashbrown::{DefaultHashBuilder, HashTable};
use parking_lot::{Mutex, MutexGuard};
use std::cmp::Ordering;
use std::fmt::Write as _;
use std::hash::BuildHasher;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use tuffet_request::Moved;
use tuffet_request::events::{CompactRecord, Summary};

/// Parts of the table, each with its own lock: grants come from several threads.
const SHARDS: usize = 16;

#[derive(Debug, Default)]
pub(super) struct ActiveTransfers {
    shards: [Mutex<Shard>; SHARDS],
    hasher: DefaultHashBuilder,
}

/// The holder of its lock may take samples of its records.
type Shard = HashTable<Arc<CompactRecord>>;

/// A transfer that may become a row.
///
/// It has a copy of what changes: an order must not change while rows are sorted.
struct Candidate {
    rate: u64,
    idle_seconds: u64,
    bytes: u64,
    resent: u32,
    age_us: u64,
    record: Arc<CompactRecord>,
}

impl ActiveTransfers {
    fn shard(&self, id: u64) -> MutexGuard<'_, Shard> {
        lock(&self.shards[id as usize % SHARDS])
    }

    fn all(&self) -> impl Iterator<Item = MutexGuard<'_, Shard>> {
        self.shards.iter().map(lock)
    }

    pub(super) fn begin(&self, record: Arc<CompactRecord>) {
        let (id, hash) = (record.id().0, |record: &Arc<CompactRecord>| self.hasher.hash_one(record.id().0));
        self.shard(id).insert_unique(self.hasher.hash_one(id), record, hash);
    }

    /// Removes the transfer, if it is there, and counts the rest of its progress.
    pub(super) fn end(&self, summary: &Summary, counts: &Counts) {
        let request = &summary.record.request;
        let id = request.id.0;
        let mut shard = self.shard(id);
        let found = shard.find_entry(self.hasher.hash_one(id), |record| record.id().0 == id);
        let counted = found.map_or(Moved::default(), |found| found.remove().0.progress.counted());
        let again = summary.stats.retransmissions.saturating_sub(counted.retransmissions);
        // Under the lock, to exclude samples in between.
        counts.moved(request.operation, summary.bytes.saturating_sub(counted.bytes), again.into());
    }

    /// Counts the progress of all transfers since the last call, `elapsed` ago. Returns those that have become slow.
    pub(super) fn sample(&self, elapsed: Duration, counts: &Counts) -> Slow {
        let (now, mut slow) = (Instant::now(), Slow::default());
        for shard in self.all() {
            for record in shard.iter() {
                let Moved { bytes, retransmissions } = record.progress.sample(elapsed);
                if bytes > 0 || retransmissions > 0 {
                    counts.moved(record.operation(), bytes, retransmissions.into());
                }
                slow.look(record, now);
            }
        }
        slow
    }

    pub(super) fn count(&self) -> u64 {
        self.all().map(|shard| shard.len() as u64).sum()
    }

    /// Returns the number of transfers with a rate.
    pub(super) fn with_rate(&self) -> u64 {
        let limited = |record: &&Arc<CompactRecord>| record.rate().is_some();
        self.all().map(|shard| shard.iter().filter(limited).count() as u64).sum()
    }

    /// Estimates the blocks of all transfers from their bytes and the granted block sizes, each with the one in flight.
    pub(super) fn blocks(&self) -> u64 {
        let blocks_of = |record: &Arc<CompactRecord>| {
            let block = record.negotiated_options().unwrap_or_default().block_size();
            record.progress.bytes().div_ceil(u64::from(block).max(1)) + 1
        };
        self.all().map(|shard| shard.iter().map(blocks_of).sum::<u64>()).sum()
    }

    /// Returns at most this many of the transfers that match, and the number of all that match.
    pub(super) fn rows(&self, query: &RowQuery, most: usize) -> (Vec<Active>, u64) {
        let (now, wall) = (Instant::now(), SystemTime::now());
        let mut all: Vec<Candidate> = Vec::new();
        for shard in self.all() {
            all.extend(shard.iter().map(|record| Candidate::of(record, now)));
        }
        if query.has_filter() {
            let mut client = String::new();
            all.retain(|candidate| candidate.matches(query, &mut client));
        }
        let matching = all.len() as u64;
        query.arrange_rows(&mut all, most);
        let rows = all.into_iter().map(|it| row(it.rate, it.idle_seconds, &it.record, now, wall));
        (rows.collect(), matching)
    }
}

impl Candidate {
    fn of(record: &Arc<CompactRecord>, now: Instant) -> Candidate {
        let (record, age) = (Arc::clone(record), now.saturating_duration_since(record.received()));
        Candidate {
            rate: record.progress.rate(),
            idle_seconds: record.progress.idle_seconds(),
            bytes: record.progress.bytes(),
            resent: record.progress.retransmissions(),
            age_us: u64::try_from(age.as_micros()).unwrap_or(u64::MAX),
            record,
        }
    }

    /// `client` is scratch space.
    fn matches(&self, query: &RowQuery, client: &mut String) -> bool {
        let record = &self.record;
        client.clear();
        // Writing to a string cannot fail.
        let _ = write!(client, "{}", record.client());
        if let Some(mac) = record.mac() {
            let _ = write!(client, " {}", mac.address);
        }
        let others = [
            record.class().as_str(),
            record.listener(),
            record.operation().as_str(),
            record.verdict_by().unwrap_or_default(),
        ];
        query.matches(&Facts {
            client,
            path: record.path(),
            resolved: record.resolved(),
            others: &others,
            state: Some(state(self.idle_seconds)),
            outcome: None,
        })
    }
}

impl Row for Candidate {
    fn rate(&self) -> u64 {
        self.rate
    }

    fn idle_seconds(&self) -> u64 {
        self.idle_seconds
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn size(&self) -> Option<u64> {
        self.record.size()
    }

    fn resent(&self) -> u32 {
        self.resent
    }

    fn age(&self) -> u64 {
        self.age_us
    }

    fn client(&self) -> Option<SocketAddr> {
        Some(self.record.client())
    }

    fn path(&self) -> &str {
        self.record.path()
    }

    fn compare_ids(&self, other: &Candidate) -> Ordering {
        self.record.id().0.cmp(&other.record.id().0)
    }
}

impl From<&CompactRecord> for Active {
    fn from(record: &CompactRecord) -> Active {
        row(0, 0, record, Instant::now(), SystemTime::now())
    }
}

fn row(rate: u64, idle_seconds: u64, record: &CompactRecord, now: Instant, wall: SystemTime) -> Active {
    let (negotiated_options, progress) = (record.negotiated_options(), &record.progress);
    let record = record.expand();
    let running = now.saturating_duration_since(record.received);
    Active {
        who: (&*record.request).into(),
        resolved: record.resolved.as_deref().map(str::to_owned),
        verdict_by: record.verdict_by.as_deref().map(str::to_owned),
        options: negotiated_options.map(|options| negotiated(&options)),
        plugin_calls: record.plugin_calls,
        plugins: calls(&record.request),
        decision_us: record.decided_after.map(|after| u64::try_from(after.as_micros()).unwrap_or(u64::MAX)),
        started_unix_ms: unix_ms(wall.checked_sub(running).unwrap_or(wall)),
        running_us: u64::try_from(running.as_micros()).unwrap_or(u64::MAX),
        size: record.size,
        rate: record.rate,
        bytes: progress.bytes(),
        bytes_per_second: rate,
        idle_seconds,
        retransmissions: progress.retransmissions(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}
