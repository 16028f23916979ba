//! The section `privileges`. None of it can change while the server runs.

use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::resolver::Resolver;

/// The user and the restrictions that the server runs with after its start. The defaults are the minimum for serving.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Privileges {
    /// The user to become when root starts the server: a name, or a number. `root` stays root, without its
    /// capabilities. Started by another user, the server stays that user. Default: `tuffet` if that user
    /// exists, else `nobody`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "who_schema")]
    pub user: Option<UserOrGroup>,
    /// The group to become. Default: the user's group, and its supplementary groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "who_schema")]
    pub group: Option<UserOrGroup>,
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

/// A user or a group.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum UserOrGroup {
    /// By its number, which needs no entry in the user database.
    Number(u32),
    /// By its name.
    Name(String),
}

impl UserOrGroup {
    /// Parses text: digits are a number.
    pub fn of(text: &str) -> UserOrGroup {
        text.parse().map_or_else(|_| UserOrGroup::Name(text.to_owned()), UserOrGroup::Number)
    }
}

/// The treatment of system calls that serving does not need.
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

impl Default for Privileges {
    fn default() -> Self {
        Self {
            user: None,
            group: None,
            seccomp: SeccompMode::On,
            landlock: true,
            require: false,
            readable: Vec::new(),
            writable: Vec::new(),
        }
    }
}

impl Privileges {
    /// Whether a server that root starts stays root, as configured.
    pub fn stays_root(&self) -> bool {
        match &self.user {
            Some(UserOrGroup::Name(name)) => name == "root",
            Some(UserOrGroup::Number(number)) => *number == 0,
            None => false,
        }
    }
}

/// The kernel reserves the last id for "unchanged".
fn who_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "integer"], "minLength": 1, "minimum": 0, "maximum": 4_294_967_294_u64 })
}

impl Resolver<'_> {
    pub(crate) fn privileges(&mut self, written: Privileges) -> Privileges {
        let user = written.user.and_then(|user| self.user_or_group("/privileges/user", user));
        let group = written.group.and_then(|group| self.user_or_group("/privileges/group", group));
        if group.is_some() && user.is_none() {
            let message = "`group` needs a `user`; add one, or remove it";
            self.wrong("/privileges/group", message);
        }
        let absolute = |paths: Vec<PathBuf>| paths.iter().map(|path| self.absolute(path)).collect();
        let (readable, writable) = (absolute(written.readable), absolute(written.writable));
        Privileges { user, group, readable, writable, ..written }
    }

    fn user_or_group(&mut self, pointer: &str, who: UserOrGroup) -> Option<UserOrGroup> {
        let who = match who {
            UserOrGroup::Name(name) => UserOrGroup::of(&name),
            number => number,
        };
        match &who {
            UserOrGroup::Name(name) if name.trim().is_empty() => {
                self.wrong(pointer, "the name is empty; give a name or a number");
                None
            }
            UserOrGroup::Number(u32::MAX) => {
                self.wrong(pointer, "4294967295 is not a valid id; give another");
                None
            }
            _ => Some(who),
        }
    }
}
