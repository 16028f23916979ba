//! Tests of the sums of a root.

use super::super::tally::{Contents, MAX_FOLDERS, Tally};
use super::*;
use std::collections::BTreeMap;
use tuffet_request::FolderQuota;

const QUOTA: Quota =
    Quota { bytes: Some(100), files: Some(3), per_folder: FolderQuota { bytes: None, files: None } };

/// Files in one folder.
fn tally(folder: &str, contents: Contents) -> Tally {
    let mut tally = Tally::default();
    tally.add(folder.as_bytes(), contents);
    tally
}

fn usage(counted: Contents) -> Arc<Usage> {
    usage_of(tally("", counted))
}

fn usage_of(counted: Tally) -> Arc<Usage> {
    let usage = Arc::new(Usage::default());
    let began = usage.begin(Instant::now()).expect("the first walk is due");
    usage.end(counted, began);
    usage
}

fn upload(usage: &Arc<Usage>) -> Reservation {
    upload_to(usage, QUOTA, "")
}

fn upload_to(usage: &Arc<Usage>, quota: Quota, folder: &str) -> Reservation {
    Reservation::new(usage, &"in".into(), quota, folder.as_bytes().into())
}

fn counted(usage: &Usage) -> Contents {
    usage.sums.lock().counted.as_ref().expect("it was counted").all()
}

#[test]
fn two_uploads_do_not_get_the_same_bytes() {
    let usage = usage(Contents::files(1, 20));
    let (one, two) = (upload(&usage), upload(&usage));
    usage.require("in", &QUOTA, b"", 80).expect("nothing is reserved by a request");
    one.grow(50).expect("70 of 100");
    two.grow(30).expect("100 of 100");
    assert!(two.grow(31).is_err() && one.grow(51).is_err() && two.grow(30).is_ok());
    let text = two.grow(31).unwrap_err().to_string();
    for part in ["of root `in`", "100 bytes", "quota.bytes", "20 are stored", "80 belong to"] {
        assert!(text.contains(part), "{text}");
    }
    let third = upload(&usage);
    assert!(third.grow(0).unwrap_err().to_string().contains("quota.files"));
    drop(one);
    two.grow(80).expect("the other one has ended");
    two.settle(80, Some(Old { bytes: 20, is_kept: false }), usage.change());
    drop(two);
    assert_eq!(counted(&usage), Contents::files(1, 80));
    assert_eq!(usage.sums.lock().reserved, Tally::default());
}

#[test]
fn each_folder_has_its_part() {
    let quota =
        Quota { bytes: Some(100), files: None, per_folder: FolderQuota { bytes: Some(40), files: Some(2) } };
    let mut stored = tally("a", Contents::files(1, 30));
    stored.add(b"", Contents::files(1, 10));
    let usage = usage_of(stored);
    let (one, two) = (upload_to(&usage, quota, "a"), upload_to(&usage, quota, "b"));
    one.grow(10).expect("40 of 40");
    let text = one.grow(11).unwrap_err().to_string();
    for part in
        ["of folder `a` in root `in`", "40 bytes", "per-folder.bytes", "30 are stored", "10 belong to"]
    {
        assert!(text.contains(part), "{text}");
    }
    let text = upload_to(&usage, quota, "a").grow(0).unwrap_err().to_string();
    assert!(text.contains("per-folder.files"), "{text}");
    two.grow(40).expect("another folder");
    let text = upload_to(&usage, quota, "c").grow(11).unwrap_err().to_string();
    assert!(text.contains("of root `in`") && text.contains("quota.bytes"), "{text}");
    let text = upload_to(&usage, Quota { bytes: None, ..quota }, "").grow(31).unwrap_err().to_string();
    assert!(text.contains("of the files beside the folders in root `in`"), "{text}");

    // What an upload holds moves with it, if there is room.
    two.move_to(&usage, b"a"[..].into()).expect_err("30 + 10 + 40 of 40");
    one.move_to(&usage, b"c"[..].into()).expect("10 of 40");
    one.grow(10).expect("as much as before");
    two.grow(41).expect_err("it is still in its folder");
    one.settle(10, None, usage.change());
    drop((one, two));
    let sums = usage.sums.lock();
    let stored = sums.counted.as_ref().expect("it was counted");
    assert_eq!((stored.of(b"a"), stored.of(b"c")), (Contents::files(1, 30), Contents::files(1, 10)));
    assert_eq!(sums.reserved, Tally::default());
}

/// Uploads to folders without a place have no sum, so they end.
#[test]
fn more_folders_than_are_counted() {
    let mut stored = Tally::default();
    (0..MAX_FOLDERS).for_each(|number| stored.add(number.to_string().as_bytes(), Contents::files(1, 1)));
    let usage = usage_of(stored);
    let quota =
        Quota { per_folder: FolderQuota { files: Some(2), ..FolderQuota::default() }, ..Quota::default() };
    upload_to(&usage, quota, "0").grow(1).expect("2 of 2");
    let text = upload_to(&usage, quota, "new").grow(1).unwrap_err().to_string();
    assert!(text.contains("65536 folders are allowed (`quota.per-folder`)"), "{text}");
    upload_to(&usage, Quota::default(), "new").grow(1).expect("no quota");
}

/// A reload adds a quota while they run, so that the root has not been counted before.
#[test]
fn uploads_without_a_quota_count_for_those_with_one() {
    let usage = Arc::new(Usage::default());
    let before = upload_to(&usage, Quota::default(), "");
    before.grow(1000).expect("no quota");
    let began = usage.begin(Instant::now()).expect("due");
    usage.end(Tally::default(), began);
    assert!(upload(&usage).grow(1).unwrap_err().to_string().contains("1000 belong to running uploads"));
    before.settle(90, None, usage.change());
    upload(&usage).grow(10).expect("100 of 100");
    assert_eq!(counted(&usage), Contents::files(1, 90));
}

/// The steps of an upload over the file `a`, which becomes the version `2`, until the version `1` is removed.
const STEPS: usize = 7;

/// A disk with files, and an upload to it.
struct Scene {
    usage: Arc<Usage>,
    disk: BTreeMap<&'static str, u64>,
    upload: Reservation,
    size: u64,
    has_versions: bool,
    change: Change,
}

impl Scene {
    fn new(old: u64, size: u64, has_versions: bool) -> Scene {
        let disk = BTreeMap::from([("a", old), ("1", 7)]);
        let usage = usage(Contents::files(2, old + 7));
        let upload = upload_to(&usage, Quota::default(), "");
        upload.grow(size).expect("no quota");
        let change = usage.change();
        Scene { usage, disk, upload, size, has_versions, change }
    }

    fn step(&mut self, number: usize, old: u64) {
        match number {
            0 => self.change = self.usage.change(),
            1 if self.has_versions => drop(self.disk.insert("2", old)),
            2 => drop(self.disk.insert("a", self.size)),
            3 => {
                let old = Old { bytes: old, is_kept: self.has_versions };
                self.upload.settle(self.size, Some(old), self.change);
            }
            4 => self.change = self.usage.change(),
            5 if self.has_versions => drop(self.disk.remove("1")),
            6 if self.has_versions => self.upload.remove(Contents::files(1, 7), self.change),
            _ => {}
        }
    }

    fn sum(&self) -> Contents {
        Contents::files(self.disk.len() as u64, self.disk.values().sum())
    }
}

/// Whenever a walk begins, looks at each name, and ends, between the steps of an upload.
#[test]
fn a_walk_beside_an_upload_never_counts_too_little() {
    const ORDERS: [[&str; 3]; 6] = [
        ["a", "1", "2"],
        ["a", "2", "1"],
        ["1", "a", "2"],
        ["1", "2", "a"],
        ["2", "a", "1"],
        ["2", "1", "a"],
    ];
    let mut runs = 0;
    for (old, new, has_versions) in [(50, 3, true), (3, 50, true), (50, 3, false), (3, 50, false)] {
        for order in ORDERS {
            // When the walk begins, looks thrice, and ends: after so many steps.
            let moments = (0..5).fold(vec![vec![]], |all: Vec<Vec<usize>>, _| {
                let from = |so_far: &Vec<usize>| so_far.last().copied().unwrap_or(0);
                let more = |so_far: &Vec<usize>| {
                    let so_far = so_far.clone();
                    (from(&so_far)..=STEPS).map(move |next| [&so_far[..], &[next]].concat())
                };
                all.iter().flat_map(more).collect()
            });
            for moments in moments {
                let mut scene = Scene::new(old, new, has_versions);
                let (mut begun, mut found) = (None, Tally::default());
                for step in 0..=STEPS {
                    for (at, _) in moments.iter().enumerate().filter(|(_, moment)| **moment == step) {
                        match at {
                            0 => begun = scene.usage.begin(Instant::now() + MAX_AGE.1 * 2),
                            4 => scene.usage.end(std::mem::take(&mut found), begun.take().expect("it began")),
                            _ => {
                                let size = scene.disk.get(order[at - 1]);
                                size.iter().for_each(|size| found.add(b"", Contents::files(1, **size)));
                            }
                        }
                    }
                    if step < STEPS {
                        scene.step(step, old);
                    }
                }
                let (counted, real) = (counted(&scene.usage), scene.sum());
                let is_stale = scene.usage.sums.lock().stale;
                let case = format!("{old} {new} {has_versions} {order:?} {moments:?}");
                assert!(counted.bytes >= real.bytes && counted.files >= real.files, "{case}: {counted:?}");
                assert!(counted == real || is_stale, "{case}: {counted:?}");
                runs += 1;
            }
        }
    }
    assert_eq!(runs, 4 * 6 * 792);
}

#[test]
fn without_a_walk_the_sums_are_exact() {
    for has_versions in [true, false] {
        let mut scene = Scene::new(50, 3, has_versions);
        (0..STEPS).for_each(|step| scene.step(step, 50));
        assert_eq!(counted(&scene.usage), scene.sum());
        assert!(!scene.usage.sums.lock().stale);
    }
}

#[test]
fn what_ends_during_a_walk_is_added_to_its_result() {
    let usage = usage(Contents::default());
    usage.sums.lock().stale = true;
    let later = Instant::now() + MIN_PAUSE.1;
    let began = usage.begin(later).expect("due");
    assert!(usage.begin(later).is_none(), "one walk at a time");
    let running = upload_to(&usage, QUOTA, "x");
    running.grow(40).expect("room");
    running.settle(40, None, usage.change());
    usage.end(tally("x", Contents::files(1, 10)), began);
    assert_eq!(counted(&usage), Contents::files(2, 50));
    let sums = usage.sums.lock();
    assert_eq!(
        (sums.counted.as_ref().map(|its| its.of(b"x")), sums.stale),
        (Some(Contents::files(2, 50)), true)
    );
}

#[test]
fn a_walk_from_before_the_sums_were_forgotten_does_not_count() {
    let usage = usage(Contents::default());
    let first = usage.begin(Instant::now() + MAX_AGE.1 * 2).expect("due");
    usage.forget();
    let second = usage.begin(Instant::now()).expect("due");
    usage.end(tally("", Contents::files(9, 90)), first);
    usage.abandon(first);
    assert!(!usage.is_counted() && usage.is_kept());
    usage.end(tally("", Contents::files(1, 10)), second);
    assert_eq!(counted(&usage), Contents::files(1, 10));
}

#[test]
fn a_walk_without_a_result_keeps_the_sums() {
    let usage = usage(Contents::files(1, 10));
    let failed = usage.begin(Instant::now() + MAX_AGE.1 * 2).expect("due");
    usage.abandon(failed);
    assert_eq!(counted(&usage), Contents::files(1, 10));
    assert!(usage.begin(Instant::now() + MIN_PAUSE.1 * 2 + MAX_AGE.1).is_some());
}

#[test]
fn walks_are_not_frequent() {
    let usage = usage(Contents::default());
    let now = Instant::now();
    assert!(usage.begin(now + MIN_PAUSE.1 * 2).is_none(), "the sums are good");
    usage.require("in", &QUOTA, b"", 101).expect_err("too large");
    assert!(usage.begin(now).is_none(), "too soon");
    let began = usage.begin(now + MIN_PAUSE.1 * 2).expect("an upload was refused");
    usage.end(Tally::default(), began);
    assert!(usage.begin(now + MAX_AGE.1 * 2).is_some(), "the last one is long ago");
}

/// The predecessor of this process has stored files until its end.
#[test]
fn a_walk_is_due_when_another_process_has_ended() {
    let usage = usage(Contents::files(1, 20));
    let now = Instant::now();
    assert!(usage.begin(now).is_none());
    usage.expire();
    let early = usage.begin(now).expect("due");
    usage.expire();
    let began = usage.begin(now).expect("due again: the first one may have missed a file");
    usage.end(tally("", Contents::files(2, 40)), began);
    usage.end(tally("", Contents::files(1, 20)), early);
    assert_eq!(counted(&usage), Contents::files(2, 40));
}

#[test]
fn folders_are_limited() {
    let usage = usage(Contents { folders: 1, ..Contents::default() });
    usage.require_folders("in", 2, 3).expect("3 of 3");
    usage.require_folders("in", 3, 3).expect_err("4 of 3");
    let change = usage.add_folder("in", 2).expect("2 of 2");
    assert!(usage.add_folder("in", 2).unwrap_err().to_string().contains("folders.count"));
    usage.remove_folder(change);
    let change = usage.add_folder("in", 2).expect("2 of 2");
    // A walk that ends before the folder is accounted for may have seen that it is gone.
    let began = usage.begin(Instant::now() + MAX_AGE.1 * 2).expect("due");
    usage.end(tally("", Contents::FOLDER), began);
    usage.remove_folder(change);
    assert_eq!(counted(&usage), Contents::FOLDER);
}

#[test]
fn an_upload_that_moves_to_another_folder_of_the_root_leaves_the_one_before() {
    let (before, after) = (usage(Contents::files(1, 20)), usage(Contents::files(2, 60)));
    let (one, two) = (upload(&before), upload(&before));
    one.grow(41).expect("61 of 100");
    one.move_to(&after, b""[..].into()).expect_err("101 of 100");
    two.grow(30).expect("91 of 100, where both still are");
    two.move_to(&after, b""[..].into()).expect("90 of 100");
    one.move_to(&after, b""[..].into()).expect_err("it would be the fourth file");
    assert_eq!(before.sums.lock().reserved.all(), Contents::files(1, 41));
    two.settle(30, Some(Old { bytes: 50, is_kept: false }), after.change());
    drop((one, two));
    assert_eq!((counted(&before), counted(&after)), (Contents::files(1, 20), Contents::files(2, 40)));
    for usage in [before, after] {
        assert_eq!(usage.sums.lock().reserved, Tally::default());
    }
}
