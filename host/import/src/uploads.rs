//! Finds out from file permissions whether clients can upload today: if the user of the server can write nothing, the
//! root becomes read-only.

use nix::unistd::{Group, User, getgrouplist};
use std::ffi::CString;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The largest number of entries visited.
const MAX_ENTRIES: usize = 20_000;

/// The user and groups of a server.
#[derive(Debug, Clone)]
pub(crate) struct Identity {
    user: u32,
    groups: Vec<u32>,
}

impl Identity {
    /// Looks a user up by name or number, and a group that replaces its own; `None` if this system lacks one of them.
    pub(crate) fn of(user: &str, group: Option<&str>) -> Option<Identity> {
        let found = match user.parse() {
            Ok(number) => User::from_uid(nix::unistd::Uid::from_raw(number)),
            Err(_) => User::from_name(user),
        };
        let user = found.ok()??;
        let groups = match group {
            Some(group) => vec![Group::from_name(group).ok()??.gid],
            None => getgrouplist(&CString::new(user.name).ok()?, user.gid).unwrap_or_else(|_| vec![user.gid]),
        };
        Some(Identity {
            user: user.uid.as_raw(),
            groups: groups.iter().map(|group| group.as_raw()).collect(),
        })
    }

    pub(crate) fn may_write(&self, found: &Metadata) -> bool {
        let mode = found.mode();
        match found.uid() {
            _ if self.user == 0 => true,
            owner if owner == self.user => mode & 0o200 != 0,
            _ if self.groups.contains(&found.gid()) => mode & 0o020 != 0,
            _ => mode & 0o002 != 0,
        }
    }
}

/// The kinds of uploads that a server accepts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UploadKinds {
    /// New files, where the user may write to the folder.
    pub(crate) new_files: bool,
    /// Only existing files that others may write.
    pub(crate) world_writable: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Writability {
    /// Something can be uploaded: to this file, or into this folder.
    Writable(PathBuf),
    Nothing,
    /// The folder is missing, unreadable or too large, or this system lacks the user.
    Unknown,
}

/// Finds the first file or folder below a folder that clients can upload to. Does not follow symbolic links.
pub(crate) fn find_writable(folder: &Path, identity: Option<&Identity>, kinds: UploadKinds) -> Writability {
    let Some(identity) = identity else { return Writability::Unknown };
    let mut folders = vec![folder.to_owned()];
    let mut entries_seen = 0;
    let mut unread = false;
    while let Some(folder) = folders.pop() {
        let Ok(own) = folder.metadata() else {
            unread = true;
            continue;
        };
        if kinds.new_files && identity.may_write(&own) {
            return Writability::Writable(folder);
        }
        let Ok(entries) = folder.read_dir() else {
            unread = true;
            continue;
        };
        for entry in entries.flatten() {
            entries_seen += 1;
            if entries_seen > MAX_ENTRIES {
                return Writability::Unknown;
            }
            let Ok(found) = entry.metadata() else { continue };
            if found.is_dir() {
                folders.push(entry.path());
            } else if found.is_file()
                && identity.may_write(&found)
                && (!kinds.world_writable || found.mode() & 0o002 != 0)
            {
                return Writability::Writable(entry.path());
            }
        }
    }
    if unread { Writability::Unknown } else { Writability::Nothing }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    /// A user and a group that own none of the files of tests.
    fn stranger() -> Identity {
        Identity { user: 4_000_000, groups: vec![4_000_001] }
    }

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    const EXISTING: UploadKinds = UploadKinds { new_files: false, world_writable: true };
    const ALL: UploadKinds = UploadKinds { new_files: true, world_writable: true };

    #[test]
    fn what_can_be_uploaded() {
        let top = tempfile::tempdir().unwrap();
        let below = top.path().join("a/b");
        fs::create_dir_all(&below).unwrap();
        mode(top.path(), 0o755);
        let file = below.join("file");
        fs::write(&file, "").unwrap();
        mode(&file, 0o664);
        let looked = |kinds| find_writable(top.path(), Some(&stranger()), kinds);
        assert_eq!((looked(EXISTING), looked(ALL)), (Writability::Nothing, Writability::Nothing));
        mode(&file, 0o666);
        assert_eq!(
            (looked(EXISTING), looked(ALL)),
            (Writability::Writable(file.clone()), Writability::Writable(file.clone()))
        );
        mode(&file, 0o644);
        mode(&below, 0o777);
        assert_eq!(
            (looked(EXISTING), looked(ALL)),
            (Writability::Nothing, Writability::Writable(below.clone()))
        );
    }

    #[test]
    fn what_is_not_known() {
        let missing = Path::new("/nonexistent/folder");
        assert_eq!(find_writable(missing, Some(&stranger()), ALL), Writability::Unknown);
        assert_eq!(find_writable(Path::new("/"), None, ALL), Writability::Unknown);
        assert!(Identity::of("no-such-user-here", None).is_none());
        assert_eq!(Identity::of("root", None).map(|it| it.user), Some(0));
        assert_eq!(Identity::of("0", Some("root")).map(|it| (it.user, it.groups)), Some((0, vec![0])));
    }
}
