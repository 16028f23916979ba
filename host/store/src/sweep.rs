//! Removes the temporary files of uploads that a crash left behind, when a server begins to serve a root.
//!
//! Several servers may share a root, on one machine or on several, so a temporary file is removed only if no process
//! has locked it (see `temporary`). On network file systems a lock may be local to this machine (nfs(5): `local_lock`),
//! so there the file must also have been unmodified for a day.
//!
//! The walk follows no links, opens each folder by its name in its parent, and is bounded.

use std::ffi::CStr;
use std::fmt;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, fstat, openat, statat, unlinkat};
use rustix::io::Errno;

use super::file_systems::is_shared;
use super::{Roots, temporary};

/// The limit of folder levels. Each level holds a descriptor during the visit of its subfolders.
const MAX_DEPTH: u32 = 32;

/// The limit of names visited in one root.
const MAX_NAMES: u64 = 4 << 20;

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
    /// that end with the process. Logs the result.
    pub fn sweep_in_background(&self, wanted: impl Fn(&str) -> bool) {
        for name in self.writable().filter(|name| wanted(name)) {
            self.clone().sweep_one_in_background(name.to_owned());
        }
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
            let mut walk = Walk { names_left: MAX_NAMES, swept: Swept::default(), first: None };
            // A root that does not answer is swept once it is open.
            let Some(served) = root.served() else { continue };
            match open_folder(&*served, c".") {
                Ok(folder) => walk.folder(folder, 0),
                Err(error) => walk.failed(&format_args!("the root: {error}")),
            }
            if let Some(first) = walk.first {
                tracing::warn!(target: "tuffet::store::sweep", root = %root.name, failed = walk.swept.failed, first,
                    "the search for unfinished uploads of an earlier server was incomplete");
            }
            all.push((root.name.to_string(), walk.swept));
        }
        all
    }

    fn writable(&self) -> impl Iterator<Item = &str> {
        self.roots.iter().filter(|root| root.writable).map(|root| &*root.name)
    }
}

impl Swept {
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

/// The walk through one root.
struct Walk {
    names_left: u64,
    swept: Swept,
    /// The first error.
    first: Option<String>,
}

impl Walk {
    fn folder(&mut self, folder: OwnedFd, depth: u32) {
        let mut entries = match Dir::new(folder) {
            Ok(entries) => entries,
            Err(error) => return self.failed(&error),
        };
        while let Some(entry) = entries.read() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => return self.failed(&error),
            };
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            if self.names_left == 0 {
                self.swept.cut_short = true;
                return;
            }
            self.names_left -= 1;
            let Ok(within) = entries.fd() else { return };
            let is_ours = temporary::is_temporary(name.to_bytes());
            let kind = match entry.file_type() {
                // Some file systems do not return the type with the name.
                FileType::Unknown => statat(within, name, AtFlags::SYMLINK_NOFOLLOW)
                    .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode)),
                kind => kind,
            };
            match kind {
                FileType::RegularFile if is_ours => self.file(within, name),
                FileType::Directory if depth == MAX_DEPTH => self.swept.cut_short = true,
                FileType::Directory => match open_folder(within, name) {
                    Ok(below) => self.folder(below, depth + 1),
                    // The folder was just removed, or replaced by a link, for which FreeBSD says `MLINK`.
                    Err(Errno::NOENT | Errno::LOOP | Errno::MLINK | Errno::NOTDIR) => {}
                    Err(error) => self.failed(&format_args!("folder {}: {error}", name.to_string_lossy())),
                },
                _ => {}
            }
        }
    }

    fn file(&mut self, folder: impl AsFd, name: &CStr) {
        match judge(&folder, name) {
            Ok(Verdict::Gone) => {}
            Ok(Verdict::InUse) => self.swept.in_use += 1,
            Ok(Verdict::Uncertain) => self.swept.uncertain += 1,
            // The lock is held during the removal, so no upload can start using the file.
            Ok(Verdict::Abandoned(_lock)) => match unlinkat(&folder, name, AtFlags::empty()) {
                Ok(()) => self.swept.removed += 1,
                Err(Errno::NOENT) => {}
                Err(error) => self.failed(&format_args!("{}: {error}", name.to_string_lossy())),
            },
            Err(error) => self.failed(&format_args!("{}: {error}", name.to_string_lossy())),
        }
    }

    fn failed(&mut self, what: &dyn fmt::Display) {
        self.swept.failed += 1;
        self.first.get_or_insert_with(|| what.to_string());
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

fn open_folder(folder: impl AsFd, name: &CStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(folder, name, flags, Mode::empty())
}
