//! What a root contains: the sums that `write.quota` and `write.folders.count` limit.
//!
//! A walk through the root ([`super::counting`]) finds the sums, and each upload keeps them up to date. Running uploads count, too,
//! from their first byte on the disk: what one has reserved, no other one gets. Nothing is reserved by an announcement
//! alone, so that forged requests cannot use up a quota.
//!
//! What changes in the root beside the server shows after the next walk. Uploads that end during a walk may be seen by it
//! or not; they are added to its result, so the sums may be too high until the next one. They are too low, by one file, only
//! where a walk meets the file between two steps of its commit.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tuffet_request::Quota;

use super::StoreError;

/// The shortest time between two walks, as a multiple of the time that the last one took, and at least.
const MIN_PAUSE: (u32, Duration) = (10, Duration::from_secs(1));

/// The time after which the next walk is due, likewise.
const MAX_AGE: (u32, Duration) = (100, Duration::from_secs(600));

/// The sums of a root, across reloads.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    sums: Mutex<Sums>,
}

#[derive(Debug, Default)]
struct Sums {
    /// `None` until the first walk has ended.
    counted: Option<Contents>,
    /// Of running uploads.
    reserved: Contents,
    /// The running walk, and what was added during it.
    walk: Option<(u64, Contents)>,
    /// The number of walks that have begun.
    walks: u64,
    /// When the last walk ended, and how long it took.
    last: Option<(Instant, Duration)>,
    /// Whether the sums may be too high.
    stale: bool,
}

/// A walk that has begun.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Begun {
    number: u64,
    /// When it began.
    pub at: Instant,
}

/// The contents of a root, or a part of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Contents {
    pub bytes: u64,
    pub files: u64,
    pub folders: u64,
}

impl Contents {
    /// Files of these bytes.
    pub fn files(files: u64, bytes: u64) -> Contents {
        Contents { bytes, files, folders: 0 }
    }

    const FOLDER: Contents = Contents { bytes: 0, files: 0, folders: 1 };

    pub fn add(&mut self, more: Contents) {
        self.bytes = self.bytes.saturating_add(more.bytes);
        self.files = self.files.saturating_add(more.files);
        self.folders = self.folders.saturating_add(more.folders);
    }

    fn subtract(&mut self, less: Contents) {
        self.bytes = self.bytes.saturating_sub(less.bytes);
        self.files = self.files.saturating_sub(less.files);
        self.folders = self.folders.saturating_sub(less.folders);
    }
}

impl Usage {
    /// Whether the first walk has ended.
    pub fn is_counted(&self) -> bool {
        self.sums.lock().counted.is_some()
    }

    /// Forgets the sums, because nobody keeps them up to date any more.
    pub fn forget(&self) {
        let mut sums = self.sums.lock();
        (sums.counted, sums.walk, sums.last) = (None, None, None);
    }

    /// Requires room for another file of this size.
    ///
    /// # Errors
    /// `Quota`.
    pub fn require(&self, root: &str, quota: &Quota, bytes: u64) -> Result<(), StoreError> {
        self.sums.lock().require(root, quota, Contents::files(1, bytes))
    }

    /// Requires room for this many folders.
    ///
    /// # Errors
    /// `Quota`.
    pub fn require_folders(&self, root: &str, folders: u64, most: u64) -> Result<(), StoreError> {
        self.sums.lock().require_folders(root, folders, most)
    }

    /// Counts a folder that is about to be made.
    ///
    /// # Errors
    /// `Quota`.
    pub fn add_folder(&self, root: &str, most: u64) -> Result<(), StoreError> {
        let mut sums = self.sums.lock();
        sums.require_folders(root, 1, most)?;
        sums.add(Contents::FOLDER);
        Ok(())
    }

    pub fn remove_folder(&self) {
        self.remove(Contents::FOLDER);
    }

    /// Accounts for what was removed.
    pub fn remove(&self, less: Contents) {
        if let Some(counted) = &mut self.sums.lock().counted {
            counted.subtract(less);
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
        sums.walk = Some((number, Contents::default()));
        Some(Begun { number, at: now })
    }

    /// Takes the result of a walk, unless the sums were forgotten since it began.
    pub fn end(&self, mut found: Contents, walk: Begun) {
        let mut sums = self.sums.lock();
        let Some((_, added)) = sums.walk.take_if(|(number, _)| *number == walk.number) else { return };
        // The walk may have seen them or not.
        sums.stale = added != Contents::default();
        found.add(added);
        sums.counted = Some(found);
        sums.last = Some((Instant::now(), walk.at.elapsed()));
    }

    /// Ends a walk without a result. The sums stay; the next walk is due soon.
    pub fn abandon(&self, walk: Begun) {
        let mut sums = self.sums.lock();
        if sums.walk.take_if(|(number, _)| *number == walk.number).is_some() {
            sums.stale = true;
            sums.last = Some((Instant::now(), walk.at.elapsed()));
        }
    }
}

impl Sums {
    fn require(&mut self, root: &str, quota: &Quota, more: Contents) -> Result<(), StoreError> {
        let (counted, reserved) = (self.counted.unwrap_or_default(), self.reserved);
        let limits = [
            ("write.quota.bytes", quota.bytes, counted.bytes, reserved.bytes, more.bytes),
            ("write.quota.files", quota.files, counted.files, reserved.files, more.files),
        ];
        for (key, limit, stored, running, more) in limits {
            let Some(limit) = limit.filter(|_| more > 0) else { continue };
            let sum = stored.saturating_add(running).saturating_add(more);
            if sum > limit {
                self.stale = true;
                return Err(StoreError::Quota { root: root.to_owned(), key, limit, stored, running });
            }
        }
        Ok(())
    }

    fn require_folders(&mut self, root: &str, folders: u64, limit: u64) -> Result<(), StoreError> {
        let stored = self.counted.unwrap_or_default().folders;
        if stored.saturating_add(folders) <= limit {
            return Ok(());
        }
        self.stale = true;
        let (root, key) = (root.to_owned(), "write.folders.count");
        Err(StoreError::Quota { root, key, limit, stored, running: 0 })
    }

    fn add(&mut self, more: Contents) {
        let walk = self.walk.as_mut().map(|(_, added)| added);
        for sum in self.counted.as_mut().into_iter().chain(walk) {
            sum.add(more);
        }
    }
}

/// The part of a quota that a running upload holds, until it is dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    usage: Arc<Usage>,
    root: Arc<str>,
    quota: Quota,
    held: Mutex<Contents>,
}

impl Reservation {
    /// Holds nothing yet.
    pub fn new(usage: &Arc<Usage>, root: &Arc<str>, quota: Quota) -> Reservation {
        Reservation { usage: Arc::clone(usage), root: Arc::clone(root), quota, held: Mutex::default() }
    }

    /// Reserves a file of this size, unless that much is reserved already.
    ///
    /// # Errors
    /// `Quota`.
    pub fn grow(&self, size: u64) -> Result<(), StoreError> {
        let mut held = self.held.lock();
        let more = Contents::files(1 - held.files, size.saturating_sub(held.bytes));
        let mut sums = self.usage.sums.lock();
        sums.require(&self.root, &self.quota, more)?;
        sums.reserved.add(more);
        held.add(more);
        Ok(())
    }

    /// Turns it into a stored file of this size, and accounts for the file that was replaced.
    pub fn settle(&self, size: u64, replaced: Option<u64>) {
        let held = std::mem::take(&mut *self.held.lock());
        let mut sums = self.usage.sums.lock();
        sums.reserved.subtract(held);
        sums.add(Contents::files(1, size));
        if let Some(counted) = &mut sums.counted {
            counted.subtract(replaced.map_or_else(Contents::default, |bytes| Contents::files(1, bytes)));
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let held = *self.held.lock();
        self.usage.sums.lock().reserved.subtract(held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUOTA: Quota = Quota { bytes: Some(100), files: Some(3) };

    fn usage(counted: Contents) -> Arc<Usage> {
        let usage = Arc::new(Usage::default());
        let began = usage.begin(Instant::now()).expect("the first walk is due");
        usage.end(counted, began);
        usage
    }

    fn upload(usage: &Arc<Usage>) -> Reservation {
        Reservation::new(usage, &"in".into(), QUOTA)
    }

    #[test]
    fn two_uploads_do_not_get_the_same_bytes() {
        let usage = usage(Contents::files(1, 20));
        let (one, two) = (upload(&usage), upload(&usage));
        usage.require("in", &QUOTA, 80).expect("nothing is reserved by a request");
        one.grow(50).expect("70 of 100");
        two.grow(30).expect("100 of 100");
        assert!(two.grow(31).is_err() && one.grow(51).is_err() && two.grow(30).is_ok());
        let text = two.grow(31).unwrap_err().to_string();
        for part in ["root `in`", "100 bytes", "write.quota.bytes", "20 are stored", "80 belong to"] {
            assert!(text.contains(part), "{text}");
        }
        let third = upload(&usage);
        assert!(third.grow(0).unwrap_err().to_string().contains("write.quota.files"));
        drop(one);
        two.grow(80).expect("the other one has ended");
        two.settle(80, Some(20));
        drop(two);
        let sums = usage.sums.lock();
        assert_eq!((sums.counted, sums.reserved), (Some(Contents::files(1, 80)), Contents::default()));
    }

    #[test]
    fn what_ends_during_a_walk_is_added_to_its_result() {
        let usage = usage(Contents::default());
        usage.sums.lock().stale = true;
        let later = Instant::now() + MIN_PAUSE.1;
        let began = usage.begin(later).expect("due");
        assert!(usage.begin(later).is_none(), "one walk at a time");
        let running = upload(&usage);
        running.grow(40).expect("room");
        running.settle(40, None);
        usage.end(Contents::files(1, 10), began);
        let sums = usage.sums.lock();
        assert_eq!((sums.counted, sums.stale), (Some(Contents::files(2, 50)), true));
    }

    #[test]
    fn a_walk_from_before_the_sums_were_forgotten_does_not_count() {
        let usage = usage(Contents::default());
        let first = usage.begin(Instant::now() + MAX_AGE.1 * 2).expect("due");
        usage.forget();
        let second = usage.begin(Instant::now()).expect("due");
        usage.end(Contents::files(9, 90), first);
        usage.abandon(first);
        assert!(!usage.is_counted());
        usage.end(Contents::files(1, 10), second);
        assert_eq!(usage.sums.lock().counted, Some(Contents::files(1, 10)));
    }

    #[test]
    fn a_walk_without_a_result_keeps_the_sums() {
        let usage = usage(Contents::files(1, 10));
        let failed = usage.begin(Instant::now() + MAX_AGE.1 * 2).expect("due");
        usage.abandon(failed);
        assert_eq!(usage.sums.lock().counted, Some(Contents::files(1, 10)));
        assert!(usage.begin(Instant::now() + MIN_PAUSE.1 * 2 + MAX_AGE.1).is_some());
    }

    #[test]
    fn walks_are_not_frequent() {
        let usage = usage(Contents::default());
        let now = Instant::now();
        assert!(usage.begin(now + MIN_PAUSE.1 * 2).is_none(), "the sums are good");
        usage.require("in", &QUOTA, 101).expect_err("too large");
        assert!(usage.begin(now).is_none(), "too soon");
        let began = usage.begin(now + MIN_PAUSE.1 * 2).expect("an upload was refused");
        usage.end(Contents::default(), began);
        assert!(usage.begin(now + MAX_AGE.1 * 2).is_some(), "the last one is long ago");
    }

    #[test]
    fn folders_are_limited() {
        let usage = usage(Contents { folders: 1, ..Contents::default() });
        usage.require_folders("in", 2, 3).expect("3 of 3");
        usage.require_folders("in", 3, 3).expect_err("4 of 3");
        usage.add_folder("in", 2).expect("2 of 2");
        assert!(usage.add_folder("in", 2).unwrap_err().to_string().contains("write.folders.count"));
        usage.remove_folder();
        usage.add_folder("in", 2).expect("2 of 2");
    }
}
