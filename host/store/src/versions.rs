//! Earlier versions of a file that an upload replaces: `NAME.~1~`, `NAME.~2~` and so on, numbered as the backups of GNU
//! cp, or with a time before the number. The highest number is the latest one.
//!
//! The old file gets its further name before the new one takes its place, and the folder is synced in between, so no
//! crash loses it. A crash may leave a version that is the file itself: the next upload takes it for its own.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;

use cap_std::fs::Dir as Folder;
use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, Stat, Timespec, Timestamps, fstat, futimens, linkat, openat,
    renameat, statat, unlinkat,
};
use rustix::io::Errno;
use tuffet_request::VersionNames;

use super::replaced::Replaced;
use super::sync_folder::sync_folder;
use super::system::rename_to_free_name;
use super::tally::Contents;
use super::version_names::{self, MAX_NUMBER};
use super::{StoreError, temporary};

/// The limit of attempts to find a free number, because another program may take numbers, too.
const MAX_ATTEMPTS: u32 = 64;

/// A kept version.
#[derive(Debug)]
pub(super) struct Version {
    name: String,
    /// The name of the file.
    of: String,
    /// The file that it is a copy of. A link is the file itself.
    copied: Option<Stat>,
    /// Whether it was made now.
    is_new: bool,
}

/// What becomes of a file of which a version is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Another file takes its name.
    Replaced,
    /// It gets another content.
    Overwritten,
}

/// Keeps the file under this name as its next version, and makes that durable. `None` if the name is free now.
///
/// # Errors
/// `VersionNotKept` if this user may not do so, `NoSpace`, `Io`.
pub(super) fn keep(
    folder: &impl AsFd,
    of: &str,
    old: &Replaced,
    names: VersionNames,
    fate: Fate,
) -> Result<Option<Version>, StoreError> {
    let (last, last_name) = list(folder, of)?.pop().unwrap_or_default();
    let now = match statat(folder, of, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Ok(None),
        now => now?,
    };
    // After a crash before the rename.
    if last > 0 && is_file(folder, &last_name, &now) {
        if fate == Fate::Overwritten {
            unlinkat(folder, &last_name, AtFlags::empty())?;
            return keep(folder, of, old, names, fate);
        }
        return Version { name: last_name, of: of.to_owned(), copied: None, is_new: false }.synced(folder);
    }
    let made = |name: String, copied: Option<Stat>| {
        Version { name, of: of.to_owned(), copied, is_new: true }.synced(folder)
    };
    // A link would change with the file.
    let mut copy = match fate {
        Fate::Replaced => None,
        Fate::Overwritten => Some(Copy::of(folder, of, old)?),
    };
    for number in last + 1..=last + MAX_ATTEMPTS {
        let name = version_names::of(of, number, names, old.modified());
        if number > MAX_NUMBER {
            let why = format!("its versions have all numbers up to {last}; remove or rename {last_name}");
            return Err(StoreError::VersionNotKept(io::Error::other(why)));
        }
        let kept = match &copy {
            None => linkat(folder, of, folder, &name, AtFlags::empty()),
            Some(copy) => place(folder, copy, &name),
        };
        match kept {
            Ok(()) => return made(name, copy.as_ref().map(|_| now)),
            Err(Errno::EXIST) => {}
            Err(Errno::NOENT) if copy.is_none() => return Ok(None),
            // The file system has no links, the file and the folder belong to different projects of a quota, or the file
            // has another owner and this user may not both read and write it (proc(5): `protected_hardlinks`).
            Err(
                Errno::PERM
                | Errno::ACCESS
                | Errno::OPNOTSUPP
                | Errno::NOSYS
                | Errno::MLINK
                | Errno::INVAL
                | Errno::XDEV,
            ) if copy.is_none() => {
                let its_copy = Copy::of(folder, of, old)?;
                match place(folder, &its_copy, &name) {
                    Ok(()) => return made(name, Some(now)),
                    Err(Errno::EXIST) => copy = Some(its_copy),
                    Err(errno) => return Err(errno.into()),
                }
            }
            Err(errno) => return Err(StoreError::from_open(errno.into())),
        }
    }
    let why = format!("another program takes the numbers from {} on", last + 1);
    Err(StoreError::VersionNotKept(io::Error::other(why)))
}

/// A copy of a file under a temporary name, for file systems without links. Dropping it removes that name, if it is
/// still there.
struct Copy<'a, F: AsFd> {
    folder: &'a F,
    temporary: String,
    /// Holds the lock that keeps the copy from a sweep.
    _file: File,
}

impl<'a, F: AsFd> Copy<'a, F> {
    fn of(folder: &'a F, of: &str, old: &Replaced) -> Result<Copy<'a, F>, StoreError> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let not_kept = |errno: Errno| StoreError::VersionNotKept(errno.into());
        let mut from: File = openat(folder, of, flags, Mode::empty()).map_err(not_kept)?.into();
        let own = folder.as_fd().try_clone_to_owned().map_err(StoreError::from_io)?;
        let (mut file, temporary) = temporary::create(&Folder::from_std_file(own.into()), 0o600)?;
        let copied = io::copy(&mut from, &mut file).map_err(StoreError::from_io).and_then(|_| {
            old.carry_to(&file)?;
            let stat = fstat(&from)?;
            let time = |seconds, nanoseconds| Timespec { tv_sec: seconds as _, tv_nsec: nanoseconds as _ };
            let times = Timestamps {
                last_access: time(stat.st_atime, stat.st_atime_nsec),
                last_modification: time(stat.st_mtime, stat.st_mtime_nsec),
            };
            futimens(&file, &times)?;
            file.sync_all().map_err(StoreError::from_io)
        });
        let copy = Copy { folder, temporary, _file: file };
        copied.map(|()| copy)
    }
}

impl<F: AsFd> Drop for Copy<'_, F> {
    fn drop(&mut self) {
        // It may have its final name already.
        let _ = unlinkat(self.folder, &self.temporary, AtFlags::empty());
    }
}

/// Gives a copy its name, if that is free.
fn place<F: AsFd>(folder: &impl AsFd, copy: &Copy<'_, F>, name: &str) -> Result<(), Errno> {
    match rename_to_free_name((folder, &copy.temporary), (folder, name)) {
        // The system cannot do so. Only another program could take the name at this moment.
        Err(Errno::INVAL | Errno::NOSYS) => match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => renameat(folder, &copy.temporary, folder, name),
            Ok(_) => Err(Errno::EXIST),
            Err(errno) => Err(errno),
        },
        done => done,
    }
}

impl Version {
    /// Whether it takes more room than before.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Makes it durable.
    fn synced(self, folder: &impl AsFd) -> Result<Option<Self>, StoreError> {
        if let Err(errno) = sync_folder(folder) {
            self.undo(folder);
            return Err(errno.into());
        }
        Ok(Some(self))
    }

    /// Removes it, because the file keeps its name. If the file has lost it, the version stays: a file system over a
    /// network may rename a file and report an error, and the version is then the only name of the old file.
    pub fn undo(self, folder: &impl AsFd) {
        if !self.is_new {
            return;
        }
        let old = match self.copied {
            Some(old) => Ok(old),
            None => statat(folder, &self.name, AtFlags::SYMLINK_NOFOLLOW),
        };
        if old.is_ok_and(|old| is_file(folder, &self.of, &old)) {
            let _ = unlinkat(folder, &self.name, AtFlags::empty());
        }
    }
}

/// Whether this file has the name.
fn is_file(folder: &impl AsFd, name: &str, file: &Stat) -> bool {
    let now = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
    now.is_ok_and(|now| (now.st_dev, now.st_ino) == (file.st_dev, file.st_ino))
}

/// Removes the oldest versions of a file beyond the number to keep. Returns what was removed.
pub(super) fn prune(folder: &impl AsFd, of: &str, keep: u32) -> Contents {
    let mut removed = Contents::default();
    let versions = match list(folder, of) {
        Ok(versions) => versions,
        Err(error) => {
            warn(of, &error);
            return removed;
        }
    };
    let beyond = versions.len().saturating_sub(keep as usize);
    for (_, name) in &versions[..beyond] {
        let Ok(stat) = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
        // Whatever else has this name was not made by an upload.
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            continue;
        }
        match unlinkat(folder, name, AtFlags::empty()) {
            Ok(()) => {
                removed.files += 1;
                removed.bytes = removed.bytes.saturating_add(u64::try_from(stat.st_size).unwrap_or(0));
            }
            Err(Errno::NOENT) => {}
            Err(errno) => warn(name, &errno.into()),
        }
    }
    removed
}

fn warn(name: &str, error: &StoreError) {
    tracing::warn!(
        target: "tuffet::store::versions", name, %error,
        "an earlier version beyond those to keep (`versions`) cannot be removed; remove it by hand"
    );
}

/// The versions of a file, numbers and names, in the order of their numbers.
fn list(folder: &impl AsFd, of: &str) -> Result<Vec<(u32, String)>, StoreError> {
    let mut versions = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if let (Some(number), Ok(text)) = (version_names::number(name.to_bytes(), of), name.to_str()) {
            versions.push((number, text.to_owned()));
        }
    }
    versions.sort_unstable();
    Ok(versions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write_rules::WriteRules;
    use std::path::Path;
    use tuffet_request::RootSpec;

    /// A folder with the file `a`, which has the version `a.~1~`.
    fn kept() -> (tempfile::TempDir, File, Version) {
        let place = tempfile::TempDir::new().expect("a folder");
        std::fs::write(place.path().join("a"), "old").expect("a file");
        let folder = File::open(place.path()).expect("it opens");
        let rules =
            WriteRules::of(&RootSpec { overwrite: true, ..RootSpec::read_only("boot", place.path()) });
        let old = Replaced::open(&folder, "a", &rules).expect("it opens").expect("it is there");
        let version = keep(&folder, "a", &old, VersionNames::Number, Fate::Replaced)
            .expect("it is kept")
            .expect("it is there");
        (place, folder, version)
    }

    /// A version that is a copy of the file instead.
    fn copied(place: &Path, folder: &File, version: Version) -> Version {
        std::fs::remove_file(place.join("a.~1~")).expect("it goes");
        std::fs::copy(place.join("a"), place.join("a.~1~")).expect("a copy");
        let old = statat(folder, "a", AtFlags::SYMLINK_NOFOLLOW).expect("it is there");
        Version { copied: Some(old), ..version }
    }

    #[test]
    fn a_version_of_a_file_that_keeps_its_name_is_removed() {
        for is_copy in [false, true] {
            let (place, folder, mut version) = kept();
            if is_copy {
                version = copied(place.path(), &folder, version);
            }
            version.undo(&folder);
            assert!(!place.path().join("a.~1~").exists());
            assert_eq!(std::fs::read(place.path().join("a")).expect("it is there"), b"old");
        }
    }

    /// The rename took place, and the answer of the file system was lost.
    #[test]
    fn a_version_that_is_the_last_name_of_the_file_stays() {
        for is_copy in [false, true] {
            let (place, folder, mut version) = kept();
            if is_copy {
                version = copied(place.path(), &folder, version);
            }
            std::fs::write(place.path().join("new"), "new").expect("a file");
            std::fs::rename(place.path().join("new"), place.path().join("a")).expect("it moves");
            version.undo(&folder);
            assert_eq!(std::fs::read(place.path().join("a.~1~")).expect("it is there"), b"old");
        }
    }
}
