//! The privileges section.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The resolved `privileges` section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Privileges {
    /// The user that a server started by root switches to; `None` is `tuffet`, else `nobody`.
    pub user: Option<Who>,
    /// Its group; `None` is the user's.
    pub group: Option<Who>,
    /// The treatment of system calls that the server does not need.
    pub seccomp: SeccompMode,
    /// Whether Landlock confines the process to its files.
    pub landlock: bool,
    /// Whether the start fails if the kernel lacks a requested feature.
    pub require: bool,
    /// Paths that reloads may read, in addition to those of the configuration at the start.
    pub readable: Vec<PathBuf>,
    /// Paths that reloads may write, likewise.
    pub writable: Vec<PathBuf>,
}

/// A user or a group.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Who {
    /// By its number, which needs no entry in the user database.
    Number(u32),
    /// By its name.
    Name(String),
}

impl Who {
    /// Parses text: digits are a number.
    pub fn of(text: &str) -> Who {
        text.parse().map_or_else(|_| Who::Name(text.to_owned()), Who::Number)
    }
}

/// What becomes of system calls that serving does not need.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SeccompMode {
    /// They fail.
    #[default]
    On,
    /// They work, and the kernel's audit log names them.
    Log,
    /// There is no filter.
    Off,
}
