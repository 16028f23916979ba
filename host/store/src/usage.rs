//! What a root contains: the sums that `write.quota` and `write.folders.count` limit.
//!
//! A walk through the root ([`super::counting`]) finds the sums, and each upload keeps them up to date. Running uploads count, too,
//! from their first byte on the disk: what one has reserved, no other one gets. Nothing is reserved by an announcement
//! alone, so that forged requests cannot use up a quota. Uploads to roots without a quota reserve what they write as well:
//! a reload may add one.
//!
//! What changes in the root beside the server shows after the next walk. A walk may meet a file before or after a step of
//! its commit. So what ends during a walk, or has begun before its end, is added as if the walk had seen the smaller file
//! and no new version, and nothing is taken off: such sums may be too high until the next walk, which is due soon, and are
//! not too low.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tuffet_request::Quota;

use super::StoreError;
use super::tally::{Contents, MAX_FOLDERS, Tally};

/// The key of the quota of each folder.
const PER_FOLDER: &str = "quota.per-folder";

/// The shortest time between two walks, as a multiple of the time that the last one took, and at least.
const MIN_PAUSE: (u32, Duration) = (10, Duration::from_secs(1));

/// The time after which the next walk is due, likewise.
const MAX_AGE: (u32, Duration) = (100, Duration::from_secs(600));

/// The sums of the folder of a root, across reloads.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    sums: Mutex<Sums>,
}

#[derive(Debug, Default)]
struct Sums {
    /// `None` until the first walk has ended.
    counted: Option<Tally>,
    /// Of running uploads.
    reserved: Tally,
    walk: Option<RunningWalk>,
    /// The number of walks that have begun.
    walks: u64,
    /// The number of walks with a result.
    results: u64,
    /// When the last walk ended, and how long it took.
    last: Option<(Instant, Duration)>,
    /// Whether the sums may be too high.
    stale: bool,
}

#[derive(Debug)]
struct RunningWalk {
    number: u64,
    /// What was added since it began.
    added: Tally,
    /// Whether anything was added or removed since it began.
    is_disturbed: bool,
}

/// A walk that has begun.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Begun {
    number: u64,
    /// When it began.
    pub at: Instant,
}

/// A change of files that has begun and is not accounted for yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change {
    /// The number of results of walks when it began. A later result contains a part of the change, or none, or all.
    results: u64,
}

impl Usage {
    /// Whether the first walk has ended.
    pub fn is_counted(&self) -> bool {
        self.sums.lock().counted.is_some()
    }

    /// Whether changes matter: the root was counted, or is being counted.
    pub fn is_kept(&self) -> bool {
        let sums = self.sums.lock();
        sums.counted.is_some() || sums.walk.is_some()
    }

    /// Forgets the sums, because they are no longer kept up to date.
    pub fn forget(&self) {
        let mut sums = self.sums.lock();
        (sums.counted, sums.walk, sums.last) = (None, None, None);
    }

    /// Makes a walk due: another process has changed the root. The sums stay in force meanwhile.
    pub fn expire(&self) {
        let mut sums = self.sums.lock();
        // A running walk may not have seen all changes.
        (sums.walk, sums.last) = (None, None);
    }

    /// Requires room for another file of this size in a folder at the top.
    ///
    /// # Errors
    /// `Quota`.
    pub fn require(&self, root: &str, quota: &Quota, folder: &[u8], bytes: u64) -> Result<(), StoreError> {
        self.sums.lock().require(root, quota, folder, Contents::files(1, bytes))
    }

    /// Requires room for this many folders.
    ///
    /// # Errors
    /// `Quota`.
    pub fn require_folders(&self, root: &str, folders: u64, most: u64) -> Result<(), StoreError> {
        self.sums.lock().require_folders(root, folders, most)
    }

    /// Begins a change, before its first step.
    pub fn change(&self) -> Change {
        Change { results: self.sums.lock().results }
    }

    /// Counts a folder that is about to be made.
    ///
    /// # Errors
    /// `Quota`.
    pub fn add_folder(&self, root: &str, most: u64) -> Result<Change, StoreError> {
        let mut sums = self.sums.lock();
        sums.require_folders(root, 1, most)?;
        if let Some(counted) = &mut sums.counted {
            counted.add(b"", Contents::FOLDER);
        }
        sums.add_to_walk(b"", Contents::FOLDER);
        Ok(Change { results: sums.results })
    }

    /// Accounts for a folder that was not made, or was removed.
    pub fn remove_folder(&self, change: Change) {
        self.remove(b"", Contents::FOLDER, change);
    }

    /// Accounts for what was removed in a folder at the top.
    pub fn remove(&self, folder: &[u8], less: Contents, change: Change) {
        let mut sums = self.sums.lock();
        if less == Contents::default() {
            return;
        }
        sums.add_to_walk(folder, Contents::default());
        if sums.results != change.results {
            sums.stale = true;
        } else if let Some(counted) = &mut sums.counted {
            counted.subtract(folder, less);
        }
    }

    /// Begins a walk, if one is due.
    pub fn begin(&self, now: Instant) -> Option<Begun> {
        let mut sums = self.sums.lock();
        if sums.walk.is_some() {
            return None;
        }
        if let Some((ended, took)) = sums.last {
            let (times, least) = if sums.stale { MIN_PAUSE } else { MAX_AGE };
            let pause = took.saturating_mul(times).max(least);
            if now.saturating_duration_since(ended) < pause {
                return None;
            }
        }
        sums.walks += 1;
        let number = sums.walks;
        sums.walk = Some(RunningWalk { number, added: Tally::default(), is_disturbed: false });
        Some(Begun { number, at: now })
    }

    /// Takes the result of a walk, unless the sums were forgotten since it began.
    pub fn end(&self, mut found: Tally, begun: Begun) {
        let mut sums = self.sums.lock();
        let Some(walk) = sums.walk.take_if(|walk| walk.number == begun.number) else { return };
        found.add_all(&walk.added);
        sums.stale = walk.is_disturbed;
        sums.counted = Some(found);
        sums.results += 1;
        sums.last = Some((Instant::now(), begun.at.elapsed()));
    }

    /// Ends a walk without a result. The sums stay; the next walk is due soon.
    pub fn abandon(&self, begun: Begun) {
        let mut sums = self.sums.lock();
        if sums.walk.take_if(|walk| walk.number == begun.number).is_some() {
            sums.stale = true;
            sums.last = Some((Instant::now(), begun.at.elapsed()));
        }
    }
}

impl Sums {
    fn require(
        &mut self,
        root: &str,
        quota: &Quota,
        folder: &[u8],
        more: Contents,
    ) -> Result<(), StoreError> {
        let required = self.judge(root, quota, folder, more);
        self.stale |= required.is_err();
        required
    }

    fn judge(&self, root: &str, quota: &Quota, folder: &[u8], more: Contents) -> Result<(), StoreError> {
        let uncounted = Tally::default();
        let counted = self.counted.as_ref().unwrap_or(&uncounted);
        let (all, held) = (counted.all(), self.reserved.all());
        let (of, held_of) = (counted.of(folder), self.reserved.of(folder));
        let limits = [
            ("quota.bytes", quota.bytes, all.bytes, held.bytes, more.bytes),
            ("quota.files", quota.files, all.files, held.files, more.files),
            ("quota.per-folder.bytes", quota.per_folder.bytes, of.bytes, held_of.bytes, more.bytes),
            ("quota.per-folder.files", quota.per_folder.files, of.files, held_of.files, more.files),
        ];
        for (key, limit, stored, running, more) in limits {
            let Some(limit) = limit.filter(|_| more > 0) else { continue };
            let sum = stored.saturating_add(running).saturating_add(more);
            if sum > limit {
                let name = || String::from_utf8_lossy(folder).into_owned();
                let folder = key.starts_with(PER_FOLDER).then(name);
                return Err(StoreError::Quota { root: root.to_owned(), folder, key, limit, stored, running });
            }
        }
        if quota.is_per_folder() && more != Contents::default() && !counted.has_place(folder) {
            let (root, folder, limit) = (root.to_owned(), None, MAX_FOLDERS as u64);
            return Err(StoreError::Quota {
                root,
                folder,
                key: PER_FOLDER,
                limit,
                stored: limit,
                running: 0,
            });
        }
        Ok(())
    }

    fn require_folders(&mut self, root: &str, folders: u64, limit: u64) -> Result<(), StoreError> {
        let stored = self.counted.as_ref().map_or(0, |counted| counted.all().folders);
        if stored.saturating_add(folders) <= limit {
            return Ok(());
        }
        self.stale = true;
        let (root, key) = (root.to_owned(), "folders.count");
        Err(StoreError::Quota { root, folder: None, key, limit, stored, running: 0 })
    }

    /// Adds to the result of a running walk.
    fn add_to_walk(&mut self, folder: &[u8], more: Contents) {
        if let Some(walk) = &mut self.walk {
            walk.added.add(folder, more);
            walk.is_disturbed = true;
        }
    }
}

/// The part of a quota that a running upload holds, until it is dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    root: Arc<str>,
    quota: Quota,
    held: Mutex<Held>,
}

#[derive(Debug)]
struct Held {
    usage: Arc<Usage>,
    /// The folder at the top of the root.
    folder: Box<[u8]>,
    contents: Contents,
}

/// The file that an upload has replaced.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Old {
    pub bytes: u64,
    /// Whether it has become a further file: an earlier version.
    pub is_kept: bool,
}

impl Reservation {
    /// Holds nothing yet.
    pub fn new(usage: &Arc<Usage>, root: &Arc<str>, quota: Quota, folder: Box<[u8]>) -> Reservation {
        let held = Held { usage: Arc::clone(usage), folder, contents: Contents::default() };
        Reservation { root: Arc::clone(root), quota, held: Mutex::new(held) }
    }

    /// Reserves a file of this size, unless that much is reserved already.
    ///
    /// # Errors
    /// `Quota`.
    pub fn grow(&self, size: u64) -> Result<(), StoreError> {
        let mut held = self.held.lock();
        let more = Contents::files(1 - held.contents.files, size.saturating_sub(held.contents.bytes));
        if more == Contents::default() {
            return Ok(());
        }
        let mut sums = held.usage.sums.lock();
        sums.require(&self.root, &self.quota, &held.folder, more)?;
        sums.reserved.add_anyway(&held.folder, more);
        drop(sums);
        held.contents.add(more);
        Ok(())
    }

    /// Moves it to a folder at the top, perhaps of another folder that has replaced that of the root.
    ///
    /// # Errors
    /// `Quota`; it then stays where it is.
    pub fn move_to(&self, usage: &Arc<Usage>, folder: Box<[u8]>) -> Result<(), StoreError> {
        let mut held = self.held.lock();
        let is_same = Arc::ptr_eq(&held.usage, usage);
        if is_same && held.folder == folder {
            return Ok(());
        }
        // In the same root, it has its part already.
        let in_folder = Quota { bytes: None, files: None, ..self.quota };
        let quota = if is_same { in_folder } else { self.quota };
        let mut sums = usage.sums.lock();
        sums.require(&self.root, &quota, &folder, Contents::files(1, held.contents.bytes))?;
        sums.reserved.add_anyway(&folder, held.contents);
        if is_same {
            sums.reserved.subtract(&held.folder, held.contents);
        }
        drop(sums);
        if !is_same {
            held.release();
        }
        (held.usage, held.folder) = (Arc::clone(usage), folder);
        Ok(())
    }

    /// Turns it into a stored file of this size, and accounts for the one before.
    pub fn settle(&self, size: u64, old: Option<Old>, change: Change) {
        let mut held = self.held.lock();
        let reserved = std::mem::take(&mut held.contents);
        let folder = &*held.folder;
        let mut sums = held.usage.sums.lock();
        sums.reserved.subtract(folder, reserved);
        // A walk may have seen the smaller of both files, and no version.
        let before = old.map_or(0, |old| old.bytes);
        let most = Contents::files(1, size.max(before));
        sums.add_to_walk(folder, most);
        let is_sure = sums.results == change.results;
        sums.stale |= !is_sure;
        let Some(counted) = &mut sums.counted else { return };
        counted.add(folder, if is_sure { Contents::files(1, size) } else { most });
        if is_sure && old.is_some_and(|old| !old.is_kept) {
            counted.subtract(folder, Contents::files(1, before));
        }
    }

    /// Accounts for what was removed beside the file.
    pub fn remove(&self, less: Contents, change: Change) {
        let held = self.held.lock();
        held.usage.remove(&held.folder, less, change);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.held.get_mut().release();
    }
}

impl Held {
    fn release(&self) {
        self.usage.sums.lock().reserved.subtract(&self.folder, self.contents);
    }
}

#[cfg(test)]
#[path = "usage_tests.rs"]
mod tests;
