//! The effects of a plugin whose answers have none: keys that it changes stay in memory, for as long as it is loaded, and
//! payloads for sinks go nowhere.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::calls::{Keys, Pending, SinkOutput};
use super::live::{StoredKeys, explain};
use crate::bindings::kv;
use crate::bindings::types::Error;
use tuffet_kv::{KvError, Listing, MAX_PAGE_BYTES, MAX_PAGE_KEYS, Quota};
use tuffet_sinks::Full;

/// Revisions of the memory begin here, where those of no store are.
const FIRST_REVISION: u64 = 1 << 62;

/// A sink that takes everything, and keeps nothing.
#[derive(Debug)]
pub(crate) struct ScratchSink;

impl SinkOutput for ScratchSink {
    fn emit(&self, _: Arc<str>, _: String, _: String) -> Pending<'_, Result<(), Full>> {
        Box::pin(async { Ok(()) })
    }
}

/// The stored keys, and changes of them in memory.
#[derive(Debug)]
pub(crate) struct ScratchKeys {
    stored: StoredKeys,
    changes: Mutex<Changes>,
}

/// Changed keys, within the quota of the plugin.
#[derive(Debug, Default)]
struct Changes {
    keys: BTreeMap<String, Changed>,
    bytes: u64,
    revisions: u64,
}

/// A changed key.
#[derive(Debug)]
struct Changed {
    /// `None` if it was removed.
    value: Option<Vec<u8>>,
    revision: u64,
    /// When its time is over.
    until: Option<Instant>,
}

impl Changed {
    /// Returns the entry, if there is one.
    fn entry(&self, now: Instant) -> Option<kv::Entry> {
        let is_over = self.until.is_some_and(|until| until <= now);
        let value = self.value.as_ref().filter(|_| !is_over)?;
        Some(kv::Entry { value: value.clone(), revision: self.revision })
    }

    fn bytes(&self, key: &str) -> u64 {
        (key.len() + self.value.as_ref().map_or(0, Vec::len)) as u64
    }
}

impl Changes {
    /// Returns the entry of a changed key, `Some(None)` if it was removed.
    fn get(&self, key: &str) -> Option<Option<kv::Entry>> {
        self.keys.get(key).map(|changed| changed.entry(Instant::now()))
    }

    /// Changes a key, and returns its revision.
    fn put(
        &mut self,
        quota: Quota,
        key: String,
        value: Option<Vec<u8>>,
        ttl_seconds: Option<u32>,
    ) -> Result<u64, Error> {
        let until = ttl_seconds.map(|ttl| Instant::now() + Duration::from_secs(ttl.into()));
        self.revisions += 1;
        let changed = Changed { value, revision: FIRST_REVISION + self.revisions, until };
        let before = self.keys.get(&key).map_or(0, |before| before.bytes(&key));
        let bytes = self.bytes - before + changed.bytes(&key);
        let keys = self.keys.len() as u64 + u64::from(!self.keys.contains_key(&key));
        if bytes > quota.bytes || keys > quota.keys {
            return Err(explain(KvError::Quota));
        }
        self.bytes = bytes;
        let revision = changed.revision;
        self.keys.insert(key, changed);
        Ok(revision)
    }

    /// Returns the changed keys of a page that ends with `last`, or at the end of the prefix.
    fn page(&self, listing: &Listing, last: Option<&str>) -> Vec<(String, Option<kv::Entry>)> {
        let begin = match &listing.after {
            Some(after) if *after >= listing.prefix => Bound::Excluded(after.as_str()),
            _ => Bound::Included(listing.prefix.as_str()),
        };
        let changed = self.keys.range::<str, _>((begin, Bound::Unbounded));
        let of_page = |key: &str| key.starts_with(&listing.prefix) && last.is_none_or(|last| key <= last);
        let changed = changed.take_while(|(key, _)| of_page(key));
        changed.map(|(key, changed)| (key.clone(), changed.entry(Instant::now()))).collect()
    }
}

impl ScratchKeys {
    pub fn over(stored: StoredKeys) -> ScratchKeys {
        ScratchKeys { stored, changes: Mutex::default() }
    }

    async fn find(&self, key: &str) -> Result<Option<kv::Entry>, Error> {
        let changed = self.changes.lock().get(key);
        match changed {
            Some(changed) => Ok(changed),
            None => self.stored.get(key.to_owned()).await,
        }
    }

    fn put(&self, key: String, value: Option<Vec<u8>>, ttl_seconds: Option<u32>) -> Result<u64, Error> {
        self.changes.lock().put(self.stored.namespace.quota, key, value, ttl_seconds)
    }
}

impl Keys for ScratchKeys {
    fn get(&self, key: String) -> Pending<'_, Result<Option<kv::Entry>, Error>> {
        Box::pin(async move { self.find(&key).await })
    }

    fn set(&self, key: String, value: Vec<u8>, ttl_seconds: Option<u32>) -> Pending<'_, Result<(), Error>> {
        Box::pin(async move { self.put(key, Some(value), ttl_seconds).map(drop) })
    }

    fn delete(&self, key: String) -> Pending<'_, Result<(), Error>> {
        Box::pin(async move { self.put(key, None, None).map(drop) })
    }

    fn increment(&self, key: String, by: i64, ttl_seconds: Option<u32>) -> Pending<'_, Result<i64, Error>> {
        Box::pin(async move {
            loop {
                let found = self.find(&key).await?;
                let revision = found.as_ref().map(|found| found.revision);
                let count = match found {
                    None => 0,
                    Some(found) => {
                        let bytes = found.value.try_into().map_err(|_| explain(KvError::NotACounter))?;
                        i64::from_le_bytes(bytes)
                    }
                };
                let count = count.saturating_add(by);
                let value = count.to_le_bytes().to_vec();
                if self.swap(key.clone(), revision, value, ttl_seconds).await?.is_some() {
                    return Ok(count);
                }
            }
        })
    }

    fn swap(
        &self,
        key: String,
        revision: Option<u64>,
        value: Vec<u8>,
        ttl_seconds: Option<u32>,
    ) -> Pending<'_, Result<Option<u64>, Error>> {
        Box::pin(async move {
            let stored = self.stored.get(key.clone()).await?;
            let mut changes = self.changes.lock();
            let found = changes.get(&key).unwrap_or(stored);
            if found.map(|found| found.revision) != revision {
                return Ok(None);
            }
            changes.put(self.stored.namespace.quota, key, Some(value), ttl_seconds).map(Some)
        })
    }

    fn list(&self, mut listing: Listing) -> Pending<'_, Result<Vec<kv::Listed>, Error>> {
        Box::pin(async move {
            let (mut kept, mut bytes): (Vec<kv::Listed>, usize) = (Vec::new(), 0);
            loop {
                let stored = self.stored.list(listing.clone()).await?;
                // A page may end before its limit, so that only an empty one is the last.
                let last = stored.last().map(|listed| listed.key.clone());
                let mut page: BTreeMap<String, Option<kv::Entry>> =
                    stored.into_iter().map(|listed| (listed.key, Some(listed.entry))).collect();
                page.extend(self.changes.lock().page(&listing, last.as_deref()));
                for (key, entry) in page {
                    if kept.len() >= listing.limit || bytes >= MAX_PAGE_BYTES {
                        return Ok(kept);
                    }
                    if let Some(entry) = entry {
                        bytes += key.len() + entry.value.len();
                        kept.push(kv::Listed { key, entry });
                    }
                }
                if last.is_none() {
                    return Ok(kept);
                }
                listing.after = last;
            }
        })
    }

    fn delete_prefix(&self, prefix: String) -> Pending<'_, Result<u32, Error>> {
        Box::pin(async move {
            let listing = Listing { prefix, after: None, limit: MAX_PAGE_KEYS };
            let found = self.list(listing).await?;
            let removed = u32::try_from(found.len()).unwrap_or(u32::MAX);
            for listed in found {
                self.put(listed.key, None, None)?;
            }
            Ok(removed)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;
    use tuffet_kv::{KvLocation, KvStore, Namespace, ObserverTurns};

    async fn scratch(folder: &TempDir, quota: Quota) -> (ScratchKeys, StoredKeys) {
        let store = Arc::new(KvStore::open(&KvLocation::Folder(folder.path().to_owned())).unwrap());
        let namespace = Namespace { name: "it".into(), quota, when_away: Default::default() };
        store.join(&namespace);
        let turns = || ObserverTurns::new(folder.path(), "it".into(), Arc::default());
        let stored =
            || StoredKeys { store: Arc::clone(&store), namespace: namespace.clone(), turns: turns() };
        for key in ["a/1", "a/2", "a/3", "b"] {
            stored().set(key.into(), key.into(), None).await.unwrap();
        }
        (ScratchKeys::over(stored()), stored())
    }

    async fn names(keys: &dyn Keys, prefix: &str, limit: usize) -> Vec<String> {
        let mut all = Vec::new();
        loop {
            let listing = Listing { prefix: prefix.into(), after: all.last().cloned(), limit };
            let page = keys.list(listing).await.unwrap();
            if page.is_empty() {
                return all;
            }
            all.extend(page.into_iter().map(|listed| listed.key));
        }
    }

    async fn value(keys: &dyn Keys, key: &str) -> Option<String> {
        let found = keys.get(key.into()).await.unwrap()?;
        Some(String::from_utf8_lossy(&found.value).into_owned())
    }

    #[tokio::test]
    async fn changes_are_seen_and_stay_in_memory() {
        let folder = TempDir::new().unwrap();
        let (scratch, stored) = scratch(&folder, Quota { keys: 100, bytes: 10_000 }).await;
        scratch.set("a/2".into(), b"new".to_vec(), None).await.unwrap();
        scratch.set("a/4".into(), b"more".to_vec(), None).await.unwrap();
        scratch.set("a/5".into(), b"over".to_vec(), Some(0)).await.unwrap();
        scratch.delete("a/1".into()).await.unwrap();
        assert_eq!(value(&scratch, "a/1").await, None);
        assert_eq!(value(&scratch, "a/2").await.as_deref(), Some("new"));
        assert_eq!(value(&scratch, "a/3").await.as_deref(), Some("a/3"));
        assert_eq!(value(&scratch, "a/5").await, None);
        for limit in [1, 2, 9] {
            assert_eq!(names(&scratch, "a/", limit).await, ["a/2", "a/3", "a/4"], "{limit}");
            assert_eq!(names(&scratch, "", limit).await, ["a/2", "a/3", "a/4", "b"], "{limit}");
        }
        assert_eq!(scratch.delete_prefix("a/".into()).await.unwrap(), 3);
        assert_eq!(names(&scratch, "", 1).await, ["b"]);
        assert_eq!(names(&stored, "", 9).await, ["a/1", "a/2", "a/3", "b"]);
        assert_eq!(value(&stored, "a/2").await.as_deref(), Some("a/2"));
    }

    #[tokio::test]
    async fn counters_and_swaps_work_on_what_is_seen() {
        let folder = TempDir::new().unwrap();
        let (scratch, stored) = scratch(&folder, Quota { keys: 100, bytes: 10_000 }).await;
        stored.increment("count".into(), 5, None).await.unwrap();
        assert_eq!(scratch.increment("count".into(), 2, None).await.unwrap(), 7);
        assert_eq!(scratch.increment("count".into(), 2, None).await.unwrap(), 9);
        assert!(scratch.increment("b".into(), 1, None).await.is_err(), "no counter");
        assert_eq!(stored.increment("count".into(), 0, None).await.unwrap(), 5);
        let seen = scratch.get("b".into()).await.unwrap().unwrap().revision;
        assert_eq!(scratch.swap("b".into(), Some(seen + 1), b"x".to_vec(), None).await.unwrap(), None);
        let swapped = scratch.swap("b".into(), Some(seen), b"x".to_vec(), None).await.unwrap();
        assert_eq!(scratch.get("b".into()).await.unwrap().map(|found| found.revision), swapped);
        assert_eq!(scratch.swap("b".into(), Some(seen), b"y".to_vec(), None).await.unwrap(), None, "late");
        assert!(scratch.swap("new".into(), None, b"z".to_vec(), None).await.unwrap().is_some());
        assert_eq!(value(&stored, "b").await.as_deref(), Some("b"));
    }

    #[tokio::test]
    async fn the_quota_bounds_the_memory() {
        let folder = TempDir::new().unwrap();
        let (scratch, _) = scratch(&folder, Quota { keys: 10, bytes: 100 }).await;
        for number in 0..10 {
            scratch.delete(format!("k{number}")).await.unwrap();
        }
        assert_eq!(scratch.delete("more".into()).await.unwrap_err().code, "quota");
        scratch.set("k1".into(), vec![0; 80], None).await.unwrap();
        assert_eq!(scratch.set("k2".into(), vec![0; 2], None).await.unwrap_err().code, "quota");
        scratch.delete("k1".into()).await.unwrap();
        scratch.set("k2".into(), vec![0; 2], None).await.unwrap();
    }
}
