//! Extended attributes on Linux: xattr(7).

use std::fs::File;
use std::os::fd::AsFd;

use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr};
use rustix::io::Errno;

use super::Lists;

/// The maximum length of a value or a list of names (xattr(7)).
const LONGEST: usize = 64 << 10;

/// Attributes with access control lists.
const LISTS: [&[u8]; 3] = [b"system.posix_acl_access", b"system.nfs4_acl", b"system.richacl"];

/// The list of a folder for new files in it.
const DEFAULT_LIST: &[u8] = b"system.posix_acl_default";

/// Labels that remain on a file when its content changes.
const LABELS: [&[u8]; 2] = [b"security.selinux", b"security.SMACK64"];

/// Copies access control lists if `keep` permits it, and removes the lists that the new file inherited from its
/// folder.
pub(in super::super) fn carry_lists(old: &File, new: &File, keep: bool) -> Lists {
    let of_old = names(old);
    let has = |name: &&[u8]| of_old.as_ref().is_ok_and(|names| names.iter().any(|other| other == name));
    let there: Vec<&[u8]> = LISTS.into_iter().filter(has).collect();
    let carried = of_old.is_ok() && there.iter().all(|name| keep && carry(old, new, name).is_ok());
    let mut lost = !carried;
    for name in LISTS.iter().filter(|name| !carried || !there.contains(name)) {
        // A file system without this attribute has nothing to remove.
        let removed = fremovexattr(new, *name);
        lost |= !matches!(removed, Ok(()) | Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::INVAL));
    }
    match (lost, there.is_empty()) {
        (true, _) => Lists::Lost,
        (false, true) => Lists::None,
        (false, false) => Lists::Kept,
    }
}

/// Copies user attributes and labels, as far as this user may set them.
pub(in super::super) fn carry_others(old: &File, new: &File) {
    let Ok(names) = names(old) else { return };
    for name in names.iter().filter(|name| name.starts_with(b"user.") || LABELS.contains(&name.as_slice())) {
        if let Err(errno) = carry(old, new, name) {
            tracing::debug!(target: "tuffet::store::attributes", attribute = %name.escape_ascii(), error = %std::io::Error::from(errno),
                "an upload cannot keep an extended attribute of the file that it replaces");
        }
    }
}

/// Whether new files in this folder get their permissions from a list of it.
pub(in super::super) fn has_default_list(folder: impl AsFd) -> bool {
    // With an empty buffer, the answer is the length.
    fgetxattr(folder, DEFAULT_LIST, &mut [0_u8; 0][..]).is_ok()
}

fn names(file: &File) -> Result<Vec<Vec<u8>>, Errno> {
    let mut list = vec![0; LONGEST];
    match flistxattr(file, list.as_mut_slice()) {
        Ok(length) => {
            let names = list[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty());
            Ok(names.map(<[u8]>::to_vec).collect())
        }
        Err(Errno::OPNOTSUPP) => Ok(Vec::new()),
        Err(errno) => Err(errno),
    }
}

fn carry(old: &File, new: &File, name: &[u8]) -> Result<(), Errno> {
    let mut value = vec![0; LONGEST];
    let length = fgetxattr(old, name, value.as_mut_slice())?;
    fsetxattr(new, name, &value[..length], XattrFlags::empty())
}
