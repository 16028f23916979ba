//! A local copy of the keys of this server's plugins. It answers reads while NATS is away, knows the sizes for
//! quotas, and gives the first guess of a counter.
//!
//! A subscription fills it, in the order of revisions; changes of this server are entered when NATS confirms them.
//! Any program with a login may write into the bucket, so each namespace is limited to twice its quota: concurrent
//! servers may exceed the quota a little. Keys that do not fit are left out until there is room.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::super::entry::Entry;
use super::super::usage::Usage;
use super::super::{KvError, Listing, Page, Quota, Versioned};

/// The maximum number of deletions remembered for sweeps.
const MAX_DELETIONS: usize = 16_384;
/// The minimum time before the bucket is read again for keys that were left out.
const REREAD_INTERVAL: Duration = Duration::from_secs(60);

/// The mirrored keys, by namespace.
#[derive(Debug, Default)]
pub(super) struct Mirror {
    namespaces: HashMap<Arc<str>, NamespaceKeys>,
    /// The revision up to which the subscription has come.
    revision: u64,
    /// When all keys had arrived.
    completed: Option<Instant>,
    /// Deletions, each of which leaves a message in the bucket, and when they were seen.
    deletions: Vec<(ObsoleteMessage, Instant)>,
    /// Whether deletions were left out.
    deletions_left_out: bool,
}

#[derive(Debug)]
struct NamespaceKeys {
    keys: BTreeMap<String, MirrorEntry>,
    usage: Usage,
    /// The largest quota of the plugins that use the namespace.
    quota: Quota,
    /// Whether keys were left out.
    left_out: bool,
    /// Whether a key was removed since.
    has_room: bool,
}

/// A message to remove from the bucket: a deletion, or an expired entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ObsoleteMessage {
    pub(super) namespace: Arc<str>,
    pub(super) key: String,
    pub(super) revision: u64,
}

/// A mirrored value.
#[derive(Debug, Clone)]
pub(super) struct MirrorEntry {
    pub(super) revision: u64,
    /// The entry with its expiry.
    pub(super) entry: Bytes,
}

impl MirrorEntry {
    /// Returns the value with its revision, unless it has expired.
    pub(super) fn versioned(&self, now: u64) -> Option<Versioned> {
        let entry = Entry::parse(&self.entry);
        let revision = self.revision;
        (!entry.is_expired(now)).then(|| entry.versioned(revision))
    }

    fn size(&self) -> usize {
        Entry::parse(&self.entry).value.len()
    }
}

impl Mirror {
    /// Creates an empty mirror for these namespaces.
    pub(super) fn of(namespaces: impl Iterator<Item = (Arc<str>, Quota)>) -> Mirror {
        let namespaces = namespaces.map(|(name, quota)| (name, NamespaceKeys::of(quota))).collect();
        Mirror { namespaces, ..Mirror::default() }
    }

    /// Enters a change from the subscription; `None` is a deletion.
    pub(super) fn enter_watched(
        &mut self,
        namespace: &str,
        key: String,
        revision: u64,
        entry: Option<Bytes>,
    ) {
        self.revision = self.revision.max(revision);
        self.enter(namespace, key, revision, entry);
    }

    /// Records a change from the subscription that is not a key of a plugin.
    pub(super) fn skip(&mut self, revision: u64) {
        self.revision = self.revision.max(revision);
    }

    /// The revision up to which the subscription has come.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// Removes the keys below `first`, the first revision of the bucket. A changed key may still have an old revision
    /// here, so this waits until revision `last` has arrived.
    pub(super) fn remove_before(&mut self, first: u64, last: u64) {
        if self.revision < last {
            return;
        }
        for keys in self.namespaces.values_mut() {
            keys.retain(|known| known.revision >= first);
        }
    }

    /// Enters a confirmed change of this server, unless the subscription is ahead of it.
    pub(super) fn enter_written(
        &mut self,
        namespace: &str,
        key: String,
        revision: u64,
        entry: Option<Bytes>,
    ) {
        if revision > self.revision {
            self.enter(namespace, key, revision, entry);
        }
    }

    /// Removes a key that this server deleted. The subscription brings the revision later.
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
            let swept = ObsoleteMessage { namespace, key, revision };
            return self.delete([swept]);
        };
        let entry = Entry::parse(&entry);
        // A copy, because the received bytes share a buffer with everything that arrived with them.
        let known = MirrorEntry { revision, entry: entry.bytes().into() };
        let mut after = keys.usage;
        after.add(&key, known.size());
        if after.exceeds(keys.room(), Usage::default()) {
            if !std::mem::replace(&mut keys.left_out, true) {
                tracing::warn!(
                    target: "tuffet::kv",
                    plugin = %namespace,
                    "the bucket has more keys of this plugin than twice its quota; the rest is left out, and \
                     the plugin cannot list keys: remove them, or raise `limits.kv-keys` and `limits.kv-bytes`"
                );
            }
            return;
        }
        keys.usage = after;
        keys.keys.insert(key, known);
    }

    /// Remembers messages for the next sweeps.
    fn delete(&mut self, swept: impl IntoIterator<Item = ObsoleteMessage>) {
        let mut swept = swept.into_iter();
        let room = MAX_DELETIONS.saturating_sub(self.deletions.len());
        self.deletions.extend(swept.by_ref().take(room).map(|swept| (swept, Instant::now())));
        self.deletions_left_out |= swept.next().is_some();
    }

    /// Whether this namespace is mirrored with this quota.
    pub(super) fn has(&self, namespace: &str, quota: Quota) -> bool {
        self.namespaces.get(namespace).is_some_and(|keys| keys.quota == quota)
    }

    /// Records that all keys have arrived.
    pub(super) fn completed(&mut self) {
        self.completed = Some(Instant::now());
    }

    /// Whether all keys have arrived.
    pub(super) fn is_complete(&self) -> bool {
        self.completed.is_some()
    }

    /// Whether to read the bucket again: something was left out and may fit by now.
    pub(super) fn is_outdated(&self) -> bool {
        let keys = self.namespaces.values().any(|keys| keys.left_out && keys.has_room);
        let deletions = self.deletions_left_out && self.deletions.is_empty();
        (keys || deletions) && self.completed.is_some_and(|completed| completed.elapsed() >= REREAD_INTERVAL)
    }

    /// Returns the mirrored value of a key.
    pub(super) fn find(&self, namespace: &str, key: &str) -> Option<&MirrorEntry> {
        self.namespaces.get(namespace)?.keys.get(key)
    }

    /// Whether keys of this namespace were left out.
    pub(super) fn leaves_keys_out(&self, namespace: &str) -> bool {
        self.namespaces.get(namespace).is_some_and(|keys| keys.left_out)
    }

    /// Lists the mirrored keys with their values in the order of their bytes; `None` if the namespace is not mirrored.
    pub(super) fn list(
        &self,
        namespace: &str,
        listing: &Listing,
        now: u64,
    ) -> Option<Vec<(String, Versioned)>> {
        let Listing { prefix, after, limit } = listing;
        let begin = match after {
            Some(after) if after >= prefix => Bound::Excluded(after.as_str()),
            _ => Bound::Included(prefix.as_str()),
        };
        let keys = self.namespaces.get(namespace)?.keys.range::<str, _>((begin, Bound::Unbounded));
        let keys = keys.take_while(|(key, _)| key.starts_with(prefix));
        let mut page = Page::new(*limit);
        for (key, known) in keys {
            if page.is_full() {
                break;
            }
            if let Some(versioned) = known.versioned(now) {
                page.add(key, versioned);
            }
        }
        Some(page.found)
    }

    /// Checks that a value of this size fits.
    ///
    /// # Errors
    /// It exceeds the quota, even without expired entries.
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
        // Without expired entries it may fit. The next sweep removes them from the bucket.
        let over = keys.keys.iter().filter(|(_, known)| Entry::parse(&known.entry).is_expired(now));
        let swept = |(key, known): (&String, &MirrorEntry)| ObsoleteMessage {
            namespace: Arc::clone(&namespace),
            key: key.clone(),
            revision: known.revision,
        };
        let swept: Vec<ObsoleteMessage> = over.map(swept).collect();
        keys.retain(|known| !Entry::parse(&known.entry).is_expired(now));
        let fits = keys.fits(quota, key, size);
        self.delete(swept);
        if fits { Ok(()) } else { Err(KvError::Quota) }
    }

    /// Takes up to `max` messages to remove: deletions and expired entries, both at least `age` old.
    pub(super) fn sweep(&mut self, now: u64, age: Duration, max: usize) -> Vec<ObsoleteMessage> {
        let mut swept = Vec::new();
        self.deletions.retain(|(deletion, seen)| {
            let stays = swept.len() >= max || seen.elapsed() < age;
            if !stays {
                swept.push(deletion.clone());
            }
            stays
        });
        let since = now.saturating_sub(u64::try_from(age.as_millis()).unwrap_or(u64::MAX));
        for (namespace, keys) in &mut self.namespaces {
            let over = keys.keys.iter().filter(|(_, known)| Entry::parse(&known.entry).is_expired(since));
            let over: Vec<String> =
                over.map(|(key, _)| key.clone()).take(max.saturating_sub(swept.len())).collect();
            for key in over {
                if let Some(known) = keys.remove(&key) {
                    swept.push(ObsoleteMessage {
                        namespace: Arc::clone(namespace),
                        key,
                        revision: known.revision,
                    });
                }
            }
        }
        swept
    }

    /// Returns the size of a namespace.
    pub(super) fn usage(&self, namespace: &str) -> Usage {
        self.namespaces.get(namespace).map(|keys| keys.usage).unwrap_or_default()
    }

    /// Returns the number of mirrored keys, and the bytes of keys and values.
    pub(super) fn size(&self) -> (u64, u64) {
        let all = self.namespaces.values().map(|keys| keys.usage.counted());
        all.fold((0, 0), |(keys, bytes), (its_keys, its_bytes)| (keys + its_keys, bytes + its_bytes))
    }
}

impl NamespaceKeys {
    fn of(quota: Quota) -> NamespaceKeys {
        NamespaceKeys {
            keys: BTreeMap::new(),
            usage: Usage::default(),
            quota,
            left_out: false,
            has_room: false,
        }
    }

    /// The limit of the mirror: twice the quota.
    fn room(&self) -> Quota {
        let Quota { keys, bytes } = self.quota;
        Quota { keys: keys.saturating_mul(2), bytes: bytes.saturating_mul(2) }
    }

    fn remove(&mut self, key: &str) -> Option<MirrorEntry> {
        let known = self.keys.remove(key)?;
        self.usage.remove(key, known.size());
        self.has_room = true;
        Some(known)
    }

    fn retain(&mut self, stays: impl Fn(&MirrorEntry) -> bool) {
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
        mirror.enter_written("a", "k".into(), 5, entry(0, "mine"));
        mirror.enter_watched("a", "k".into(), 4, entry(0, "older"));
        assert_eq!(value(&mirror, "k").as_deref(), Some("mine"));
        mirror.enter_watched("a", "k".into(), 6, None);
        mirror.enter_written("a", "k".into(), 5, entry(0, "mine"));
        assert_eq!(value(&mirror, "k"), None, "it was deleted afterwards");
        mirror.enter_watched("b", "k".into(), 7, entry(0, "of another plugin"));
        assert_eq!(mirror.size(), (0, 0));
    }

    #[test]
    fn quotas_count_mirrored_keys_and_expired_entries_make_room() {
        let mut mirror = mirror();
        let quota = Quota { keys: 1, bytes: 10 };
        mirror.enter_watched("a", "k".into(), 1, entry(50, "v"));
        assert_eq!(mirror.admit("a", quota, "l", 1, 49), Err(KvError::Quota));
        assert_eq!(mirror.admit("a", quota, "k", 9, 49), Ok(()), "it replaces");
        assert_eq!(mirror.admit("a", quota, "k", 10, 49), Err(KvError::Quota));
        assert_eq!(mirror.admit("a", quota, "l", 1, 50), Ok(()), "its time is over");
        assert_eq!(swept(&mut mirror, 50, Duration::ZERO), [1], "and it is removed from the bucket");
    }

    #[test]
    fn keys_that_the_bucket_lost_go_when_all_changes_have_arrived() {
        let mut mirror = mirror();
        mirror.enter_watched("a", "lost".into(), 1, entry(0, "v"));
        mirror.enter_watched("a", "changed".into(), 2, entry(0, "v"));
        mirror.remove_before(4, 5);
        assert_eq!(value(&mirror, "changed").as_deref(), Some("v"), "its change may be under way");
        mirror.enter_watched("a", "changed".into(), 4, entry(0, "w"));
        mirror.skip(5);
        mirror.remove_before(4, 5);
        assert_eq!((value(&mirror, "lost"), value(&mirror, "changed").as_deref()), (None, Some("w")));
        assert_eq!(mirror.size(), (1, 8));
        mirror.remove_before(6, 5);
        assert_eq!(mirror.size(), (0, 0), "a bucket without keys begins behind its last revision");
    }

    /// The keys of another program.
    #[test]
    fn a_namespace_takes_twice_its_quota_and_no_more() {
        let mut mirror = Mirror::of([("a".into(), Quota { keys: 5, bytes: 1000 })].into_iter());
        let whole = Bytes::from(vec![0; 1 << 20]);
        for number in 0..1000 {
            mirror.enter_watched("a", format!("k{number:03}"), number + 1, Some(whole.slice(..18)));
        }
        assert_eq!(mirror.size(), (10, 140));
        let begin = whole.as_ptr_range();
        let known = mirror.find("a", "k000").unwrap().entry.as_ptr();
        assert!(!begin.contains(&known), "it does not keep all that came with it");
        assert!(mirror.leaves_keys_out("a") && mirror.find("a", "k999").is_none());
        assert_eq!(mirror.admit("a", Quota { keys: 5, bytes: 1000 }, "new", 1, 0), Err(KvError::Quota));
        // A large value replaces a small one, or is left out.
        mirror.enter_watched("a", "k001".into(), 2000, Some(whole.slice(..2000)));
        assert_eq!(mirror.size(), (9, 126));
        mirror.completed = Instant::now().checked_sub(REREAD_INTERVAL);
        assert!(mirror.is_outdated(), "others may have room now");
        for number in 0..100_000 {
            mirror.enter_watched("a", format!("d{number}"), 3000 + number, None);
        }
        assert_eq!(mirror.deletions.len(), MAX_DELETIONS);
        assert!(mirror.deletions_left_out);
    }

    #[test]
    fn a_complete_mirror_is_not_read_again() {
        let mut mirror = mirror();
        mirror.enter_watched("a", "k".into(), 1, entry(0, "v"));
        mirror.enter_watched("a", "k".into(), 2, None);
        mirror.completed = Instant::now().checked_sub(REREAD_INTERVAL);
        assert!(!mirror.is_outdated());
    }

    #[test]
    fn obsolete_messages_are_swept_once_and_after_a_while() {
        let mut mirror = mirror();
        mirror.enter_watched("a", "deleted".into(), 1, None);
        mirror.enter_watched("a", "over".into(), 2, entry(1000, "v"));
        mirror.enter_watched("a", "stays".into(), 3, entry(0, "v"));
        let minute = Duration::from_secs(60);
        assert!(swept(&mut mirror, 2000, minute).is_empty());
        assert_eq!(swept(&mut mirror, 62_000, minute), [2]);
        assert_eq!(swept(&mut mirror, 62_000, Duration::ZERO), [1]);
        assert!(swept(&mut mirror, 62_000, Duration::ZERO).is_empty());
        assert_eq!(mirror.size(), (1, 6));
    }
}
