//! Files and folders that may be missing.

use crate::error::ImportError;
use crate::source;
use std::path::{Path, PathBuf};

/// Reads a file; a missing one is empty.
pub(super) fn text(path: &Path) -> Result<String, ImportError> {
    if path.exists() { source::read(path) } else { Ok(String::new()) }
}

/// Returns the files of a folder by name; a missing one has none.
pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
}
