//! A root as the configuration says it.

use std::path::PathBuf;

/// What a root is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootSpec {
    /// Its name for policy and logs; unique.
    pub name: String,
    /// The folder.
    pub path: PathBuf,
    /// Whether uploads are accepted.
    pub writable: bool,
    /// Whether an upload may replace a file that is there.
    pub overwrite: bool,
    /// Whether it is for plugins alone.
    pub private: bool,
    /// The largest upload, in bytes.
    pub max_upload: u64,
}

impl RootSpec {
    /// One that clients may read, and nothing more.
    pub fn read_only(name: &str, path: impl Into<PathBuf>) -> RootSpec {
        let (name, path) = (name.into(), path.into());
        RootSpec { name, path, writable: false, overwrite: false, private: false, max_upload: 0 }
    }
}
