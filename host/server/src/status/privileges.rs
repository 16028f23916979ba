//! The remaining privileges of a process.

use serde::{Deserialize, Serialize};

/// The user and the privileges of a process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessPrivileges {
    /// The effective user.
    pub uid: u32,
    /// The effective group.
    pub gid: u32,
    /// The supplementary groups.
    pub groups: Vec<u32>,
    /// Held or acquirable capabilities, one bit each.
    pub capabilities: u64,
    /// Whether no-new-privs is set.
    pub no_new_privs: bool,
    /// 0 none, 1 strict, 2 filter.
    pub seccomp: u32,
}

/// The remaining privileges of a server, as it reports them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RemainingPrivileges {
    /// From the kernel.
    #[serde(flatten)]
    pub held: ProcessPrivileges,
    /// The Landlock version in force; `None` without it.
    pub landlock_abi: Option<i32>,
    /// The number of Landlock rules in force.
    pub landlock_rules: Option<usize>,
    /// The reasons why requested restrictions are not in force.
    pub lacking: Vec<String>,
}
