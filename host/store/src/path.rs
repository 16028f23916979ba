//! The last check of a path before it is opened. Requested names are normalised earlier; paths from plugins get only
//! this check.

use std::path::{Component, Path};

use super::StoreError;

/// The prefix of unfinished uploads. Clients may not request such names.
pub(super) const RESERVED: &str = ".tuffet-";

/// Checks a path. The kernel enforces confinement regardless; this check makes the answer independent of the files on
/// the disk.
pub(super) fn checked(path: &str) -> Result<&str, StoreError> {
    if path.contains('\0') {
        return Err(StoreError::Denied("the path holds a NUL byte"));
    }
    for component in Path::new(path).components() {
        match component {
            Component::Normal(name) if name.as_encoded_bytes().starts_with(RESERVED.as_bytes()) => {
                return Err(StoreError::Denied(
                    "names that begin with `.tuffet-` are for unfinished uploads",
                ));
            }
            Component::Normal(_) | Component::CurDir => {}
            Component::ParentDir => return Err(StoreError::Denied("the path holds `..`")),
            Component::RootDir | Component::Prefix(_) => {
                return Err(StoreError::Denied("the path is absolute"));
            }
        }
    }
    if Path::new(path).file_name().is_none() {
        return Err(StoreError::Denied("the path names no file"));
    }
    Ok(path)
}

/// As [`checked`], without empty parts and `.`: the paths that a program gets.
pub(super) fn plain(path: &str) -> Result<String, StoreError> {
    let parts = checked(path)?.split('/').filter(|part| !matches!(*part, "" | "."));
    Ok(parts.collect::<Vec<_>>().join("/"))
}

/// Splits a path into folder (`.` at the top) and name.
pub(super) fn split(path: &str) -> (&str, &str) {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some((folder, name)) => (folder, name),
        None => (".", path.trim_end_matches('/')),
    }
}
