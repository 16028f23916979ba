//! The writing thread: one transaction for all queued changes.

use std::sync::Arc;

use redb::ReadableTable;
use tokio::sync::{mpsc, oneshot};

use super::entry::Entry;
use super::open_file::{KvFile, Open};
use super::tables::Tables;
use super::usage::{Usage, Usages};
use super::{Change, KvError, MAX_PAGE_KEYS, MAX_VALUE, Quota, now_ms};

/// Changes per transaction.
const MAX_BATCH: usize = 256;

/// A queued change.
pub(super) struct QueuedChange {
    pub(super) namespace: Arc<str>,
    pub(super) quota: Quota,
    pub(super) key: String,
    pub(super) change: Change,
    pub(super) answer: oneshot::Sender<Result<i64, KvError>>,
}

type ChangeResult = Result<i64, KvError>;

/// Writes until all senders are gone.
pub(super) fn run(file: &KvFile, mut changes: mpsc::Receiver<QueuedChange>) {
    let mut counted = Counted::default();
    let mut batch = Vec::new();
    while changes.blocking_recv_many(&mut batch, MAX_BATCH) > 0 {
        let written = file.with(|open| {
            let written = write(open, counted.of(open), &batch).map_err(|error| error.to_string());
            answer(&mut batch, &mut counted, written);
            open.yield_to_others();
        });
        if let Err(error) = written {
            answer(&mut batch, &mut counted, Err(error));
        }
    }
}

/// The usages, and the opening of the file since which no other process has changed it.
#[derive(Default)]
struct Counted {
    usages: Usages,
    number: Option<u64>,
}

impl Counted {
    /// The usages for a batch, none if another process may have changed the file since the last one.
    fn of(&mut self, open: &Open) -> &mut Usages {
        if open.shared || self.number != Some(open.number) {
            self.usages.clear();
        }
        self.number = Some(open.number);
        &mut self.usages
    }
}

/// Answers all changes of a batch.
fn answer(batch: &mut Vec<QueuedChange>, counted: &mut Counted, written: Result<Vec<ChangeResult>, String>) {
    match written {
        Ok(answers) => {
            for (queued, answer) in batch.drain(..).zip(answers) {
                // If the caller is gone, it has timed out.
                let _ = queued.answer.send(answer);
            }
        }
        Err(error) => {
            tracing::warn!(
                target: "tuffet::kv::writer", %error,
                "the plugins' keys cannot be written; check the disk of `state`"
            );
            // The transaction was rolled back, and with it these counts.
            counted.usages.clear();
            for queued in batch.drain(..) {
                let _ = queued.answer.send(Err(KvError::Unavailable(error.clone())));
            }
        }
    }
}

fn write(open: &Open, usages: &mut Usages, batch: &[QueuedChange]) -> Result<Vec<ChangeResult>, redb::Error> {
    let transaction = open.begin_write()?;
    let mut answers = Vec::with_capacity(batch.len());
    {
        let mut tables = Tables::open(&transaction)?;
        for queued in batch {
            answers.push(apply(&mut tables, usages, queued, now_ms())?);
        }
        tables.close()?;
    }
    transaction.commit()?;
    Ok(answers)
}

/// Applies a change. The outer error is one of the file and ends the transaction; the inner one is the answer to the
/// caller.
fn apply(
    tables: &mut Tables<'_>,
    usages: &mut Usages,
    queued: &QueuedChange,
    now: u64,
) -> Result<ChangeResult, redb::Error> {
    let id = (&*queued.namespace, &*queued.key);
    let usage = match usages.get(&queued.namespace) {
        Some(usage) => *usage,
        None => Usage::sweep(tables, &queued.namespace, now)?,
    };
    if queued.change == Change::DeletePrefix {
        return delete_prefix(tables, usages, queued, usage, now);
    }
    let found = tables.keys.get(id)?.map(|found| {
        let Entry { until, value } = Entry::parse(found.value());
        (until, value.to_vec())
    });
    let mut after = usage;
    if let Some((_, value)) = &found {
        after.remove(&queued.key, value.len());
    }
    let is_expired = |(until, value): &(u64, Vec<u8>)| Entry { until: *until, value }.is_expired(now);
    let (entry, answer) = match &queued.change {
        Change::Delete | Change::DeletePrefix => (None, 0),
        Change::Set { value, ttl_seconds } => (Some((Entry::expiry(now, *ttl_seconds), value.clone())), 0),
        Change::Increment { by, ttl_seconds } => {
            let current = found.filter(|found| !is_expired(found));
            let (until, counter) = match current {
                None => (Entry::expiry(now, *ttl_seconds), 0),
                Some((until, value)) => match <[u8; 8]>::try_from(value.as_slice()) {
                    Ok(counter) => (until, i64::from_le_bytes(counter)),
                    Err(_) => return Ok(Err(KvError::NotACounter)),
                },
            };
            let counter = counter.saturating_add(*by);
            (Some((until, counter.to_le_bytes().to_vec())), counter)
        }
        Change::Swap { revision, value, ttl_seconds } => {
            let current = match found.filter(|found| !is_expired(found)) {
                Some(_) => Some(tables.revision(id)?),
                None => None,
            };
            if current != *revision {
                return Ok(Err(KvError::Conflict));
            }
            (Some((Entry::expiry(now, *ttl_seconds), value.clone())), 0)
        }
    };
    let revision = match entry {
        None => {
            tables.remove(id)?;
            0
        }
        Some((until, value)) => {
            debug_assert!(value.len() <= MAX_VALUE, "checked in the call of the plugin");
            after.add(&queued.key, value.len());
            if after.exceeds(queued.quota, usage) {
                // Without expired entries it may fit.
                let swept = Usage::sweep(tables, &queued.namespace, now)?;
                after = swept;
                if let Some(current) = tables.keys.get(id)? {
                    after.remove(&queued.key, Entry::parse(current.value()).value.len());
                }
                after.add(&queued.key, value.len());
                if after.exceeds(queued.quota, swept) {
                    usages.insert(Arc::clone(&queued.namespace), swept);
                    return Ok(Err(KvError::Quota));
                }
            }
            tables.insert(id, &Entry { until, value: &value }.bytes())?
        }
    };
    usages.insert(Arc::clone(&queued.namespace), after);
    Ok(Ok(if matches!(queued.change, Change::Swap { .. }) { revision.cast_signed() } else { answer }))
}

/// Removes keys that begin with the key of the change, and returns how many.
fn delete_prefix(
    tables: &mut Tables<'_>,
    usages: &mut Usages,
    queued: &QueuedChange,
    mut usage: Usage,
    now: u64,
) -> Result<ChangeResult, redb::Error> {
    let (namespace, prefix) = (&*queued.namespace, &*queued.key);
    let mut removed = Vec::new();
    for found in tables.keys.range((namespace, prefix)..)? {
        let (id, entry) = found?;
        let (found_namespace, key) = id.value();
        if removed.len() == MAX_PAGE_KEYS || found_namespace != namespace || !key.starts_with(prefix) {
            break;
        }
        let entry = Entry::parse(entry.value());
        // A sweep removes the others.
        if !entry.is_expired(now) {
            usage.remove(key, entry.value.len());
            removed.push(key.to_owned());
        }
    }
    for key in &removed {
        tables.remove((namespace, key))?;
    }
    usages.insert(Arc::clone(&queued.namespace), usage);
    Ok(Ok(i64::try_from(removed.len()).unwrap_or(i64::MAX)))
}
