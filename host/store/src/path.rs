//! The last check of a path before it meets a folder. Requested names are normalised long before; the
//! paths that plugins answer with come straight here.

use std::path::{Component, Path};

use super::StoreError;

/// How the names of unfinished uploads begin; no client may name one.
pub(super) const RESERVED: &str = ".tuffet-";

/// Confinement does not rest on this: the kernel enforces it. This makes the answer the same whatever
/// lies on the disk.
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

/// The folder part (`.` at the top) and the name.
pub(super) fn split(path: &str) -> (&str, &str) {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some((folder, name)) => (folder, name),
        None => (".", path.trim_end_matches('/')),
    }
}
