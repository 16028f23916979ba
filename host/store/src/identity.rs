//! What tells the contents of files apart.

use super::ContentId;

/// How an open file differs from the one that was opened, by its size and its modification time.
///
/// Its ctime says nothing: it changes with each link, owner, mode, attribute and rename, and backups do all of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Not at all.
    None,
    /// It has become larger. Either something was appended, or it was written anew.
    Grown,
    /// Its content is another one, or was.
    Other,
}

/// Distinguishes the contents of files. Also by the ctime: reading a content again that is still the same costs little.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity(pub(super) Content);

impl Identity {
    /// The same for a file of which the metadata alone have changed.
    #[must_use]
    pub fn of_content(self) -> Identity {
        Identity(match self.0 {
            Content::File { mount, device, inode, size, modified, .. } => {
                Content::File { mount, device, inode, size, modified, status: (0, 0) }
            }
            content => content,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Content {
    /// The content of a file in a folder.
    File { mount: u64, device: u64, inode: u64, size: u64, modified: (i64, u64), status: (i64, u64) },
    /// A content of an origin or of the program, which never changes.
    Numbered(ContentId),
}
