//! Power loss, by a model of the possible contents of a disk: the synced data, and any part of the rest.
//!
//! The model is pessimistic on purpose. Bytes that were not synced are lost. Names that were added to or
//! removed from a folder without a sync of that folder may exist or not, each independently; a rename within
//! one folder is one step (rename(2)), between two folders it is two.

use super::trace::Call;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The file that a name leads to.
type Inode = usize;

/// The file that had the name before.
const OLD: Inode = 0;

/// A change of names that the disk may contain or not.
#[derive(Clone)]
struct Change {
    folder: PathBuf,
    add: Option<(PathBuf, Inode)>,
    remove: Option<PathBuf>,
}

#[derive(Default)]
struct Disk {
    /// The names as the server sees them.
    names: BTreeMap<PathBuf, Inode>,
    /// The durable names.
    kept: BTreeMap<PathBuf, Inode>,
    /// The later changes, in order.
    pending: Vec<Change>,
    /// The bytes of each file: written, and of these synced.
    files: Vec<(u64, u64)>,
    /// The folders that the calls made.
    folders: BTreeSet<PathBuf>,
}

/// Plays the calls of one upload of this size; returns the violations that a power loss at any point could
/// cause. `version`: the name that keeps the old file.
pub fn broken(
    calls: &[Call],
    target: &Path,
    had_old: bool,
    size: u64,
    version: Option<&Path>,
) -> Vec<String> {
    let mut disk = Disk { files: vec![(1, 1)], ..Disk::default() };
    if had_old {
        disk.names.insert(target.into(), OLD);
        disk.kept.insert(target.into(), OLD);
    }
    let mut broken = Vec::new();
    let mut promised = false;
    for (number, call) in calls.iter().enumerate() {
        disk.play(call);
        promised |= *call == Call::Acknowledge;
        for names in disk.after_power_loss() {
            let what = match disk.find(&names, target) {
                Some(inode)
                    if inode != OLD && version.is_some_and(|name| disk.find(&names, name).is_none()) =>
                {
                    "the new file without the earlier version"
                }
                Some(OLD) if !promised => continue,
                Some(inode) if inode != OLD && disk.files[inode].1 == size => continue,
                None if !promised && !had_old => continue,
                Some(OLD) => "the old file, though the client was told that the new one is stored",
                Some(_) => "a part of the new file",
                None => "no file",
            };
            broken.push(format!("after call {number}, {call:?}: {what}"));
        }
    }
    if !promised {
        broken.push("the client was never told".into());
    }
    broken
}

impl Disk {
    fn play(&mut self, call: &Call) {
        match call {
            Call::Create(file) => {
                self.files.push((0, 0));
                let inode = self.files.len() - 1;
                self.change(file, Some((file.clone(), inode)), None);
            }
            Call::Write { file, end } => {
                let written = &mut self.files[self.names[file]].0;
                *written = (*written).max(*end);
            }
            Call::Sync(path) => match self.names.get(path).filter(|_| !self.folders.contains(path)) {
                Some(&inode) => self.files[inode].1 = self.files[inode].0,
                None => {
                    let (synced, rest) = std::mem::take(&mut self.pending)
                        .into_iter()
                        .partition(|change: &Change| change.folder == *path);
                    self.pending = rest;
                    apply(&mut self.kept, &synced);
                }
            },
            Call::Rename { from, to } => {
                let inode = self.names[from];
                let add = Some((to.clone(), inode));
                if from.parent() == to.parent() {
                    self.change(to, add, Some(from.clone()));
                } else {
                    self.change(to, add, None);
                    self.change(from, None, Some(from.clone()));
                }
            }
            Call::Link { from, to } => {
                let inode = self.names[from];
                self.change(to, Some((to.clone(), inode)), None);
            }
            Call::Unlink(path) => self.change(path, None, Some(path.clone())),
            Call::MakeFolder(path) => {
                self.folders.insert(path.clone());
                self.files.push((0, 0));
                self.change(path, Some((path.clone(), self.files.len() - 1)), None);
            }
            Call::Lock(_) | Call::Acknowledge => {}
        }
    }

    /// The file that a name leads to, if the folders on the way are there.
    fn find(&self, names: &BTreeMap<PathBuf, Inode>, name: &Path) -> Option<Inode> {
        let made = |above: &&Path| self.folders.contains(*above);
        let is_reached = name.ancestors().skip(1).filter(made).all(|above| names.contains_key(above));
        names.get(name).copied().filter(|_| is_reached)
    }

    fn change(&mut self, place: &Path, add: Option<(PathBuf, Inode)>, remove: Option<PathBuf>) {
        let change = Change { folder: place.parent().unwrap().into(), add, remove };
        apply(&mut self.names, std::slice::from_ref(&change));
        self.pending.push(change);
    }

    /// Returns each set of names that may exist after a power loss.
    fn after_power_loss(&self) -> impl Iterator<Item = BTreeMap<PathBuf, Inode>> {
        (0..1_u32 << self.pending.len()).map(|subset| {
            let mut names = self.kept.clone();
            let chosen = self.pending.iter().enumerate().filter(|(bit, _)| subset >> bit & 1 == 1);
            chosen.for_each(|(_, change)| apply(&mut names, std::slice::from_ref(change)));
            names
        })
    }
}

fn apply(names: &mut BTreeMap<PathBuf, Inode>, changes: &[Change]) {
    for change in changes {
        if let Some(name) = &change.remove {
            names.remove(name);
        }
        if let Some((name, inode)) = &change.add {
            names.insert(name.clone(), *inode);
        }
    }
}

/// The model detects faulty sequences.
#[test]
fn the_model_finds_what_is_missing() {
    let [part, target, folder] = ["/r/part", "/r/target", "/r"].map(PathBuf::from);
    let good = [
        Call::Create(part.clone()),
        Call::Write { file: part.clone(), end: 10 },
        Call::Sync(part.clone()),
        Call::Rename { from: part, to: target.clone() },
        Call::Sync(folder),
        Call::Acknowledge,
    ];
    for had_old in [true, false] {
        assert_eq!(broken(&good, &target, had_old, 10, None), [""; 0]);
        for (left_out, what) in
            [(1, "a part"), (2, "a part"), (3, "though"), (4, "though"), (5, "never told")]
        {
            let mut calls = good.to_vec();
            calls.remove(left_out);
            let found = broken(&calls, &target, had_old, 10, None);
            let what = if what == "though" && !had_old { "no file" } else { what };
            assert!(found.iter().any(|found| found.contains(what)), "without {left_out}: {found:?}");
        }
        let mut calls = good.to_vec();
        calls.swap(4, 5);
        assert!(!broken(&calls, &target, had_old, 10, None).is_empty(), "acknowledged too early");
        calls = good.to_vec();
        calls.swap(2, 3);
        assert!(!broken(&calls, &target, had_old, 10, None).is_empty(), "renamed too early");
    }
}

#[test]
fn the_model_finds_lost_versions_and_folders() {
    let [part, folder, version] = ["/r/part", "/r", "/r/target.~1~"].map(PathBuf::from);
    let target = PathBuf::from("/r/target");
    let written =
        [Call::Create(part.clone()), Call::Write { file: part.clone(), end: 10 }, Call::Sync(part.clone())];
    let mut calls = written.to_vec();
    calls.extend([
        Call::Link { from: target.clone(), to: version.clone() },
        Call::Sync(folder.clone()),
        Call::Rename { from: part.clone(), to: target.clone() },
        Call::Sync(folder.clone()),
        Call::Acknowledge,
    ]);
    assert_eq!(broken(&calls, &target, true, 10, Some(&version)), [""; 0]);
    for left_out in [3, 4] {
        let mut calls = calls.clone();
        calls.remove(left_out);
        let found = broken(&calls, &target, true, 10, Some(&version));
        assert!(found.iter().any(|found| found.contains("without the earlier version")), "{found:?}");
    }

    let [above, target] = ["/r/a", "/r/a/target"].map(PathBuf::from);
    let mut calls = written.to_vec();
    calls.extend([
        Call::MakeFolder(above.clone()),
        Call::Sync(folder),
        Call::Rename { from: part, to: target.clone() },
        Call::Sync(above),
        Call::Acknowledge,
    ]);
    assert_eq!(broken(&calls, &target, false, 10, None), [""; 0]);
    calls.remove(4);
    let found = broken(&calls, &target, false, 10, None);
    assert!(found.iter().any(|found| found.contains("no file")), "{found:?}");
}
