//! The writing thread: one transaction for all queued changes.

use std::collections::HashMap;
use std::sync::Arc;

use redb::{Database, ReadableTable};
use tokio::sync::{mpsc, oneshot};

use super::entry::Entry;
use super::tables::Tables;
use super::usage::{Usage, Usages};
use super::{Change, KvError, MAX_VALUE, Quota, now_ms, unavailable};

/// Changes per transaction.
const BATCH: usize = 256;

/// A queued change.
pub(super) struct Job {
    pub(super) namespace: Arc<str>,
    pub(super) quota: Quota,
    pub(super) key: String,
    pub(super) change: Change,
    pub(super) answer: oneshot::Sender<Result<i64, KvError>>,
}

type Answer = Result<i64, KvError>;

/// Writes until all senders are gone.
pub(super) fn run(database: &Database, mut jobs: mpsc::Receiver<Job>) {
    let mut usages = Usages::new();
    let mut batch = Vec::new();
    while jobs.blocking_recv_many(&mut batch, BATCH) > 0 {
        match write(database, &mut usages, &batch) {
            Ok(answers) => {
                for (job, answer) in batch.drain(..).zip(answers) {
                    // A caller that waits no longer has run out of time.
                    let _ = job.answer.send(answer);
                }
            }
            Err(error) => {
                tracing::warn!(
                    target: "tuffet::kv::writer", %error,
                    "the plugins' keys cannot be written; check the disk of `state`"
                );
                // The counts of this transaction did not take effect.
                usages = HashMap::new();
                for job in batch.drain(..) {
                    let _ = job.answer.send(Err(unavailable(&error)));
                }
            }
        }
    }
}

fn write(database: &Database, usages: &mut Usages, batch: &[Job]) -> Result<Vec<Answer>, redb::Error> {
    let transaction = database.begin_write()?;
    let mut answers = Vec::with_capacity(batch.len());
    {
        let mut tables = Tables::open(&transaction)?;
        for job in batch {
            answers.push(apply(&mut tables, usages, job, now_ms())?);
        }
        tables.close()?;
    }
    transaction.commit()?;
    Ok(answers)
}

/// Applies a change. The outer error is that of the file and ends the transaction; the inner one is the
/// job's.
fn apply(tables: &mut Tables<'_>, usages: &mut Usages, job: &Job, now: u64) -> Result<Answer, redb::Error> {
    let id = (&*job.namespace, &*job.key);
    let usage = match usages.get(&job.namespace) {
        Some(usage) => *usage,
        None => Usage::sweep(tables, &job.namespace, now)?,
    };
    let found = tables.keys.get(id)?.map(|found| {
        let Entry { until, value } = Entry::parse(found.value());
        (until, value.to_vec())
    });
    let mut after = usage;
    if let Some((_, value)) = &found {
        after.remove(&job.key, value.len());
    }
    let is_over = |(until, value): &(u64, Vec<u8>)| Entry { until: *until, value }.is_over(now);
    let (entry, answer) = match &job.change {
        Change::Delete => (None, 0),
        Change::Set { value, ttl_seconds } => (Some((Entry::until(now, *ttl_seconds), value.clone())), 0),
        Change::Increment { by, ttl_seconds } => {
            let current = found.filter(|found| !is_over(found));
            let (until, counter) = match current {
                None => (Entry::until(now, *ttl_seconds), 0),
                Some((until, value)) => match <[u8; 8]>::try_from(value.as_slice()) {
                    Ok(counter) => (until, i64::from_le_bytes(counter)),
                    Err(_) => return Ok(Err(KvError::NotACounter)),
                },
            };
            let counter = counter.saturating_add(*by);
            (Some((until, counter.to_le_bytes().to_vec())), counter)
        }
        Change::Swap { revision, value, ttl_seconds } => {
            let current = match found.filter(|found| !is_over(found)) {
                Some(_) => Some(tables.revision(id)?),
                None => None,
            };
            if current != *revision {
                return Ok(Err(KvError::Conflict));
            }
            (Some((Entry::until(now, *ttl_seconds), value.clone())), 0)
        }
    };
    let revision = match entry {
        None => {
            tables.remove(id)?;
            0
        }
        Some((until, value)) => {
            debug_assert!(value.len() <= MAX_VALUE, "checked where the plugin asks");
            after.add(&job.key, value.len());
            if after.exceeds(job.quota, usage) {
                // Expired entries may make room.
                let swept = Usage::sweep(tables, &job.namespace, now)?;
                after = swept;
                if let Some(there) = tables.keys.get(id)? {
                    after.remove(&job.key, Entry::parse(there.value()).value.len());
                }
                after.add(&job.key, value.len());
                if after.exceeds(job.quota, swept) {
                    usages.insert(Arc::clone(&job.namespace), swept);
                    return Ok(Err(KvError::Quota));
                }
            }
            tables.insert(id, &Entry { until, value: &value }.bytes())?
        }
    };
    usages.insert(Arc::clone(&job.namespace), after);
    Ok(Ok(if matches!(job.change, Change::Swap { .. }) { revision.cast_signed() } else { answer }))
}
