//! The question and the answer of a path look-up in a root.

/// The kind of file that a path should name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sought {
    /// A regular file to read.
    File,
    /// The folder of a file to write.
    FolderOf,
}

/// Where a path is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stored {
    /// Under this path. A file to write need not exist.
    At(String),
    /// Nowhere.
    Nowhere,
}
