//! Single operations on a bucket.
//!
//! Reads ask the leader of the stream, so that a plugin sees what any server has written before. Counters use
//! compare-and-swap on the revision: first with the last known value, after a conflict with a fresh one.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use async_nats::jetstream::kv::{Store, UpdateErrorKind};
use async_nats::jetstream::stream::LastRawMessageErrorKind;
use bytes::Bytes;
use tokio::time::{sleep, timeout};

use super::super::entry::Entry;
use super::super::{KvError, Listing, MAX_PAGE_KEYS, MAX_VALUE, Namespace, Versioned, now_ms};
use super::mirror::{MirrorEntry, ObsoleteMessage};
use super::names::name;
use super::{Reply, Shared, away};
use tuffet_net::nats::explain;

/// The longest pause before a retry after a conflict.
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
    pub(super) answer: Reply<i64>,
}

/// A request was not answered in time: the connection must be replaced.
pub(super) struct ConnectionLost(pub(super) String);

/// The newest message of a key.
struct NewestMessage {
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
        answer: Reply<Option<Versioned>>,
    ) -> Result<(), ConnectionLost> {
        let value = |newest: Option<NewestMessage>| {
            let NewestMessage { revision, entry } = newest?;
            MirrorEntry { revision, entry: entry? }.versioned(now_ms())
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
        answer: Reply<i64>,
    ) -> Result<(), ConnectionLost> {
        debug_assert!(value.len() <= MAX_VALUE, "checked in the call of the plugin");
        let now = now_ms();
        if let Err(full) = self.shared.mirror.lock().admit(&of.name, of.quota, key, value.len(), now) {
            let _ = answer.send(Err(full));
            return Ok(());
        }
        let entry = Bytes::from(Entry { until: Entry::expiry(now, ttl_seconds), value }.bytes());
        let put = self.in_time(self.store.put(name(&of.name, key), entry.clone())).await?;
        let done = put.map_err(|error| away(&explain(&error))).map(|revision| {
            self.shared.mirror.lock().enter_written(&of.name, key.to_owned(), revision, Some(entry));
            0
        });
        let _ = answer.send(done);
        Ok(())
    }

    /// Lists keys from the mirror after a ping, so that an outage is noticed as with other calls.
    pub(super) async fn list(
        &self,
        namespace: &str,
        listing: &Listing,
        answer: Reply<Vec<(String, Versioned)>>,
    ) -> Result<(), ConnectionLost> {
        let listed = self.listed(namespace, listing).await?;
        let _ = answer.send(listed);
        Ok(())
    }

    async fn listed(
        &self,
        namespace: &str,
        listing: &Listing,
    ) -> Result<Result<Vec<(String, Versioned)>, KvError>, ConnectionLost> {
        self.ping().await?;
        let mirror = self.shared.mirror.lock();
        Ok(match mirror.list(namespace, listing, now_ms()) {
            // A partial list would look complete.
            Some(_) if mirror.leaves_keys_out(namespace) => Err(KvError::Quota),
            Some(known) => Ok(known),
            None => Err(away("the keys have not arrived yet")),
        })
    }

    /// Replaces a value that has this revision, or creates a key. Never retried: after another change, the caller has
    /// not seen the newest value.
    pub(super) async fn swap(
        &self,
        of: &Namespace,
        key: &str,
        expected: Option<u64>,
        value: &[u8],
        ttl_seconds: Option<u32>,
        answer: Reply<i64>,
    ) -> Result<(), ConnectionLost> {
        let done = self.try_swap(of, key, expected, value, ttl_seconds).await?;
        let _ = answer.send(done);
        Ok(())
    }

    async fn try_swap(
        &self,
        of: &Namespace,
        key: &str,
        expected: Option<u64>,
        value: &[u8],
        ttl_seconds: Option<u32>,
    ) -> Result<Result<i64, KvError>, ConnectionLost> {
        let name = name(&of.name, key);
        // Expired entries and deletions have a revision, but count as missing.
        let newest = match self.newest(&name).await? {
            Ok(newest) => newest,
            Err(error) => return Ok(Err(error)),
        };
        let now = now_ms();
        let revision = newest.as_ref().map_or(0, |newest| newest.revision);
        let entry = newest.and_then(|newest| newest.entry);
        let exists = entry.is_some_and(|entry| !Entry::parse(&entry).is_expired(now));
        if exists.then_some(revision) != expected {
            return Ok(Err(KvError::Conflict));
        }
        if let Err(full) = self.shared.mirror.lock().admit(&of.name, of.quota, key, value.len(), now) {
            return Ok(Err(full));
        }
        let entry = Bytes::from(Entry { until: Entry::expiry(now, ttl_seconds), value }.bytes());
        match self.in_time(self.store.update(&name, entry.clone(), revision)).await? {
            Ok(revision) => {
                self.shared.mirror.lock().enter_written(&of.name, key.to_owned(), revision, Some(entry));
                Ok(Ok(revision.cast_signed()))
            }
            Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => Ok(Err(KvError::Conflict)),
            Err(error) => Ok(Err(away(&explain(&error)))),
        }
    }

    /// Removes a key. Does nothing if the key is missing: a deletion would be a message in the bucket.
    pub(super) async fn delete(
        &self,
        of: &Namespace,
        key: &str,
        answer: Reply<i64>,
    ) -> Result<(), ConnectionLost> {
        let done = self.try_delete(of, key).await?;
        let _ = answer.send(done);
        Ok(())
    }

    /// Removes the keys with this prefix that are mirrored, and answers how many.
    pub(super) async fn delete_prefix(
        &self,
        of: &Namespace,
        prefix: &str,
        answer: Reply<i64>,
    ) -> Result<(), ConnectionLost> {
        let listing = Listing { prefix: prefix.into(), after: None, limit: MAX_PAGE_KEYS };
        let found = self.listed(&of.name, &listing).await?;
        let mut removed = Ok(0);
        for (key, _) in found.iter().flatten() {
            match self.try_delete(of, key).await? {
                Ok(_) => removed = removed.map(|count| count + 1),
                Err(error) => {
                    removed = Err(error);
                    break;
                }
            }
        }
        let _ = answer.send(found.and(removed));
        Ok(())
    }

    async fn try_delete(&self, of: &Namespace, key: &str) -> Result<Result<i64, KvError>, ConnectionLost> {
        let name = name(&of.name, key);
        let known = self.shared.mirror.lock().find(&of.name, key).is_some();
        let exists = if known {
            Ok(true)
        } else {
            self.newest(&name).await?.map(|newest| newest.is_some_and(|newest| newest.entry.is_some()))
        };
        Ok(match exists {
            Ok(true) => {
                let deleted = self.in_time(self.store.delete(&name)).await?;
                deleted.map_err(|error| away(&explain(&error))).map(|()| {
                    self.shared.mirror.lock().forget(&of.name, key);
                    0
                })
            }
            Ok(false) => Ok(0),
            Err(error) => Err(error),
        })
    }

    /// Applies all increments to one counter in one change, so that a hundred concurrent increments on this server
    /// cost one request.
    pub(super) async fn increment(
        &self,
        of: &Namespace,
        key: &str,
        batch: Vec<Increment>,
    ) -> Result<(), ConnectionLost> {
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
    ) -> Result<Result<Vec<i64>, KvError>, ConnectionLost> {
        let name = name(&of.name, key);
        let known = self.shared.mirror.lock().find(&of.name, key).cloned();
        let mut guess =
            known.map(|MirrorEntry { revision, entry }| NewestMessage { revision, entry: Some(entry) });
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
            if let Err(full) = self.shared.mirror.lock().admit(&of.name, of.quota, key, 8, now) {
                return Ok(Err(full));
            }
            let entry = Bytes::from(Entry { until, value: &sum.to_le_bytes() }.bytes());
            match self.in_time(self.store.update(&name, entry.clone(), revision)).await? {
                Ok(revision) => {
                    self.shared.mirror.lock().enter_written(&of.name, key.to_owned(), revision, Some(entry));
                    return Ok(Ok(sums));
                }
                Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => {
                    self.shared.conflicts.fetch_add(1, Relaxed);
                    if batch.iter().all(|increment| increment.answer.is_closed()) {
                        return Ok(Err(away("the key is changed by too many servers at once")));
                    }
                    // Another server was faster. Without a random pause, servers in step would collide again.
                    if !guessed {
                        sleep(pause.mul_f64(fastrand::f64())).await;
                        pause = (pause * 2).min(LONGEST_PAUSE);
                    }
                }
                Err(error) => return Ok(Err(away(&explain(&error)))),
            }
        }
    }

    /// Removes obsolete messages, unless a newer one has replaced them. Another server may have removed them first.
    pub(super) async fn remove(&self, swept: Vec<ObsoleteMessage>) {
        for ObsoleteMessage { namespace, key, revision } in swept {
            let subject = format!("{}{}", self.store.prefix, name(&namespace, &key));
            let removed = async { self.store.stream.purge().filter(subject).sequence(revision + 1).await };
            match timeout(self.timeout, removed).await {
                Ok(Ok(_)) => {}
                Ok(Err(error)) => {
                    tracing::debug!(target: "tuffet::kv", revision, %error, "an obsolete message could not be removed from the bucket");
                    return;
                }
                Err(_) => return,
            }
        }
    }

    /// Queries the state of the bucket, and drops from the mirror what the bucket lost silently: by its age limit, by
    /// a purge, or with the bucket itself.
    pub(super) async fn ping(&self) -> Result<(), ConnectionLost> {
        let info = self.in_time(self.store.stream.get_info()).await?;
        let info = info.map_err(|error| ConnectionLost(explain(&error)))?;
        if info.created != self.store.stream.cached_info().created {
            return Err(ConnectionLost("the bucket was deleted and created again".into()));
        }
        self.shared.mirror.lock().remove_before(info.state.first_sequence, info.state.last_sequence);
        Ok(())
    }

    async fn newest(&self, name: &str) -> Result<Result<Option<NewestMessage>, KvError>, ConnectionLost> {
        let subject = format!("{}{name}", self.store.prefix);
        let found = self.in_time(self.store.stream.get_last_raw_message_by_subject(&subject)).await?;
        Ok(match found {
            Ok(message) => {
                let deleted = message.headers.get("KV-Operation").is_some();
                let entry = (!deleted).then_some(message.payload);
                Ok(Some(NewestMessage { revision: message.sequence, entry }))
            }
            Err(error) if matches!(error.kind(), LastRawMessageErrorKind::NoMessageFound) => Ok(None),
            Err(error) => Err(away(&explain(&error))),
        })
    }

    async fn in_time<T>(&self, request: impl Future<Output = T>) -> Result<T, ConnectionLost> {
        let timed_out = |_| ConnectionLost(format!("it did not answer within {:?}", self.timeout));
        timeout(self.timeout, request).await.map_err(timed_out)
    }
}

/// Returns the expiry of the counter and the sum after each increment; `None` if it is not a counter.
fn add(entry: Option<&[u8]>, batch: &[Increment], now: u64) -> Option<(u64, Vec<i64>)> {
    let mut counter = None;
    if let Some(entry) = entry.map(Entry::parse)
        && !entry.is_expired(now)
    {
        counter = Some((entry.until, i64::from_le_bytes(entry.value.try_into().ok()?)));
    }
    let mut sums = Vec::with_capacity(batch.len());
    for increment in batch {
        let current = counter.filter(|(until, _)| *until == 0 || *until > now);
        let (until, sum) = current.unwrap_or((Entry::expiry(now, increment.ttl_seconds), 0));
        let sum = sum.saturating_add(increment.by);
        sums.push(sum);
        counter = Some((until, sum));
    }
    Some((counter.map_or(0, |(until, _)| until), sums))
}
