//! Symbolic links under the names of uploads.

use std::borrow::Cow;

use tuffet_request::Links;

use super::roots::Root;
use super::{StoreError, path};

/// Returns the error for a link that stops an upload.
pub(super) fn refusal(links: Links) -> StoreError {
    StoreError::Denied(match links {
        Links::Refuse => "the name is a symbolic link and its root has `links: refuse` for uploads",
        Links::Replace | Links::Follow => "a symbolic link has taken the name meanwhile",
    })
}

/// Returns the path under which an upload to `target` becomes visible: the target of a link, if links are
/// followed.
///
/// # Errors
/// `Denied` for a link to a missing file or into a folder of `roots[].links`, `LeadsOut` for one out of the root.
pub(super) fn followed<'a>(root: &Root, target: &'a str) -> Result<Cow<'a, str>, StoreError> {
    let folder = root.folder()?;
    let is_link = || folder.is_link(target);
    if !root.rules.overwrite || root.rules.write.links != Links::Follow || !is_link() {
        return Ok(target.into());
    }
    let real = folder.real(target).map_err(|error| match error {
        StoreError::NotFound => StoreError::Denied("the name is a symbolic link that leads nowhere"),
        error => error,
    })?;
    let real = real.to_str().ok_or(StoreError::Denied("the name is a link to one that is not UTF-8"))?;
    Ok(path::checked(real)?.to_owned().into())
}
