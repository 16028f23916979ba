//! What this server knows of the keys of its plugins: the answers while NATS is away, the sizes for quotas, and the
//! first guess of a counter.
//!
//! A subscription fills it, in the order of revisions; changes of this server are entered when NATS confirms them.
//! Anybody with a login may write into the bucket, so its size is bounded: of each namespace it holds twice the quota,
//! since servers that write at once may exceed it a little. What has no room is left out, until there is some again.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::super::entry::Entry;
use super::super::usage::Usage;
use super::super::{KvError, Listing, Quota, Versioned};

/// The most deletions that are remembered until they are swept.
const MAX_DELETIONS: usize = 16_384;
/// The least time between two readings of the bucket for what was left out.
const AGAIN: Duration = Duration::from_secs(60);

/// The known keys.
#[derive(Debug, Default)]
pub(super) struct Mirror {
    namespaces: HashMap<Arc<str>, Keys>,
    /// The revision up to which the subscription has come.
    revision: u64,
    /// When it had all keys at once.
    completed: Option<Instant>,
    /// Deletions, which leave a message in the bucket, and when they were seen.
    deletions: Vec<(Swept, Instant)>,
    /// Whether deletions were left out.
    more_deletions: bool,
}

#[derive(Debug)]
struct Keys {
    keys: BTreeMap<String, Known>,
    usage: Usage,
    /// The largest of the plugins that use the namespace.
    quota: Quota,
    /// Whether keys were left out.
    more: bool,
    /// Whether something was removed since.
    has_room: bool,
}

/// A message that no server needs any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Swept {
    pub(super) namespace: Arc<str>,
    pub(super) key: String,
    pub(super) revision: u64,
}

/// A known value.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) revision: u64,
    /// The whole entry, with its expiry.
    pub(super) entry: Bytes,
}

impl Known {
    /// The value with its revision, unless its time is over.
    pub(super) fn versioned(&self, now: u64) -> Option<Versioned> {
        let entry = Entry::parse(&self.entry);
        let revision = self.revision;
        (!entry.is_over(now)).then(|| Versioned { value: entry.value.to_vec(), revision })
    }

    fn size(&self) -> usize {
        Entry::parse(&self.entry).value.len()
    }
}

impl Mirror {
    /// Creates an empty one for these namespaces.
    pub(super) fn of(namespaces: impl Iterator<Item = (Arc<str>, Quota)>) -> Mirror {
        let namespaces = namespaces.map(|(name, quota)| (name, Keys::of(quota))).collect();
        Mirror { namespaces, ..Mirror::default() }
    }

    /// Enters what the subscription brought; `None` for a deletion.
    pub(super) fn watched(&mut self, namespace: &str, key: String, revision: u64, entry: Option<Bytes>) {
        self.revision = self.revision.max(revision);
        self.enter(namespace, key, revision, entry);
    }

    /// Records that the subscription brought something that is no key.
    pub(super) fn passed(&mut self, revision: u64) {
        self.revision = self.revision.max(revision);
    }

    /// The revision up to which the subscription has come.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// Removes the keys below the first revision of the bucket. One that was changed may be there with a revision that
    /// has not come yet, so this waits for the last one.
    pub(super) fn begins_at(&mut self, first: u64, last: u64) {
        if self.revision < last {
            return;
        }
        for keys in self.namespaces.values_mut() {
            keys.retain(|known| known.revision >= first);
        }
    }

    /// Enters a confirmed change of this server, unless the subscription is further already.
    pub(super) fn wrote(&mut self, namespace: &str, key: String, revision: u64, entry: Option<Bytes>) {
        if revision > self.revision {
            self.enter(namespace, key, revision, entry);
        }
    }

    /// Removes a key that this server deleted; the subscription brings the revision later.
    pub(super) fn forget(&mut self, namespace: &str, key: &str) {
        let Some(keys) = self.namespaces.get_mut(namespace) else { return };
        keys.remove(key);
    }

    fn enter(&mut self, namespace: &str, key: String, revision: u64, entry: Option<Bytes>) {
        let Some((namespace, _)) = self.namespaces.get_key_value(namespace) else { return };
        let namespace = Arc::clone(namespace);
        let Some(keys) = self.namespaces.get_mut(&namespace) else { return };
        if keys.keys.get(&key).is_some_and(|known| known.revision >= revision) {
            return;
        }
        keys.remove(&key);
        let Some(entry) = entry else {
            keys.has_room = true;
            let swept = Swept { namespace, key, revision };
            return self.delete([swept]);
        };
        let entry = Entry::parse(&entry);
        // A copy: what came from the network is a part of all that came with it.
        let known = Known { revision, entry: entry.bytes().into() };
        let mut after = keys.usage;
        after.add(&key, known.size());
        if after.exceeds(keys.room(), Usage::default()) {
            if !std::mem::replace(&mut keys.more, true) {
                tracing::warn!(
                    target: "tuffet::kv",
                    plugin = %namespace,
                    "the bucket has more keys of this plugin than twice its quota; the rest is not kept in memory, and \
                     the plugin cannot list keys: remove them, or raise `limits.kv-keys` and `limits.kv-bytes`"
                );
            }
            return;
        }
        keys.usage = after;
        keys.keys.insert(key, known);
    }

    /// Remembers messages that no server needs.
    fn delete(&mut self, swept: impl IntoIterator<Item = Swept>) {
        let mut swept = swept.into_iter();
        let room = MAX_DELETIONS.saturating_sub(self.deletions.len());
        self.deletions.extend(swept.by_ref().take(room).map(|swept| (swept, Instant::now())));
        self.more_deletions |= swept.next().is_some();
    }

    /// Whether it is for this namespace, too, with this quota.
    pub(super) fn has(&self, namespace: &str, quota: Quota) -> bool {
        self.namespaces.get(namespace).is_some_and(|keys| keys.quota == quota)
    }

    /// Records that all keys have come.
    pub(super) fn completed(&mut self) {
        self.completed = Some(Instant::now());
    }

    /// Whether all keys were known once.
    pub(super) fn is_complete(&self) -> bool {
        self.completed.is_some()
    }

    /// Whether the bucket is to be read again: something was left out, and may have room by now.
    pub(super) fn is_outdated(&self) -> bool {
        let keys = self.namespaces.values().any(|keys| keys.more && keys.has_room);
        let deletions = self.more_deletions && self.deletions.is_empty();
        (keys || deletions) && self.completed.is_some_and(|completed| completed.elapsed() >= AGAIN)
    }

    /// The known value of a key.
    pub(super) fn find(&self, namespace: &str, key: &str) -> Option<&Known> {
        self.namespaces.get(namespace)?.keys.get(key)
    }

    /// Whether keys of this namespace were left out.
    pub(super) fn has_more(&self, namespace: &str) -> bool {
        self.namespaces.get(namespace).is_some_and(|keys| keys.more)
    }

    /// The known keys, in the order of their bytes; `None` for a namespace whose keys were not read.
    pub(super) fn list(&self, namespace: &str, listing: &Listing, now: u64) -> Option<Vec<String>> {
        let Listing { prefix, after, limit } = listing;
        let begin = match after {
            Some(after) if after >= prefix => Bound::Excluded(after.as_str()),
            _ => Bound::Included(prefix.as_str()),
        };
        let keys = self.namespaces.get(namespace)?.keys.range::<str, _>((begin, Bound::Unbounded));
        let keys = keys.take_while(|(key, _)| key.starts_with(prefix));
        let keys = keys.filter(|(_, known)| !Entry::parse(&known.entry).is_over(now));
        Some(keys.map(|(key, _)| key.clone()).take(*limit).collect())
    }

    /// Whether a value of this size has room.
    ///
    /// # Errors
    /// It exceeds the quota, and expired entries leave no room.
    pub(super) fn admit(
        &mut self,
        namespace: &str,
        quota: Quota,
        key: &str,
        size: usize,
        now: u64,
    ) -> Result<(), KvError> {
        let Some((namespace, _)) = self.namespaces.get_key_value(namespace) else { return Ok(()) };
        let namespace = Arc::clone(namespace);
        let Some(keys) = self.namespaces.get_mut(&namespace) else { return Ok(()) };
        if keys.fits(quota, key, size) {
            return Ok(());
        }
        // Expired entries may make room. They are removed from the bucket by the next sweep.
        let over = keys.keys.iter().filter(|(_, known)| Entry::parse(&known.entry).is_over(now));
        let swept = |(key, known): (&String, &Known)| Swept {
            namespace: Arc::clone(&namespace),
            key: key.clone(),
            revision: known.revision,
        };
        let swept: Vec<Swept> = over.map(swept).collect();
        keys.retain(|known| !Entry::parse(&known.entry).is_over(now));
        let fits = keys.fits(quota, key, size);
        self.delete(swept);
        if fits { Ok(()) } else { Err(KvError::Quota) }
    }

    /// Takes the revisions of at most `most` messages that no server needs any more: deletions, and entries whose
    /// time is over, both for longer than `age`.
    pub(super) fn sweep(&mut self, now: u64, age: Duration, most: usize) -> Vec<Swept> {
        let mut swept = Vec::new();
        self.deletions.retain(|(deletion, seen)| {
            let stays = swept.len() >= most || seen.elapsed() < age;
            if !stays {
                swept.push(deletion.clone());
            }
            stays
        });
        let since = now.saturating_sub(u64::try_from(age.as_millis()).unwrap_or(u64::MAX));
        for (namespace, keys) in &mut self.namespaces {
            let over = keys.keys.iter().filter(|(_, known)| Entry::parse(&known.entry).is_over(since));
            let over: Vec<String> =
                over.map(|(key, _)| key.clone()).take(most.saturating_sub(swept.len())).collect();
            for key in over {
                if let Some(known) = keys.remove(&key) {
                    swept.push(Swept { namespace: Arc::clone(namespace), key, revision: known.revision });
                }
            }
        }
        swept
    }

    /// The number of known keys, and the bytes of keys and values.
    pub(super) fn size(&self) -> (u64, u64) {
        let all = self.namespaces.values().map(|keys| keys.usage.counted());
        all.fold((0, 0), |(keys, bytes), (its_keys, its_bytes)| (keys + its_keys, bytes + its_bytes))
    }
}

impl Keys {
    fn of(quota: Quota) -> Keys {
        Keys { keys: BTreeMap::new(), usage: Usage::default(), quota, more: false, has_room: false }
    }

    /// The most that is held.
    fn room(&self) -> Quota {
        let Quota { keys, bytes } = self.quota;
        Quota { keys: keys.saturating_mul(2), bytes: bytes.saturating_mul(2) }
    }

    fn remove(&mut self, key: &str) -> Option<Known> {
        let known = self.keys.remove(key)?;
        self.usage.remove(key, known.size());
        self.has_room = true;
        Some(known)
    }

    fn retain(&mut self, stays: impl Fn(&Known) -> bool) {
        self.keys.retain(|key, known| {
            let stays = stays(known);
            if !stays {
                self.usage.remove(key, known.size());
                self.has_room = true;
            }
            stays
        });
    }

    fn fits(&self, quota: Quota, key: &str, size: usize) -> bool {
        let mut after = self.usage;
        if let Some(before) = self.keys.get(key) {
            after.remove(key, before.size());
        }
        after.add(key, size);
        !after.exceeds(quota, self.usage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(until: u64, value: &str) -> Option<Bytes> {
        Some(Entry { until, value: value.as_bytes() }.bytes().into())
    }

    fn swept(mirror: &mut Mirror, now: u64, age: Duration) -> Vec<u64> {
        mirror.sweep(now, age, 9).into_iter().map(|swept| swept.revision).collect()
    }

    fn mirror() -> Mirror {
        Mirror::of([("a".into(), Quota { keys: 100, bytes: 10_000 })].into_iter())
    }

    fn value(mirror: &Mirror, key: &str) -> Option<String> {
        mirror.find("a", key)?.versioned(100).map(|found| String::from_utf8(found.value).unwrap_or_default())
    }

    #[test]
    fn the_newest_revision_counts_in_whatever_order_they_come() {
        let mut mirror = mirror();
        mirror.wrote("a", "k".into(), 5, entry(0, "mine"));
        mirror.watched("a", "k".into(), 4, entry(0, "older"));
        assert_eq!(value(&mirror, "k").as_deref(), Some("mine"));
        mirror.watched("a", "k".into(), 6, None);
        mirror.wrote("a", "k".into(), 5, entry(0, "mine"));
        assert_eq!(value(&mirror, "k"), None, "it was deleted afterwards");
        mirror.watched("b", "k".into(), 7, entry(0, "of another plugin"));
        assert_eq!(mirror.size(), (0, 0));
    }

    #[test]
    fn quotas_count_what_is_known_and_expired_entries_make_room() {
        let mut mirror = mirror();
        let quota = Quota { keys: 1, bytes: 10 };
        mirror.watched("a", "k".into(), 1, entry(50, "v"));
        assert_eq!(mirror.admit("a", quota, "l", 1, 49), Err(KvError::Quota));
        assert_eq!(mirror.admit("a", quota, "k", 9, 49), Ok(()), "it replaces");
        assert_eq!(mirror.admit("a", quota, "k", 10, 49), Err(KvError::Quota));
        assert_eq!(mirror.admit("a", quota, "l", 1, 50), Ok(()), "its time is over");
        assert_eq!(swept(&mut mirror, 50, Duration::ZERO), [1], "and it is removed from the bucket");
    }

    #[test]
    fn keys_that_the_bucket_lost_go_when_all_changes_have_come() {
        let mut mirror = mirror();
        mirror.watched("a", "lost".into(), 1, entry(0, "v"));
        mirror.watched("a", "changed".into(), 2, entry(0, "v"));
        mirror.begins_at(4, 5);
        assert_eq!(value(&mirror, "changed").as_deref(), Some("v"), "its change may be under way");
        mirror.watched("a", "changed".into(), 4, entry(0, "w"));
        mirror.passed(5);
        mirror.begins_at(4, 5);
        assert_eq!((value(&mirror, "lost"), value(&mirror, "changed").as_deref()), (None, Some("w")));
        assert_eq!(mirror.size(), (1, 8));
        mirror.begins_at(6, 5);
        assert_eq!(mirror.size(), (0, 0), "a bucket without keys begins behind its last revision");
    }

    /// What another program puts into the bucket.
    #[test]
    fn a_namespace_takes_twice_its_quota_and_no_more() {
        let mut mirror = Mirror::of([("a".into(), Quota { keys: 5, bytes: 1000 })].into_iter());
        let whole = Bytes::from(vec![0; 1 << 20]);
        for number in 0..1000 {
            mirror.watched("a", format!("k{number:03}"), number + 1, Some(whole.slice(..18)));
        }
        assert_eq!(mirror.size(), (10, 140));
        let begin = whole.as_ptr_range();
        let known = mirror.find("a", "k000").unwrap().entry.as_ptr();
        assert!(!begin.contains(&known), "it does not keep all that came with it");
        assert!(mirror.has_more("a") && mirror.find("a", "k999").is_none());
        assert_eq!(mirror.admit("a", Quota { keys: 5, bytes: 1000 }, "new", 1, 0), Err(KvError::Quota));
        // A large one takes the place of a small one, or none.
        mirror.watched("a", "k001".into(), 2000, Some(whole.slice(..2000)));
        assert_eq!(mirror.size(), (9, 126));
        mirror.completed = Instant::now().checked_sub(AGAIN);
        assert!(mirror.is_outdated(), "others may have room now");
        for number in 0..100_000 {
            mirror.watched("a", format!("d{number}"), 3000 + number, None);
        }
        assert_eq!(mirror.deletions.len(), MAX_DELETIONS);
        assert!(mirror.more_deletions);
    }

    #[test]
    fn what_is_complete_is_not_read_again() {
        let mut mirror = mirror();
        mirror.watched("a", "k".into(), 1, entry(0, "v"));
        mirror.watched("a", "k".into(), 2, None);
        mirror.completed = Instant::now().checked_sub(AGAIN);
        assert!(!mirror.is_outdated());
    }

    #[test]
    fn what_nobody_needs_is_swept_once_and_after_a_while() {
        let mut mirror = mirror();
        mirror.watched("a", "deleted".into(), 1, None);
        mirror.watched("a", "over".into(), 2, entry(1000, "v"));
        mirror.watched("a", "stays".into(), 3, entry(0, "v"));
        let minute = Duration::from_secs(60);
        assert!(swept(&mut mirror, 2000, minute).is_empty());
        assert_eq!(swept(&mut mirror, 62_000, minute), [2]);
        assert_eq!(swept(&mut mirror, 62_000, Duration::ZERO), [1]);
        assert!(swept(&mut mirror, 62_000, Duration::ZERO).is_empty());
        assert_eq!(mirror.size(), (1, 6));
    }
}
