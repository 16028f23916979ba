//! Extended attributes (xattr(7)) that a new file inherits from the one that it replaces: user attributes,
//! access control lists, and labels of security modules. Digests and capabilities belong to the old content
//! and are not copied.

#[cfg_attr(target_os = "linux", path = "attributes/linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "attributes/other.rs")]
mod system;

pub(super) use system::{carry_lists, carry_others, has_default_list};

/// The result of copying access control lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))] // There all lists are lost.
pub(super) enum Lists {
    /// The old file has none, and the new one has none.
    None,
    /// The new file has the lists of the old one.
    Kept,
    /// The old file has lists that the new one lacks. Those of the new one were removed as far as possible.
    Lost,
}
