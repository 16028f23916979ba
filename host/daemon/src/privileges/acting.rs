//! Never accesses other users' folders as root.
//!
//! A user who may change a folder can replace any name in it with a link just before root uses that name. In such
//! folders the server acts as the user that it will become, so a link leads only where this user could go anyway. This
//! matters most for the folder of its sockets: root creates it, and then it belongs to that user.

use super::Account;
use nix::unistd::{Gid, Uid, getegid, geteuid, getgroups, setegid, seteuid, setgroups};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf, absolute};

/// Write permission of group and others.
const OTHERS_WRITE: u32 = 0o022;
/// In a folder with this bit, only root can rename root's files.
const STICKY: u32 = 0o1000;
/// The most links on the way to a folder, as in the kernel.
const MAX_LINKS: u32 = 40;

/// Returns the user to act as in this folder instead of root. `None` if this process is not root or stays root, or if
/// only root can change the folder and its ancestors.
pub fn in_place_of_root<'a>(folder: &Path, account: Option<&'a Account>) -> Option<&'a Account> {
    let account = account.filter(|account| geteuid().is_root() && !account.uid.is_root())?;
    (!only_root_can_change(folder)).then_some(account)
}

/// Runs `work` as this user, then becomes root again. Must be called while the process has one thread: the change
/// affects all threads.
///
/// # Errors
/// Those of `work`; or the process cannot change its user, and then may have lost its privileges.
pub fn acting_as<T>(account: &Account, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let (groups, gid) = (getgroups()?, getegid());
    let done =
        become_user(&account.groups, account.gid, account.uid).map_err(io::Error::from).and_then(|()| work());
    seteuid(Uid::from_raw(0))?;
    setegid(gid)?;
    setgroups(&groups)?;
    done
}

fn become_user(groups: &[Gid], gid: Gid, uid: Uid) -> nix::Result<()> {
    setgroups(groups)?;
    setegid(gid)?;
    seteuid(uid)
}

/// Returns whether only root can change where the path leads: every folder and link on the way, and the folder itself.
fn only_root_can_change(folder: &Path) -> bool {
    // A bare name lies in the current folder.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(folder) = absolute(folder) else { return false };
    let mut rest: Vec<PathBuf> = parts(&folder);
    let mut at = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = rest.pop() {
        let next = at.join(&part);
        let Ok(about) = next.symlink_metadata() else { return false };
        if about.uid() != 0 {
            return false;
        }
        if about.is_symlink() {
            links += 1;
            let Some(target) = next.read_link().ok().filter(|_| links <= MAX_LINKS) else { return false };
            rest.extend(parts(&target));
            continue;
        }
        let sticky = !rest.is_empty() && about.mode() & STICKY != 0;
        if about.mode() & OTHERS_WRITE != 0 && !sticky {
            return false;
        }
        at = next.canonicalize().unwrap_or(next);
    }
    true
}

/// Returns the parts of a path, last part first.
fn parts(path: &Path) -> Vec<PathBuf> {
    path.components().rev().map(|part| PathBuf::from(part.as_os_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    fn account(uid: u32) -> Account {
        let gid = Gid::from_raw(uid);
        Account { name: uid.to_string(), uid: Uid::from_raw(uid), gid, groups: vec![gid] }
    }

    #[test]
    fn the_user_acts_where_others_may_change_something() {
        let place = tempfile::tempdir().unwrap();
        let (own, given) = (place.path().join("own"), place.path().join("given"));
        fs::create_dir_all(own.join("within")).unwrap();
        fs::create_dir_all(given.join("within")).unwrap();
        symlink(&own, given.join("link")).unwrap();
        let nobody = account(65534);
        let acts = |folder: &Path| in_place_of_root(folder, Some(&nobody)).is_some();
        if !geteuid().is_root() {
            assert!(!acts(&own) && !acts(Path::new("/tmp")), "no other user has a way to act as root");
            return;
        }
        chown(&given, Some(65534), None).unwrap();
        assert!(!acts(&own.join("within")) && !acts(Path::new("/")));
        assert!(acts(&given) && acts(&given.join("within")) && acts(&given.join("not there")));
        // The link leads to root's files, but not in an endless loop.
        assert!(acts(&given.join("link/within")));
        symlink("given/link", own.join("round")).unwrap();
        symlink("within", own.join("direct")).unwrap();
        assert!(acts(&own.join("round")) && !acts(&own.join("direct")));
        fs::set_permissions(&own, Permissions::from_mode(0o775)).unwrap();
        assert!(acts(&own) && acts(&own.join("within")));
        fs::set_permissions(&own, Permissions::from_mode(0o1777)).unwrap();
        assert!(acts(&own) && !acts(&own.join("within")), "a folder such as /tmp, and one of root in it");
        assert!(
            in_place_of_root(&given, Some(&account(0))).is_none() && in_place_of_root(&given, None).is_none()
        );
    }
}
