//! The section `privileges` as it is written.

use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::privileges::{SeccompMode, Who};

/// What is left of root, or of a capability, after the start: a user, and what the kernel lets it do. The
/// default is the least that serving needs.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Privileges {
    /// Who serves, where root starts it: a name, or a number. Without it `tuffet` where there is such a user,
    /// else `nobody`. `root` stays root, without its capabilities. Started by anyone else, it stays that user.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "who_schema")]
    pub user: Option<Who>,
    /// Its group. Without it, that of the user, and those that the user is a member of beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "who_schema")]
    pub group: Option<Who>,
    /// System calls that serving does not need: `on` lets them fail, `log` notes them in the kernel's audit
    /// log, `off` has no filter.
    pub seccomp: SeccompMode,
    /// Whether the process is kept to the files that its configuration names, and those that the system's
    /// libraries read (Landlock, Linux 5.13). A reload that names others is refused: it needs a restart.
    pub landlock: bool,
    /// Whether the start fails where the kernel has no filter of system calls or no Landlock, and the
    /// configuration does not say `off`. Else a warning says so.
    pub require: bool,
    /// Files and folders that reloads may add to those that are read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readable: Vec<PathBuf>,
    /// Folders that reloads may add to those that are written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writable: Vec<PathBuf>,
}

/// The last number means "as it is" to the kernel.
fn who_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "integer"], "minLength": 1, "minimum": 0, "maximum": 4_294_967_294_u64 })
}

impl Default for crate::privileges::Privileges {
    fn default() -> Self {
        let Privileges { seccomp, landlock, require, .. } = Default::default();
        let (user, group, readable, writable) = Default::default();
        Self { user, group, seccomp, landlock, require, readable, writable }
    }
}
