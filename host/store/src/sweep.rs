//! Removes the temporary files of uploads that a crash left behind, when a server begins to serve a root.
//!
//! Several servers may share a root, on one machine or on several, so a temporary file is removed only if no process
//! has locked it (see `temporary`). On network file systems a lock may be local to this machine (nfs(5): `local_lock`),
//! so there the file must also have been unmodified for a day.

use std::ffi::CStr;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, statat, unlinkat};
use rustix::io::Errno;

use super::file_systems::is_shared;
use super::walk::{MAX_DEPTH, MAX_NAMES, Walk};
use super::{Roots, temporary};

/// The minimum age of a file to remove if its lock may be local.
const MIN_AGE: Duration = Duration::from_secs(24 * 3600);

/// The result for the temporary files of one root.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// Removed.
    pub removed: u64,
    /// Kept, because an upload is writing them.
    pub in_use: u64,
    /// Kept, because they may be in use: the file system has no locks, or is a network file system and the file was
    /// written less than a day ago.
    pub uncertain: u64,
    /// Files that could not be removed and folders that could not be read.
    pub failed: u64,
    /// Whether the root exceeds the limits of the walk.
    pub cut_short: bool,
}

impl Roots {
    /// Removes the temporary files of ended servers, in the writable roots selected by `wanted`, on background threads
    /// that end with the process. Logs the result. Other threads count what the roots with a quota contain.
    pub fn sweep_in_background(&self, wanted: impl Fn(&str) -> bool) {
        for name in self.writable().filter(|name| wanted(name)) {
            self.count_in_background(name);
            self.clone().sweep_one_in_background(name.to_owned());
        }
    }

    /// As [`Roots::sweep_in_background`], for folders that are served again: what they contain may have changed while they
    /// were not.
    pub fn sweep_again_in_background(&self, wanted: impl Fn(&str) -> bool) {
        for name in self.writable().filter(|name| wanted(name)) {
            if let Some(folder) = self.named(name).ok().and_then(|root| root.served()) {
                folder.usage.forget();
            }
        }
        self.sweep_in_background(wanted);
    }

    /// As [`Roots::sweep_in_background`], when another process of this server has ended: it may have left temporary files, and
    /// what it has stored is not counted here.
    pub fn take_over_in_background(&self) {
        for name in self.writable() {
            if let Some(folder) = self.named(name).ok().and_then(|root| root.served()) {
                folder.usage.expire();
            }
        }
        self.sweep_in_background(|_| true);
    }

    /// Uses one thread per root, so that a hanging root blocks only its own.
    fn sweep_one_in_background(self, name: String) {
        let sweep = move || {
            for (root, swept) in self.sweep(|its| its == name) {
                swept.log(&root);
            }
        };
        if let Err(error) = std::thread::Builder::new().name("tuffet-sweep".into()).spawn(sweep) {
            tracing::warn!(
                target: "tuffet::store::sweep", %error,
                "unfinished uploads of an earlier crash are not removed: no thread could be started"
            );
        }
    }

    /// As [`Roots::sweep_in_background`], on this thread. Blocks on the disks.
    pub fn sweep(&self, wanted: impl Fn(&str) -> bool) -> Vec<(String, Swept)> {
        let mut all = Vec::new();
        for root in self.roots.iter().filter(|root| root.writable && wanted(&root.name)) {
            // A root that does not answer is swept once it is open.
            let Some(served) = root.served() else { continue };
            root.finish_in_place(&served);
            let served = served.dir;
            let mut swept = Swept::default();
            let mut walk = Walk::new(|_, folder, name, kind| match kind {
                FileType::RegularFile if temporary::is_temporary(name.to_bytes()) => swept.file(folder, name),
                _ => Ok(()),
            });
            walk.through(&*served);
            let (cut_short, failed, first) = (walk.cut_short, walk.failed, walk.first.take());
            swept = Swept { cut_short, failed, ..swept };
            if let Some(first) = first {
                tracing::warn!(target: "tuffet::store::sweep", root = %root.name, failed, first,
                    "the search for unfinished uploads of an earlier server was incomplete");
            }
            all.push((root.name.to_string(), swept));
        }
        all
    }

    fn writable(&self) -> impl Iterator<Item = &str> {
        self.roots.iter().filter(|root| root.writable).map(|root| &*root.name)
    }
}

impl Swept {
    fn file(&mut self, folder: impl AsFd, name: &CStr) -> Result<(), Errno> {
        match judge(&folder, name)? {
            Verdict::Gone => {}
            Verdict::InUse => self.in_use += 1,
            Verdict::Uncertain => self.uncertain += 1,
            // The lock is held during the removal, so no upload can start using the file.
            Verdict::Abandoned(_lock) => match unlinkat(&folder, name, AtFlags::empty()) {
                Ok(()) => self.removed += 1,
                Err(Errno::NOENT) => {}
                Err(error) => return Err(error),
            },
        }
        Ok(())
    }

    fn log(&self, root: &str) {
        let Swept { removed, in_use, uncertain, failed, cut_short } = *self;
        if cut_short {
            tracing::warn!(
                target: "tuffet::store::sweep",
                root,
                removed,
                "unfinished uploads of an earlier server are searched in the first {MAX_NAMES} names and \
                 {MAX_DEPTH} folder levels only; remove `.tuffet-*.part` by hand beyond them"
            );
        } else if removed + in_use + uncertain + failed > 0 {
            tracing::info!(
                target: "tuffet::store::sweep",
                root,
                removed,
                in_use,
                uncertain,
                "removed unfinished uploads of an earlier server"
            );
        } else {
            tracing::debug!(target: "tuffet::store::sweep", root, "there were no unfinished uploads");
        }
    }
}

enum Verdict {
    /// Just renamed or removed.
    Gone,
    InUse,
    Uncertain,
    /// Not in use, and locked by this process.
    Abandoned(OwnedFd),
}

fn judge(folder: impl AsFd, name: &CStr) -> Result<Verdict, Errno> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let open = |access| openat(&folder, name, flags | access, Mode::empty());
    // Opened for writing, because an exclusive lock over NFS requires it (flock(2)). A file about to be renamed may
    // already have its final permissions, so try less access, too.
    let opened = open(OFlags::RDWR);
    let opened =
        opened.or_else(|errno| if errno == Errno::ACCESS { open(OFlags::RDONLY) } else { Err(errno) });
    let opened =
        opened.or_else(|errno| if errno == Errno::ACCESS { open(OFlags::WRONLY) } else { Err(errno) });
    let file = match opened {
        Ok(file) => file,
        Err(Errno::NOENT) => return Ok(Verdict::Gone),
        Err(errno) => return Err(errno),
    };
    match temporary::lock(&file) {
        Ok(true) => {}
        Ok(false) => return Ok(Verdict::InUse),
        Err(_) => return Ok(Verdict::Uncertain),
    }
    // Its writer may have just finished: check that the name still leads to this file.
    let locked = fstat(&file)?;
    match statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(named) if (named.st_dev, named.st_ino) == (locked.st_dev, locked.st_ino) => {}
        Ok(_) | Err(Errno::NOENT) => return Ok(Verdict::Gone),
        Err(errno) => return Err(errno),
    }
    Ok(if is_shared(&file)? && !is_old(&locked) { Verdict::Uncertain } else { Verdict::Abandoned(file) })
}

fn is_old(stat: &Stat) -> bool {
    let written = Duration::from_secs(u64::try_from(stat.st_mtime).unwrap_or(0));
    // If the clock was set back, the age is unknown.
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    now.checked_sub(written).is_some_and(|age| age >= MIN_AGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a lock may not reach the other machine that writes the file.
    #[test]
    fn a_file_is_old_after_a_day_without_change() {
        let file = tempfile::tempfile().expect("a file");
        for (hours, old) in [(23, false), (25, true)] {
            file.set_modified(SystemTime::now() - Duration::from_secs(hours * 3600)).expect("a time");
            assert_eq!(is_old(&fstat(&file).expect("it is open")), old, "{hours}");
        }
    }
}
