//! The section `privileges` as written.

use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::privileges::{SeccompMode, Who};

/// The user and the restrictions that the server runs with after its start. The defaults are the least that
/// serving needs.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Privileges {
    /// The user to become when root starts the server: a name, or a number. `root` stays root, without its
    /// capabilities. Started by another user, the server stays that user. Default: `tuffet` if that user
    /// exists, else `nobody`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "who_schema")]
    pub user: Option<Who>,
    /// The group to become. Default: the user's group, and its supplementary groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "who_schema")]
    pub group: Option<Who>,
    /// System calls that serving does not need: `on` makes them fail, `log` allows them and records them in
    /// the kernel's audit log, `off` disables the filter.
    pub seccomp: SeccompMode,
    /// Whether the process can access only the files that its configuration names, and those that system
    /// libraries read (Landlock, Linux 5.13). A reload that names other files is refused and needs a restart.
    pub landlock: bool,
    /// Whether the server refuses to start if the kernel lacks seccomp or Landlock and the configuration does
    /// not disable it. Otherwise it logs a warning.
    pub require: bool,
    /// Further files and folders that a reload may read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readable: Vec<PathBuf>,
    /// Further folders that a reload may write to.
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
