//! What the configuration says of privileges.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The resolved `privileges` section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Privileges {
    /// Who serves, where the start is by root; `None` is `tuffet`, else `nobody`.
    pub user: Option<Who>,
    /// Its group; `None` is that of the user.
    pub group: Option<Who>,
    /// What system calls that are not needed come to.
    pub seccomp: SeccompMode,
    /// Whether the kernel keeps the process to its files.
    pub landlock: bool,
    /// Whether the start fails where the kernel lacks what is asked for.
    pub require: bool,
    /// What reloads may read beside what the configuration of the start names.
    pub readable: Vec<PathBuf>,
    /// What reloads may write beside that.
    pub writable: Vec<PathBuf>,
}

/// Without such a section.
/// A user or a group.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Who {
    /// By its number, which needs no entry anywhere.
    Number(u32),
    /// By its name.
    Name(String),
}

impl Who {
    /// From text: digits are a number.
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
