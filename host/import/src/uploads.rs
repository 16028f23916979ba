//! Finds out from file permissions what clients can upload today: if the user of the server can write nothing, the root
//! becomes read-only; if it can write files in folders of others, uploads are written in place.

use crate::yaml::{Map, Value};
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
        self.user == 0 || self.may_write_without_capabilities(found)
    }

    /// Whether Tuffet may write it as this user: it gives up the capabilities of root.
    fn may_write_without_capabilities(&self, found: &Metadata) -> bool {
        let mode = found.mode();
        match found.uid() {
            owner if owner == self.user => mode & 0o200 != 0,
            _ if self.groups.contains(&found.gid()) => mode & 0o020 != 0,
            _ => mode & 0o002 != 0,
        }
    }

    /// Whether Tuffet may put another file in the place of this one in its folder.
    fn may_replace(&self, file: &Metadata, folder: &Metadata) -> bool {
        let is_sticky = folder.mode() & 0o1000 != 0;
        let owns = |found: &Metadata| found.uid() == self.user;
        self.may_write_without_capabilities(folder) && (!is_sticky || owns(file) || owns(folder))
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
    Writable(Writable),
    Nothing,
    /// The folder is missing, unreadable or too large, or this system lacks the user.
    Unknown,
}

/// What can be uploaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Writable {
    /// The first file, or folder, that clients can upload to.
    pub(crate) first: PathBuf,
    /// The first file that can be written and not replaced.
    pub(crate) in_place: Option<PathBuf>,
}

/// Finds what clients can upload to below a folder. Does not follow symbolic links.
pub(crate) fn find_writable(folder: &Path, identity: Option<&Identity>, kinds: UploadKinds) -> Writability {
    let Some(identity) = identity else { return Writability::Unknown };
    let mut folders = vec![folder.to_owned()];
    let mut entries_seen = 0;
    let mut unread = false;
    let (mut first, mut in_place) = (None, None);
    'tree: while let Some(folder) = folders.pop() {
        let Ok(own) = folder.metadata() else {
            unread = true;
            continue;
        };
        if kinds.new_files && identity.may_write(&own) {
            first.get_or_insert_with(|| folder.clone());
        }
        let Ok(entries) = folder.read_dir() else {
            unread = true;
            continue;
        };
        for entry in entries.flatten() {
            entries_seen += 1;
            if entries_seen > MAX_ENTRIES {
                unread = true;
                break 'tree;
            }
            let Ok(found) = entry.metadata() else { continue };
            if found.is_dir() {
                folders.push(entry.path());
            } else if found.is_file()
                && identity.may_write(&found)
                && (!kinds.world_writable || found.mode() & 0o002 != 0)
            {
                first.get_or_insert_with(|| entry.path());
                if !identity.may_replace(&found, &own) {
                    in_place.get_or_insert_with(|| entry.path());
                }
            }
        }
    }
    match first {
        Some(first) => Writability::Writable(Writable { first, in_place }),
        None if unread => Writability::Unknown,
        None => Writability::Nothing,
    }
}

/// Sets the keys of a root that takes uploads, as the original does; `comments` stand at the first one.
pub(crate) fn put(
    root: &mut Map,
    found: &Writability,
    comments: impl IntoIterator<Item = String>,
    user: &str,
) {
    let mut comments: Vec<String> = comments.into_iter().collect();
    let (mut first, mut in_place) = (None, None);
    if let Writability::Writable(writable) = found {
        (first, in_place) = (Some(&writable.first), writable.in_place.as_deref());
    }
    comments.extend(first.map(|first| format!("Writable today: {}", first.display())));
    root.put("writable", Value::plain(true), comments);
    root.put("overwrite", Value::plain(true), []);
    if let Some(file) = in_place {
        put_in_place(root, file, user);
    }
}

/// Lets uploads be written into files in folders that the user may not write to.
pub(crate) fn put_in_place(root: &mut Map, example: &Path, user: &str) {
    let why = format!(
        "The user {user} may write files, but may not replace them in their folder ({}). Such an upload waits in `state` \
         until it is complete, and is then written into its file, which is not atomic.",
        example.display()
    );
    root.below("write").put("in-place", Value::plain(true), [why]);
}

/// The largest upload, as good as none.
const UNLIMITED: &str = "1EiB";

/// Removes the bound on the size of an upload, which the original does not have.
pub(crate) fn put_unlimited(root: &mut Map, server: &str) {
    let why = format!("{server} has no limit; without this line, 1 GiB.");
    root.put("max-upload", Value::plain(UNLIMITED), [why]);
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
        let writable = |first: &Path, in_place: Option<&Path>| {
            Writability::Writable(Writable {
                first: first.to_owned(),
                in_place: in_place.map(Path::to_owned),
            })
        };
        assert_eq!((looked(EXISTING), looked(ALL)), (Writability::Nothing, Writability::Nothing));
        mode(&file, 0o666);
        let file_alone = writable(&file, Some(&file));
        assert_eq!((looked(EXISTING), looked(ALL)), (file_alone.clone(), file_alone));
        mode(&below, 0o777);
        assert_eq!((looked(EXISTING), looked(ALL)), (writable(&file, None), writable(&below, None)));
        // Only owners replace files in a sticky folder.
        mode(&below, 0o1777);
        assert_eq!(looked(ALL), writable(&below, Some(&file)));
        mode(&file, 0o644);
        assert_eq!((looked(EXISTING), looked(ALL)), (Writability::Nothing, writable(&below, None)));
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
