//! Folders that uploads make.
//!
//! A folder is made when its upload is complete, and removed if that upload then fails. Until then the temporary file is
//! in the deepest folder of the path that is there, so neither requests nor uploads that break off leave folders.

use std::os::fd::OwnedFd;
use std::path::Component;
use std::sync::Arc;

use cap_std::fs::Dir;
use rustix::fs::{AtFlags, Mode, OFlags, fchmod, fstat, mkdirat, openat, statat, unlinkat};
use rustix::io::Errno;
use tuffet_request::{NewFolders, Versions};

use super::listing::other_spelling;
use super::name_locks::NameLocks;
use super::open_folder::OpenFolder;
use super::sync_folder::sync_folder;
use super::usage::{Change, Usage};
use super::write_rules::{NewMode, WriteRules};
use super::{StoreError, mode, path, spelling, version_names};

/// The permissions of new folders, before the umask applies.
const NEW_MODE: u32 = 0o755;

/// The limit of attempts to open a folder that others make and remove.
const MAX_ATTEMPTS: u32 = 16;

/// The folder of an upload, as far as it is there.
#[derive(Debug)]
pub(super) struct Way {
    /// The folder of the root.
    pub top: OpenFolder,
    /// The deepest folder that is there.
    pub folder: Dir,
    /// The folders below it that are missing.
    pub missing: Vec<String>,
}

impl Way {
    /// The name of the folder at the top of the root that contains the file, or will contain it; empty if the file is at the
    /// top itself. `target` is the path.
    pub fn top_folder(&self, target: &str) -> Box<[u8]> {
        let (folder, _) = path::split(target);
        let parts: Vec<&str> = parts(folder).collect();
        let known = &parts[..parts.len().saturating_sub(self.missing.len())];
        let first = known.first().and_then(|first| match self.top.real(&known.join("/")) {
            // A link may lead to another folder, or to the top.
            Ok(real) => real.components().find_map(|part| match part {
                Component::Normal(name) => Some(name.as_encoded_bytes().into()),
                _ => None,
            }),
            // It has just been moved.
            Err(_) => Some(first.as_bytes().into()),
        });
        first.or_else(|| Some(self.missing.first()?.as_bytes().into())).unwrap_or_default()
    }
}

/// Finds the folder of an upload to this path; `rules` say whether it may be missing.
///
/// # Errors
/// `NoFolder` if it is missing and may not be made, `TooDeep`, and the errors of opening it.
pub(super) fn find(top: OpenFolder, target: &str, rules: &WriteRules) -> Result<Way, StoreError> {
    let (folder, _) = path::split(target);
    match top.open_dir_to_write(folder) {
        Ok(found) => {
            spelling::require_of_upload(&top, target)?;
            Ok(Way { top, folder: found, missing: Vec::new() })
        }
        Err(StoreError::NotFound) => match rules.write.folders {
            Some(_) if !rules.write.create => Err(StoreError::NotCreated),
            Some(limits) => find_above(top, folder, limits, rules.write.versions),
            None => Err(StoreError::NoFolder(folder.to_owned())),
        },
        Err(error) => Err(error),
    }
}

fn find_above(
    top: OpenFolder,
    folder: &str,
    limits: NewFolders,
    versions: Option<Versions>,
) -> Result<Way, StoreError> {
    let parts: Vec<&str> = parts(folder).collect();
    if parts.len() > limits.depth as usize {
        return Err(StoreError::TooDeep { limit: limits.depth });
    }
    for known in (0..parts.len()).rev() {
        let above = if known == 0 { ".".to_owned() } else { parts[..known].join("/") };
        let found = match top.open_dir_to_write(&above) {
            Err(StoreError::NotFound) => continue,
            found => found?,
        };
        spelling::require(&top, &above)?;
        let missing = &parts[known..];
        match statat(&found, missing[0], AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => {}
            // A file, or a link that leads nowhere.
            Ok(_) => return Err(StoreError::NoFolder(folder.to_owned())),
            Err(errno) => return Err(StoreError::from_open(errno.into())),
        }
        spelling::require_in(&found, missing[0])?;
        if let Some(versions) = versions {
            missing.iter().try_for_each(|part| version_names::require(part, versions.names))?;
        }
        let missing = missing.iter().map(|&part| part.to_owned()).collect();
        return Ok(Way { top, folder: found, missing });
    }
    Err(StoreError::NotFound)
}

/// Syncs the folders above the one that is there, as the way to the folder of an upload: another upload may have made
/// any of them, and not have synced it yet.
///
/// # Errors
/// `Exhausted` and `Io`.
pub(super) fn sync_way(top: &OpenFolder, target: &str, missing: usize) -> Result<(), StoreError> {
    let (folder, _) = path::split(target);
    let parts: Vec<&str> = parts(folder).collect();
    for known in 0..parts.len().saturating_sub(missing) {
        let above = if known == 0 { ".".to_owned() } else { parts[..known].join("/") };
        match top.open_dir_to_write(&above).and_then(|found| syncable(&found)) {
            Ok(found) => sync_folder(found)?,
            // Others have moved it away, or no upload can make folders there.
            Err(
                StoreError::NotFound
                | StoreError::Denied(_)
                | StoreError::LeadsOut { .. }
                | StoreError::LinkFolder { .. }
                | StoreError::Forbidden { .. },
            ) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reopens a folder for syncing, because cap-std opens folders with O_PATH.
pub(super) fn syncable(folder: &Dir) -> Result<OwnedFd, StoreError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(folder, ".", flags, Mode::empty())?)
}

pub(super) fn parts(folder: &str) -> impl Iterator<Item = &str> {
    folder.split('/').filter(|part| !matches!(*part, "" | "."))
}

/// The folders that an upload has made. Dropping it removes those that are empty, unless they are kept.
pub(super) struct Made<'a> {
    usage: &'a Usage,
    made: Vec<(Arc<OwnedFd>, String, Change)>,
    /// The names of the folders, also of those that others have made meanwhile: as they are stored.
    pub names: Vec<String>,
}

impl<'a> Made<'a> {
    /// Makes the missing folders below `base`, and makes them durable; returns the last one, too.
    ///
    /// # Errors
    /// `Quota`, `Denied` if something else has taken a name, and system errors.
    pub fn make(
        (usage, root, locks): (&'a Usage, &str, &NameLocks),
        base: &Arc<OwnedFd>,
        missing: &[String],
        rules: &WriteRules,
    ) -> Result<(Made<'a>, Arc<OwnedFd>), StoreError> {
        let mut made = Made { usage, made: Vec::new(), names: Vec::new() };
        let mut folder = Arc::clone(base);
        for name in missing {
            let above = folder;
            folder = Arc::new(made.enter((root, locks), &above, name, rules)?);
            // Another upload may have made it meanwhile, and not have synced it yet.
            sync_folder(&*above)?;
        }
        Ok((made, folder))
    }

    /// Opens a folder, which is made if it is missing. Where case does not matter, one in another spelling is that folder.
    fn enter(
        &mut self,
        (root, locks): (&str, &NameLocks),
        above: &Arc<OwnedFd>,
        name: &str,
        rules: &WriteRules,
    ) -> Result<OwnedFd, StoreError> {
        let most = rules.write.folders.map_or(0, |folders| folders.count);
        let _alone = locks.wait_for_folder(above)?;
        let stored = if rules.any_case { other_spelling(above, name)? } else { None };
        let name = stored.as_deref().unwrap_or(name);
        spelling::require_in(above, name)?;
        let mut is_new = false;
        for _ in 0..MAX_ATTEMPTS {
            // Without following a link: it is not checked where one leads that has just appeared.
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let opened = match openat(above, name, flags, Mode::empty()) {
                Err(Errno::NOENT) => None,
                // FreeBSD says `MLINK`.
                Err(Errno::LOOP | Errno::MLINK | Errno::NOTDIR) => {
                    return Err(StoreError::Denied("a link or file has taken the name of a new folder"));
                }
                opened => Some(opened?),
            };
            if let Some(folder) = opened {
                if is_new {
                    set_mode(&folder, rules.of_new(above))?;
                }
                // Another program may have made it meanwhile, in another spelling.
                spelling::require_in(above, name)?;
                self.names.push(name.to_owned());
                return Ok(folder);
            }
            let change = self.usage.add_folder(root, most)?;
            // Never open to more users than it will be.
            let mode = match rules.of_new(above) {
                NewMode::Exact(of_files) => NEW_MODE & wanted(of_files),
                NewMode::Masked(of_files) => wanted(of_files),
            };
            match mkdirat(above, name, mode::permissions(mode)) {
                Ok(()) => {
                    is_new = true;
                    self.made.push((Arc::clone(above), name.to_owned(), change));
                }
                // Another upload was faster.
                Err(Errno::EXIST) => self.usage.remove_folder(change),
                Err(errno) => {
                    self.usage.remove_folder(change);
                    return Err(errno.into());
                }
            }
        }
        Err(StoreError::Denied("others make and remove the folder all the time"))
    }

    /// Keeps the folders.
    pub fn keep(mut self) {
        self.made.clear();
    }
}

impl Drop for Made<'_> {
    fn drop(&mut self) {
        for (above, name, change) in self.made.drain(..).rev() {
            // Not if another upload uses it.
            if unlinkat(above, &name, AtFlags::REMOVEDIR).is_ok() {
                self.usage.remove_folder(change);
            }
        }
    }
}

/// The permissions of a new folder: those of new files, and whoever may read it may also enter it. The server must be
/// able to use it.
fn wanted(of_files: u32) -> u32 {
    of_files & 0o777 | (of_files & 0o444) >> 2 | 0o700
}

/// Sets the permissions of a new folder, if they do not depend on a umask or list.
fn set_mode(folder: &OwnedFd, of_new: NewMode) -> Result<(), StoreError> {
    let NewMode::Exact(of_files) = of_new else { return Ok(()) };
    // The set-group-ID bit comes from the folder above.
    let inherited = mode::of(&fstat(folder)?) & 0o2000;
    Ok(fchmod(folder, mode::permissions(wanted(of_files) | inherited))?)
}
