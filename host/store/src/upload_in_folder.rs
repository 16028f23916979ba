//! An upload to a folder: a temporary file in the folder of its target, or above it, until the commit. Where this user may
//! write a file and not its folder, it is in the server's own folder instead.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use cap_std::fs::Dir;
use rustix::fs::{
    Access, AtFlags, FileType, Mode, accessat, fchmod, fstat, linkat, renameat, statat, unlinkat,
};
use rustix::io::Errno;
use tuffet_request::Versions;

use super::commit_point::CommitPoint;
use super::folder_file::require_regular;
use super::folders::{self, Made, Way, syncable};
use super::links::followed;
use super::listing::other_spelling;
use super::open_folder::OpenFolder;
use super::replaced::{self, Replaced};
use super::roots::Root;
use super::staging::{Staged, Staging};
use super::sync_folder::sync_folder;
use super::system::rename_to_free_name;
use super::usage::{Old, Reservation};
use super::versions::{self, Fate, Version};
use super::write_rules::{NewMode, USUAL, WriteRules};
use super::{Disk, StoreError, mode, path, process_lock, spelling, temporary, version_names};

mod in_place;

/// The permissions of a temporary file until the commit sets the final ones, which may be stricter than those of a new
/// file.
const PRIVATE_MODE: u32 = 0o600;

/// The limit of attempts of a commit while the owner or permissions of the old file, or the folders on the way to it,
/// keep changing.
const MAX_COMMIT_ATTEMPTS: u32 = 8;

/// A temporary file in the folder of its root.
#[derive(Debug)]
pub(super) struct InFolder {
    pub(super) file: Arc<File>,
    /// The folder that contains the temporary file.
    folder: Arc<OwnedFd>,
    target: Target,
    /// The name of the temporary file; empty once it was renamed to the target.
    temporary: String,
    rules: WriteRules,
    /// Whether it still has the permissions `PRIVATE_MODE`.
    closed: bool,
    disk: Arc<Disk>,
    /// Its part of the quotas.
    reservation: Reservation,
    /// Where it waits if it is written in place; `None`: its root does not allow that.
    staging: Option<Staging>,
    /// Whether the temporary file is there.
    is_staged: bool,
    /// Whether a file had the name when the upload began.
    replaces: bool,
}

/// Where an upload becomes visible.
#[derive(Debug)]
struct Target {
    /// The folder, or the deepest one on the way there. Most often that of the temporary file, which is open once:
    /// with all descriptors in use, a complete upload must still find its place.
    folder: Arc<OwnedFd>,
    /// The folders below it that the commit makes.
    missing: Vec<String>,
    /// The folder of the root.
    top: OpenFolder,
    /// The path in the root.
    path: String,
}

impl Target {
    /// Finds the folder of a path, and judges the upload; returns the path, with a permitted link resolved, the folder,
    /// and the file to replace.
    fn find(
        root: &Root,
        target: &str,
        rules: &WriteRules,
    ) -> Result<(String, Way, Option<Replaced>), StoreError> {
        let target = followed(root, target)?;
        let (_, name) = path::split(&target);
        if let Some(versions) = rules.write.versions {
            version_names::require(name, versions.names)?;
        }
        let top = root.served().ok_or_else(|| root.unopened_error())?;
        let way = folders::find(top, &target, rules)?;
        if !way.missing.is_empty() {
            let most = rules.write.folders.map_or(0, |folders| folders.count);
            way.top.usage.require_folders(&root.name, way.missing.len() as u64, most)?;
            return Ok((target.into_owned(), way, None));
        }
        let replaced = judge(&way.folder, name, rules)?;
        Ok((target.into_owned(), way, replaced))
    }

    fn of(folder: Arc<OwnedFd>, way: Way, path: &str) -> Target {
        Target { folder, missing: way.missing, top: way.top, path: path.to_owned() }
    }

    fn name(&self) -> &str {
        path::split(&self.path).1
    }

    /// Gives the last folders of the path, and its name, the spelling under which they are stored.
    fn respell(&mut self, folders: &[String], name: &str) {
        let (folder, _) = path::split(&self.path);
        let parts: Vec<&str> = folders::parts(folder).collect();
        let known = &parts[..parts.len().saturating_sub(folders.len())];
        let parts = known.iter().copied().chain(folders.iter().map(String::as_str)).chain([name]);
        self.path = parts.collect::<Vec<_>>().join("/");
    }

    /// The folder at the top of the root, if an upload makes it: the first of these.
    fn made_top_folder<'a>(&self, made: &'a [String]) -> Option<&'a str> {
        let (folder, _) = path::split(&self.path);
        made.first().filter(|_| folders::parts(folder).count() == made.len()).map(String::as_str)
    }
}

impl InFolder {
    /// Creates the temporary file.
    pub fn create(root: &Root, target: &str) -> Result<InFolder, StoreError> {
        match InFolder::begin(root, target) {
            // Another upload has failed, and has removed the folder that it had made.
            Err(StoreError::NotFound) if root.rules.write.folders.is_some() => InFolder::begin(root, target),
            begun => begun,
        }
    }

    fn begin(root: &Root, target: &str) -> Result<InFolder, StoreError> {
        let rules = root.rules;
        let (path, way, replaced) = Target::find(root, target, &rules)?;
        if (rules.write.quota.is_set() || !way.missing.is_empty()) && !way.top.usage.is_counted() {
            return Err(StoreError::Uncounted);
        }
        let top_folder = way.top_folder(&path);
        root.require_quota(&way, &top_folder, 0)?;
        let folder = Arc::new(syncable(&way.folder)?);
        let replaces = replaced.is_some();
        let closed = replaces || !rules.has_usual_mode() || !way.missing.is_empty();
        let in_place = root.in_place(&way.folder, replaced.as_ref())?;
        let is_staged = in_place.is_some();
        let (file, in_folder, temporary) = match in_place {
            Some(staging) => {
                let Staged { file, folder, name } = staging.create()?;
                (file, folder, name)
            }
            None => {
                let mode = if closed { PRIVATE_MODE } else { USUAL };
                let (file, temporary) = temporary::create(&way.folder, mode)?;
                (file, Arc::clone(&folder), temporary)
            }
        };
        let reservation = Reservation::new(&way.top.usage, &root.name, rules.write.quota, top_folder);
        let (target, disk) = (Target::of(folder, way, &path), Arc::clone(&root.disk));
        let (folder, staging) = (in_folder, root.staging.clone());
        Ok(InFolder {
            file: Arc::new(file),
            folder,
            target,
            temporary,
            rules,
            closed,
            disk,
            reservation,
            staging,
            is_staged,
            replaces,
        })
    }

    /// Checks an upload as [`InFolder::create`] does, and whether this process may write to the folder, or to the one where
    /// it waits instead.
    pub fn judge(root: &Root, target: &str) -> Result<(), StoreError> {
        let (path, way, replaced) = Target::find(root, target, &root.rules)?;
        match root.in_place(&way.folder, replaced.as_ref())? {
            Some(staging) => drop(staging.open()?),
            None => accessat(&way.folder, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)?,
        }
        root.require_quota(&way, &way.top_folder(&path), 0)
    }

    /// Requires room in the quotas for another file of this size.
    pub fn require_quota(root: &Root, target: &str, bytes: u64) -> Result<(), StoreError> {
        let (path, way, _) = Target::find(root, target, &root.rules)?;
        root.require_quota(&way, &way.top_folder(&path), bytes)
    }

    /// Reserves its part of the quotas for this size, unless it has as much.
    pub fn reserve(&self, size: u64) -> Result<(), StoreError> {
        self.reservation.grow(size)
    }

    /// Changes the target.
    pub fn redirect(&mut self, root: &Root, target: &str) -> Result<(), StoreError> {
        let (path, way, replaced) = Target::find(root, target, &self.rules)?;
        self.replaces = replaced.is_some();
        let top_folder = way.top_folder(&path);
        // The permissions of a new file depend on its folder.
        self.closed |= !way.missing.is_empty();
        let folder = match is_same(&way.folder, &*self.folder)? {
            true => Arc::clone(&self.folder),
            false => Arc::new(syncable(&way.folder)?),
        };
        self.reservation.move_to(&way.top.usage, top_folder)?;
        self.target = Target::of(folder, way, &path);
        Ok(())
    }

    /// Whether a file had the name when the upload began.
    pub fn replaces(&self) -> bool {
        self.replaces
    }

    /// Forbids replacing a file.
    pub fn keep_existing(&mut self) {
        self.rules.overwrite = false;
    }

    /// Removes the temporary file, if it has not become visible. Returns its name with the error.
    pub fn remove(&self) -> Result<(), (&str, Errno)> {
        if self.temporary.is_empty() {
            return Ok(());
        }
        unlinkat(&*self.folder, &self.temporary, AtFlags::empty()).map_err(|errno| (&*self.temporary, errno))
    }

    /// The path, with a permitted link resolved. The commit may give it another spelling where case does not matter.
    pub fn path(&self) -> &str {
        &self.target.path
    }

    /// As [`Upload::commit`](super::Upload::commit).
    pub fn commit(&mut self, commit_point: &CommitPoint) -> Result<(), StoreError> {
        let file = &*Arc::clone(&self.file);
        let size = file.metadata().map_err(StoreError::from_io)?.len();
        self.reserve(size)?;
        if self.rules.write.folders.is_some() {
            folders::sync_way(&self.target.top, &self.target.path, self.target.missing.len())?;
        }
        let base = Arc::clone(&self.target.folder);
        if self.target.missing.is_empty() {
            return self.put(file, &base, size, commit_point);
        }
        let missing = std::mem::take(&mut self.target.missing);
        let (usage, root) = (Arc::clone(&self.target.top.usage), Arc::clone(self.disk.root()));
        let mut attempts = 0;
        let names = Arc::clone(&self.disk.names);
        let done = loop {
            attempts += 1;
            let made = Made::make((&usage, &root, &names), &base, &missing, &self.rules);
            let done = made.and_then(|(made, folder)| {
                if made.names != missing {
                    let name = self.target.name().to_owned();
                    self.target.respell(&made.names, &name);
                    if let Some(top_folder) = self.target.made_top_folder(&made.names) {
                        self.reservation.move_to(&usage, top_folder.as_bytes().into())?;
                    }
                }
                self.put(file, &folder, size, commit_point)?;
                made.keep();
                Ok(())
            });
            match done {
                // Another upload has failed, and has removed the folder that it had made.
                Err(error) if is_absent(&error) && attempts < MAX_COMMIT_ATTEMPTS => {}
                done => break done,
            }
        };
        self.target.missing = missing;
        done
    }

    /// Renames the temporary file, of this size, to its name in this folder, or writes it into the file there.
    fn put(
        &mut self,
        file: &File,
        folder: &OwnedFd,
        size: u64,
        commit_point: &CommitPoint,
    ) -> Result<(), StoreError> {
        let (disk, mut name) = (Arc::clone(&self.disk), self.target.name().to_owned());
        let usage = Arc::clone(&self.target.top.usage);
        let change = usage.change();
        let is_alone = self.rules.write.versions.is_some()
            || usage.is_kept()
            || self.staging.is_some()
            || self.rules.any_case;
        let _one_at_a_time = is_alone.then(|| disk.names.wait(folder, &name)).transpose()?;
        // Another upload may have made the file in another spelling, since this one began: it is the same file.
        if self.rules.any_case
            && let Some(stored) = other_spelling(folder, &name)?
        {
            self.target.respell(&[], &stored);
            name = stored;
        }
        if let Some((staging, replaced)) = self.in_place(folder, &name)? {
            if !commit_point.pass() {
                return Err(StoreError::STOPPED);
            }
            let old = Old { bytes: replaced.size(), is_kept: self.rules.write.versions.is_some() };
            self.put_in_place(file, folder, size, (&staging, &replaced))?;
            self.reservation.settle(size, Some(old), change);
            self.prune(folder, &name);
            return Ok(());
        }
        let beside = self.is_staged.then(|| self.leave_staging(file, folder, size)).transpose()?;
        let file = beside.as_ref().unwrap_or(file);
        let replaced = match self.rules.overwrite {
            true => self.finish_over(file, folder)?,
            false => self.finish_new(file, folder).map(|()| None)?,
        };
        // Another spelling of the name may appear until the last moment, and the rename would replace it.
        let alone_in_folder = disk.names.wait_for_folder(folder)?;
        let needs_processes_out = self.rules.write.versions.is_some() || self.rules.any_case;
        let other_processes_out = needs_processes_out.then(|| process_lock::wait(folder));
        spelling::require_in(folder, &name)?;
        if !commit_point.pass() {
            return Err(StoreError::STOPPED);
        }
        let mut old = replaced.as_ref().map(|replaced| Old { bytes: replaced.size(), is_kept: false });
        if self.rules.overwrite {
            let version = self.keep_version(folder, replaced.as_ref())?;
            if let (Some(old), Some(version)) = (&mut old, &version) {
                old.is_kept = version.is_new();
            }
            if let Err(errno) = renameat(&*self.folder, &self.temporary, folder, &name) {
                if let Some(version) = version {
                    version.undo(folder);
                }
                return Err(from_rename(errno));
            }
        } else {
            self.rename_to_free_name(folder).map_err(from_rename)?;
        }
        drop((other_processes_out, alone_in_folder));
        self.temporary.clear();
        self.reservation.settle(size, old, change);
        sync_folder(folder)?;
        self.prune(folder, &name);
        Ok(())
    }

    /// Removes the oldest versions.
    fn prune(&self, folder: &OwnedFd, name: &str) {
        if let Some(Versions { keep, .. }) = self.rules.write.versions.filter(|_| self.rules.overwrite) {
            let change = self.target.top.usage.change();
            self.reservation.remove(versions::prune(folder, name, keep), change);
        }
    }

    fn keep_version(
        &self,
        folder: &OwnedFd,
        replaced: Option<&Replaced>,
    ) -> Result<Option<Version>, StoreError> {
        match (self.rules.write.versions, replaced) {
            (Some(Versions { names, .. }), Some(replaced)) => {
                versions::keep(folder, self.target.name(), replaced, names, Fate::Replaced)
            }
            _ => Ok(None),
        }
    }

    /// Sets the permissions of a new file, and syncs it.
    fn finish_new(&mut self, file: &File, folder: &OwnedFd) -> Result<(), StoreError> {
        if self.closed {
            let mode = match self.rules.of_new(folder) {
                NewMode::Exact(mode) => mode::permissions(mode),
                NewMode::Masked(mode) => mode_of_new(folder, mode)?,
            };
            fchmod(file, mode)?;
            self.closed = false;
        }
        file.sync_all().map_err(StoreError::from_io)
    }

    /// Sets the metadata of the file to be replaced, if there is one, and syncs it. Returns that file.
    fn finish_over(&mut self, file: &File, folder: &OwnedFd) -> Result<Option<Replaced>, StoreError> {
        let mut attempts = 0;
        loop {
            let replaced = Replaced::open(folder, self.target.name(), &self.rules)?;
            match &replaced {
                Some(replaced) => {
                    replaced.carry_to(file)?;
                    self.closed = true;
                    file.sync_all().map_err(StoreError::from_io)?;
                }
                None => self.finish_new(file, folder)?,
            }
            attempts += 1;
            // The sync may have been slow: check again. Bounded, because another program may keep changing that file.
            if attempts == MAX_COMMIT_ATTEMPTS
                || replaced::is_current(replaced.as_ref(), folder, self.target.name())
            {
                return Ok(replaced);
            }
        }
    }

    fn rename_to_free_name(&self, target: &OwnedFd) -> Result<(), Errno> {
        let (folder, temporary, name) = (&*self.folder, &self.temporary, self.target.name());
        match rename_to_free_name((folder, temporary), (target, name)) {
            // The system cannot do so. A hard link fails, too, if the name is taken.
            Err(Errno::INVAL | Errno::NOSYS) => {
                linkat(folder, temporary, target, name, AtFlags::empty())?;
                unlinkat(folder, temporary, AtFlags::empty())
            }
            done => done,
        }
    }
}

impl Root {
    /// Requires room in the quotas for another file of this size in a folder at the top.
    fn require_quota(&self, way: &Way, top_folder: &[u8], bytes: u64) -> Result<(), StoreError> {
        way.top.usage.require(&self.name, &self.rules.write.quota, top_folder, bytes)
    }
}

/// The permissions of a new file in this folder, after the umask or a default access control list. Only the kernel knows
/// both, so this creates a file and removes it at once.
fn mode_of_new(folder: &OwnedFd, mode: u32) -> Result<Mode, StoreError> {
    let folder = Dir::from_std_file(File::from(folder.try_clone().map_err(StoreError::from_io)?));
    let (file, name) = temporary::create(&folder, mode)?;
    let mode = fstat(&file).map(|stat| Mode::from_raw_mode(stat.st_mode & 0o777));
    unlinkat(&folder, &name, AtFlags::empty())?;
    Ok(mode?)
}

/// Whether a folder was not there.
fn is_absent(error: &StoreError) -> bool {
    match error {
        StoreError::NotFound => true,
        StoreError::Io(error) => error.kind() == io::ErrorKind::NotFound,
        _ => false,
    }
}

/// Whether both are the same folder.
fn is_same(one: impl AsFd, other: impl AsFd) -> Result<bool, StoreError> {
    let (one, other) = (fstat(one)?, fstat(other)?);
    Ok((one.st_dev, one.st_ino) == (other.st_dev, other.st_ino))
}

/// Reports early the error that the commit would return; only the commit is decisive. Returns the file to replace.
fn judge(folder: &Dir, name: &str, rules: &WriteRules) -> Result<Option<Replaced>, StoreError> {
    if rules.overwrite {
        return Replaced::open(folder, name, rules);
    }
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) if rules.write.create => Ok(None),
        Err(Errno::NOENT) => Err(StoreError::NotCreated),
        Err(errno) => Err(StoreError::from_open(errno.into())),
        Ok(stat) => {
            if FileType::from_raw_mode(stat.st_mode) != FileType::Symlink {
                require_regular(mode::of(&stat))?;
            }
            Err(StoreError::Exists)
        }
    }
}

fn from_rename(errno: Errno) -> StoreError {
    match errno {
        Errno::EXIST => StoreError::Exists,
        Errno::ISDIR | Errno::NOTDIR => StoreError::NotRegular("a folder"),
        errno => errno.into(),
    }
}
