//! The file that an upload replaces: whether it may be replaced, and which of its attributes the new one
//! keeps.
//!
//! An upload is a new file that takes the name of the old one. To other users it must look like a write in place: a
//! user who may not write the old file may not replace it, and its owner, group, permissions and attributes stay. If
//! this user may not change the owner, no user gets more access than before.

use std::fs::File;
use std::os::fd::AsFd;

use rustix::fs::{
    Access, AtFlags, FileType, Gid, Mode, OFlags, Stat, Uid, accessat, fchmod, fchown, fstat, openat, statat,
};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::attributes::{self, Lists};
use super::facts::Facts;
use super::folder_file::require_regular;
use super::links::refusal;
use super::write_rules::WriteRules;
use super::{StoreError, mode};
use tuffet_request::Links;

/// A regular file under the name of an upload. This user may write it.
#[derive(Debug)]
pub(super) struct Replaced {
    file: File,
    stat: Stat,
    /// This user's permissions on it, as one octal digit of a mode.
    ours: u32,
}

impl Replaced {
    /// Opens the file to be replaced; `None` if the name is free, or is a link that the upload replaces.
    ///
    /// # Errors
    /// `NotCreated` for a free name if uploads may not create files, `Denied` for other links, `NotRegular`,
    /// `Protected` for a file that this user may not write, and `NotPublic` if the rules require write permission for
    /// others.
    pub(super) fn open(
        folder: impl AsFd,
        name: &str,
        rules: &WriteRules,
    ) -> Result<Option<Self>, StoreError> {
        let links = rules.write.links;
        let free = || if rules.write.create { Ok(None) } else { Err(StoreError::NotCreated) };
        let folder = folder.as_fd();
        // Checked before opening: opening a device could have effects.
        match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return free(),
            Err(errno) => return Err(StoreError::from_open(errno.into())),
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink => {
                return if links == Links::Replace { Ok(None) } else { Err(refusal(links)) };
            }
            Ok(stat) => require_regular(mode::of(&stat))?,
        }
        // Opening it makes the kernel check everything: permissions, lists, attributes such as `chattr +i`, the mount.
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file: File = match openat(folder, name, flags, Mode::empty()) {
            Ok(file) => file.into(),
            Err(Errno::NOENT) => return free(),
            // FreeBSD says `MLINK`.
            Err(Errno::LOOP | Errno::MLINK) => return Err(refusal(links)),
            Err(errno @ (Errno::ACCESS | Errno::PERM | Errno::TXTBSY)) => {
                return Err(StoreError::Protected(errno.into()));
            }
            Err(errno) => return Err(StoreError::from_open(errno.into())),
        };
        let stat = fstat(&file)?;
        require_regular(mode::of(&stat))?;
        let mode = mode::of(&stat) & 0o7777;
        if rules.world_writable && mode & 0o002 == 0 {
            return Err(StoreError::NotPublic { access: "write", mode });
        }
        let may = |access| accessat(folder, name, access, AtFlags::empty()).is_ok();
        let ours = 0o2 | u32::from(may(Access::READ_OK)) << 2 | u32::from(may(Access::EXEC_OK));
        Ok(Some(Self { file, stat, ours }))
    }

    /// The file, open for writing.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Its number in its file system.
    pub(super) fn inode(&self) -> u64 {
        Facts::from(self.stat).inode
    }

    /// Whether this user may put another file in its place in this folder: only owners may do so in a sticky one.
    ///
    /// # Errors
    /// Those of fstat(2).
    pub(super) fn may_be_replaced(&self, folder: impl AsFd) -> Result<bool, StoreError> {
        let folder = folder.as_fd();
        if accessat(folder, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS).is_err() {
            return Ok(false);
        }
        let around = fstat(folder)?;
        let is_sticky = mode::of(&around) & 0o1000 != 0;
        let is_owner = |stat: &Stat| stat.st_uid == geteuid().as_raw();
        Ok(!is_sticky || is_owner(&around) || is_owner(&self.stat))
    }

    /// Its size in bytes.
    pub(super) fn size(&self) -> u64 {
        u64::try_from(self.stat.st_size).unwrap_or(0)
    }

    /// When it was modified, in seconds since 1970.
    pub(super) fn modified(&self) -> i64 {
        Facts::from(self.stat).modified.0
    }

    /// Copies the metadata of the old file to a new one: owner and group if the system permits it, access control
    /// lists, permissions, and attributes. Omits the set-user-ID and set-group-ID bits, because a write in place would
    /// clear them.
    ///
    /// # Errors
    /// The permissions cannot be set.
    pub(super) fn carry_to(&self, new: &File) -> Result<(), StoreError> {
        let (owner, group) = (Uid::from_raw(self.stat.st_uid), Gid::from_raw(self.stat.st_gid));
        // fchown(2): the owner requires a capability, the group membership.
        if fchown(new, Some(owner), Some(group)).is_err() {
            let _ = fchown(new, None, Some(group));
        }
        let now = fstat(new)?;
        let same_group = now.st_gid == self.stat.st_gid;
        // The entries of a list depend on the group.
        let lists = attributes::carry_lists(&self.file, new, same_group);
        let kept = Carried { owner: now.st_uid == self.stat.st_uid, group: same_group, lists };
        fchmod(new, mode::permissions(permissions(mode::of(&self.stat), self.ours, kept)))?;
        attributes::carry_others(&self.file, new);
        Ok(())
    }
}

/// Returns whether the name still leads to this file (or to none), with the same metadata.
pub(super) fn is_current(replaced: Option<&Replaced>, folder: impl AsFd, name: &str) -> bool {
    let key = |stat: &Stat| (stat.st_dev, stat.st_ino, stat.st_ctime, stat.st_ctime_nsec);
    match (replaced, statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)) {
        (Some(then), Ok(now)) => key(&now) == key(&then.stat),
        (Some(_), Err(_)) => false,
        // For other kinds of files, the rename decides.
        (None, now) => now.is_err() || now.is_ok_and(|now| !is_regular(&now)),
    }
}

fn is_regular(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
}

/// The metadata that the new file already has from the old one.
#[derive(Debug, Clone, Copy)]
struct Carried {
    owner: bool,
    group: bool,
    lists: Lists,
}

/// Returns the permissions of the new file. They give no user more access than the old ones.
fn permissions(old: u32, ours: u32, kept: Carried) -> u32 {
    let (owner, group, other) = (old >> 6 & 7, old >> 3 & 7, old & 7);
    // The new owner is this user, with the same access as before.
    let owner = if kept.owner { owner } else { ours };
    let (group, other) = match kept.lists {
        Lists::Lost => (0, 0),
        _ if kept.group => (group, other),
        // Members of the old group are now others, and others may be members of the new group.
        _ => (group & other, group & other),
    };
    owner << 6 | group << 3 | other
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Covers all modes, and users who are neither the old nor the new owner: members of either group, both or none.
    #[test]
    fn no_user_gains_access() {
        for (old, lists, keeps_group) in (0..0o1000)
            .flat_map(|old| [Lists::None, Lists::Kept, Lists::Lost].map(|lists| (old, lists)))
            .flat_map(|(old, lists)| [true, false].map(|group| (old, lists, group)))
        {
            let kept = Carried { owner: false, group: keeps_group, lists };
            let new = permissions(old, 0o6, kept);
            assert_eq!(new >> 6, 0o6);
            for (of_old, of_new) in [(true, true), (true, false), (false, true), (false, false)] {
                if keeps_group && of_old != of_new {
                    continue;
                }
                let class = |mode: u32, member: bool| if member { mode >> 3 & 7 } else { mode & 7 };
                let (before, after) = (class(old, of_old), class(new, of_new));
                assert_eq!(after & !before, 0, "{old:o} becomes {new:o}, {kept:?}, {of_old} {of_new}");
            }
        }
    }

    #[test]
    fn permissions_stay_where_owner_and_group_do() {
        for old in 0..0o10_000 {
            for lists in [Lists::None, Lists::Kept] {
                let kept = Carried { owner: true, group: true, lists };
                assert_eq!(permissions(old, 0, kept), old & 0o777);
            }
        }
    }
}
