//! Single operations on a bucket.
//!
//! Reads ask the leader of the stream, so that a plugin reads what any server has written before. Counters are
//! changed by compare-and-swap on the revision: with the known value first, and with a fresh one after a
//! conflict.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use async_nats::jetstream::kv::{Store, UpdateErrorKind};
use async_nats::jetstream::stream::LastRawMessageErrorKind;
use bytes::Bytes;
use tokio::time::{sleep, timeout};

use super::super::entry::Entry;
use super::super::{KvError, Listing, MAX_VALUE, Namespace, Versioned, now_ms};
use super::mirror::{Known, Swept};
use super::names::name;
use super::{Answer, Shared, away, lock};
use tuffet_net::nats::explain;

/// The longest pause before another try after a conflict.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// An open bucket.
pub(super) struct Operations {
    pub(super) store: Store,
    pub(super) shared: Arc<Shared>,
    /// The time limit for one request to NATS.
    pub(super) timeout: Duration,
}

/// An increment of a counter.
pub(super) struct Increment {
    pub(super) by: i64,
    pub(super) ttl_seconds: Option<u32>,
    pub(super) answer: Answer<i64>,
}

/// That a request was not answered in time: the connection is of no use any more.
pub(super) struct Lost(pub(super) String);

/// The newest message of a key.
struct Newest {
    revision: u64,
    /// `None` for a deletion.
    entry: Option<Bytes>,
}

impl Operations {
    /// Reads a value.
    pub(super) async fn get(
        &self,
        namespace: &str,
        key: &str,
        answer: Answer<Option<Versioned>>,
    ) -> Result<(), Lost> {
        let value = |newest: Option<Newest>| {
            let Newest { revision, entry } = newest?;
            Known { revision, entry: entry? }.versioned(now_ms())
        };
        let found = self.newest(&name(namespace, key)).await?.map(value);
        let _ = answer.send(found);
        Ok(())
    }

    /// Replaces a value.
    pub(super) async fn set(
        &self,
        of: &Namespace,
        key: &str,
        value: &[u8],
        ttl_seconds: Option<u32>,
        answer: Answer<i64>,
    ) -> Result<(), Lost> {
        debug_assert!(value.len() <= MAX_VALUE, "checked where the plugin asks");
        let now = now_ms();
        if let Err(full) = lock(&self.shared.mirror).admit(&of.name, of.quota, key, value.len(), now) {
            let _ = answer.send(Err(full));
            return Ok(());
        }
        let entry = Bytes::from(Entry { until: Entry::until(now, ttl_seconds), value }.bytes());
        let put = self.in_time(self.store.put(name(&of.name, key), entry.clone())).await?;
        let done = put.map_err(|error| away(&explain(&error))).map(|revision| {
            lock(&self.shared.mirror).wrote(&of.name, key.to_owned(), revision, Some(entry));
            0
        });
        let _ = answer.send(done);
        Ok(())
    }

    /// Lists keys from the mirror, once NATS has answered: so a server that is away is noticed as with other calls.
    pub(super) async fn list(
        &self,
        namespace: &str,
        listing: &Listing,
        answer: Answer<Vec<String>>,
    ) -> Result<(), Lost> {
        self.ping().await?;
        let mirror = lock(&self.shared.mirror);
        let listed = match mirror.list(namespace, listing, now_ms()) {
            // A part would look like all.
            Some(_) if mirror.has_more(namespace) => Err(KvError::Quota),
            Some(known) => Ok(known),
            None => Err(away("the keys have not arrived yet")),
        };
        drop(mirror);
        let _ = answer.send(listed);
        Ok(())
    }

    /// Replaces a value that has this revision, or creates a key. Never tried again: another change means that the
    /// caller has not seen the newest value.
    pub(super) async fn swap(
        &self,
        of: &Namespace,
        key: &str,
        expected: Option<u64>,
        value: &[u8],
        ttl_seconds: Option<u32>,
        answer: Answer<i64>,
    ) -> Result<(), Lost> {
        let done = self.swapped(of, key, expected, value, ttl_seconds).await?;
        let _ = answer.send(done);
        Ok(())
    }

    async fn swapped(
        &self,
        of: &Namespace,
        key: &str,
        expected: Option<u64>,
        value: &[u8],
        ttl_seconds: Option<u32>,
    ) -> Result<Result<i64, KvError>, Lost> {
        let name = name(&of.name, key);
        // An expired entry and a deletion have a revision, too, but there is no such key.
        let newest = match self.newest(&name).await? {
            Ok(newest) => newest,
            Err(error) => return Ok(Err(error)),
        };
        let now = now_ms();
        let revision = newest.as_ref().map_or(0, |newest| newest.revision);
        let entry = newest.and_then(|newest| newest.entry);
        let there = entry.is_some_and(|entry| !Entry::parse(&entry).is_over(now));
        if there.then_some(revision) != expected {
            return Ok(Err(KvError::Conflict));
        }
        if let Err(full) = lock(&self.shared.mirror).admit(&of.name, of.quota, key, value.len(), now) {
            return Ok(Err(full));
        }
        let entry = Bytes::from(Entry { until: Entry::until(now, ttl_seconds), value }.bytes());
        match self.in_time(self.store.update(&name, entry.clone(), revision)).await? {
            Ok(revision) => {
                lock(&self.shared.mirror).wrote(&of.name, key.to_owned(), revision, Some(entry));
                Ok(Ok(revision.cast_signed()))
            }
            Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => Ok(Err(KvError::Conflict)),
            Err(error) => Ok(Err(away(&explain(&error)))),
        }
    }

    /// Removes a key. One that does not exist gets no deletion, which would be a message in the bucket.
    pub(super) async fn delete(&self, of: &Namespace, key: &str, answer: Answer<i64>) -> Result<(), Lost> {
        let name = name(&of.name, key);
        let known = lock(&self.shared.mirror).find(&of.name, key).is_some();
        let exists = if known {
            Ok(true)
        } else {
            self.newest(&name).await?.map(|newest| newest.is_some_and(|newest| newest.entry.is_some()))
        };
        let done = match exists {
            Ok(true) => {
                let deleted = self.in_time(self.store.delete(&name)).await?;
                deleted.map_err(|error| away(&explain(&error))).map(|()| {
                    lock(&self.shared.mirror).forget(&of.name, key);
                    0
                })
            }
            Ok(false) => Ok(0),
            Err(error) => Err(error),
        };
        let _ = answer.send(done);
        Ok(())
    }

    /// Adds all of these to one counter, in one change: a hundred concurrent increments on this server cost one
    /// request to NATS.
    pub(super) async fn increment(
        &self,
        of: &Namespace,
        key: &str,
        batch: Vec<Increment>,
    ) -> Result<(), Lost> {
        let answers = match self.sums(of, key, &batch).await? {
            Ok(sums) => sums.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error); batch.len()],
        };
        for (Increment { answer, .. }, sum) in batch.into_iter().zip(answers) {
            let _ = answer.send(sum);
        }
        Ok(())
    }

    async fn sums(
        &self,
        of: &Namespace,
        key: &str,
        batch: &[Increment],
    ) -> Result<Result<Vec<i64>, KvError>, Lost> {
        let name = name(&of.name, key);
        let known = lock(&self.shared.mirror).find(&of.name, key).cloned();
        let mut guess = known.map(|Known { revision, entry }| Newest { revision, entry: Some(entry) });
        let mut pause = Duration::from_millis(1);
        loop {
            let guessed = guess.is_some();
            let newest = match guess.take() {
                Some(guess) => Some(guess),
                None => match self.newest(&name).await? {
                    Ok(newest) => newest,
                    Err(error) => return Ok(Err(error)),
                },
            };
            let now = now_ms();
            let revision = newest.as_ref().map_or(0, |newest| newest.revision);
            let entry = newest.and_then(|newest| newest.entry);
            let Some((until, sums)) = add(entry.as_deref(), batch, now) else {
                if guessed {
                    continue;
                }
                return Ok(Err(KvError::NotACounter));
            };
            let sum = sums.last().copied().unwrap_or_default();
            if let Err(full) = lock(&self.shared.mirror).admit(&of.name, of.quota, key, 8, now) {
                return Ok(Err(full));
            }
            let entry = Bytes::from(Entry { until, value: &sum.to_le_bytes() }.bytes());
            match self.in_time(self.store.update(&name, entry.clone(), revision)).await? {
                Ok(revision) => {
                    lock(&self.shared.mirror).wrote(&of.name, key.to_owned(), revision, Some(entry));
                    return Ok(Ok(sums));
                }
                Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => {
                    self.shared.conflicts.fetch_add(1, Relaxed);
                    if batch.iter().all(|increment| increment.answer.is_closed()) {
                        return Ok(Err(away("the key is changed by too many servers at once")));
                    }
                    // Another server was faster. Servers in step would collide again.
                    if !guessed {
                        sleep(pause.mul_f64(fastrand::f64())).await;
                        pause = (pause * 2).min(LONGEST_PAUSE);
                    }
                }
                Err(error) => return Ok(Err(away(&explain(&error)))),
            }
        }
    }

    /// Removes messages that no server needs any more, unless a newer one has taken their place. Another server
    /// may have been faster.
    pub(super) async fn remove(&self, swept: Vec<Swept>) {
        for Swept { namespace, key, revision } in swept {
            let subject = format!("{}{}", self.store.prefix, name(&namespace, &key));
            let removed = async { self.store.stream.purge().filter(subject).sequence(revision + 1).await };
            match timeout(self.timeout, removed).await {
                Ok(Ok(_)) => {}
                Ok(Err(error)) => {
                    tracing::debug!(target: "tuffet::kv", revision, %error, "not removed from the bucket");
                    return;
                }
                Err(_) => return,
            }
        }
    }

    /// Asks NATS for the state of the bucket, so that the mirror keeps nothing that the bucket lost without a word:
    /// by its age, by a purge, or with the bucket itself.
    pub(super) async fn ping(&self) -> Result<(), Lost> {
        let info = self.in_time(self.store.stream.get_info()).await?;
        let info = info.map_err(|error| Lost(explain(&error)))?;
        if info.created != self.store.stream.cached_info().created {
            return Err(Lost("the bucket was deleted and made anew".into()));
        }
        lock(&self.shared.mirror).begins_at(info.state.first_sequence, info.state.last_sequence);
        Ok(())
    }

    async fn newest(&self, name: &str) -> Result<Result<Option<Newest>, KvError>, Lost> {
        let subject = format!("{}{name}", self.store.prefix);
        let found = self.in_time(self.store.stream.get_last_raw_message_by_subject(&subject)).await?;
        Ok(match found {
            Ok(message) => {
                let deleted = message.headers.get("KV-Operation").is_some();
                let entry = (!deleted).then_some(message.payload);
                Ok(Some(Newest { revision: message.sequence, entry }))
            }
            Err(error) if matches!(error.kind(), LastRawMessageErrorKind::NoMessageFound) => Ok(None),
            Err(error) => Err(away(&explain(&error))),
        })
    }

    async fn in_time<T>(&self, request: impl Future<Output = T>) -> Result<T, Lost> {
        let silence = |_| Lost(format!("it did not answer within {:?}", self.timeout));
        timeout(self.timeout, request).await.map_err(silence)
    }
}

/// The expiry of the counter, and the sum after each increment; `None` if it is no counter.
fn add(entry: Option<&[u8]>, batch: &[Increment], now: u64) -> Option<(u64, Vec<i64>)> {
    let mut counter = None;
    if let Some(entry) = entry.map(Entry::parse)
        && !entry.is_over(now)
    {
        counter = Some((entry.until, i64::from_le_bytes(entry.value.try_into().ok()?)));
    }
    let mut sums = Vec::with_capacity(batch.len());
    for increment in batch {
        let current = counter.filter(|(until, _)| *until == 0 || *until > now);
        let (until, sum) = current.unwrap_or((Entry::until(now, increment.ttl_seconds), 0));
        let sum = sum.saturating_add(increment.by);
        sums.push(sum);
        counter = Some((until, sum));
    }
    Some((counter.map_or(0, |(until, _)| until), sums))
}
