//! A configured root.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::UploadRules;
#[cfg(feature = "schema")]
use crate::units::ByteCount;
use crate::units::{GIB, plain};

/// The specification of a root. The fields from `path` on are no keys of a configuration, which has others that they follow
/// from.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct RootSpec {
    /// The root's name in plugins and logs.
    #[cfg_attr(
        feature = "schema",
        schemars(extend("format" = "root-name", "pattern" = "^[A-Za-z0-9_.\\[\\]-]{1,64}$"))
    )]
    pub name: String,
    /// Whether clients may upload into it.
    #[serde(default)]
    pub writable: bool,
    /// Whether an upload may replace an existing file that the server's user can write. The file keeps its owner,
    /// group, permissions, access control lists and attributes as far as the system lets the server; otherwise it
    /// gets fewer permissions, never more. Needs `writable`.
    #[serde(default)]
    pub overwrite: bool,
    /// Whether only plugins with the grant `files/NAME` can read it: clients get nothing from it under any name, and no
    /// plugin may answer with its files. For leases, inventories, templates.
    #[serde(default)]
    pub private: bool,
    /// Whether requested names must have the same case as stored ones. `insensitive`: each part of a path is the name
    /// as spelled if it exists, else the only name that differs just in case. Several such names are `file not found`.
    /// Policy judges the stored name, so its rules hold for every spelling, also of new files.
    #[serde(default)]
    pub case: Case,
    /// Whether the server reads only files that others may read (`o+r` in their permissions), and lets uploads replace
    /// only files that others may write (`o+w`), as in.tftpd does without `-p` and dnsmasq as root. Everything else is
    /// refused with ERROR 2. The rule holds for plugins, too.
    #[serde(default)]
    pub world_readable: bool,
    /// Whether the server follows a replaced folder while it runs, within some seconds and without a reload: a folder
    /// renamed to its path, or a file system mounted over it. Otherwise it keeps serving the folder that it opened, and
    /// warns. The sandbox rules then allow the folder around it, too.
    #[serde(default)]
    pub follow: bool,
    /// The largest upload, in bytes. Needs `writable`.
    #[serde(default = "max_upload", with = "plain")]
    #[cfg_attr(feature = "schema", schemars(with = "ByteCount"))]
    pub max_upload: u64,
    /// How uploads are written. Needs `writable`.
    #[serde(default)]
    pub write: UploadRules,
    /// The served folder; for a root with an origin, the folder of the cache.
    #[serde(skip)]
    pub path: PathBuf,
    /// The URL of the origin as logged, for a root with an origin.
    #[serde(skip)]
    pub elsewhere: Option<Arc<str>>,
    /// Absolute prefixes, without their leading slash, under which clients may also name its files.
    #[serde(skip)]
    pub also_at: Vec<String>,
    /// The folders outside of it that symbolic links in it may lead to. Read only.
    #[serde(skip)]
    pub link_folders: Vec<LinkFolder>,
    /// The server's own folder for uploads that are written into an existing file ([`UploadRules::in_place`]); `None`: such
    /// uploads are refused.
    #[serde(skip)]
    pub staging: Option<PathBuf>,
}

fn max_upload() -> u64 {
    GIB
}

impl RootSpec {
    /// Returns a root that clients may only read.
    pub fn read_only(name: &str, path: impl Into<PathBuf>) -> RootSpec {
        RootSpec {
            name: name.into(),
            writable: false,
            overwrite: false,
            private: false,
            case: Case::default(),
            world_readable: false,
            follow: false,
            max_upload: max_upload(),
            write: UploadRules::default(),
            path: path.into(),
            elsewhere: None,
            also_at: Vec::new(),
            link_folders: Vec::new(),
            staging: None,
        }
    }
}

/// A folder outside of a root that symbolic links in it may lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkFolder {
    /// The folder.
    pub path: PathBuf,
    /// Whether its disk answers. If not, the folder is opened later.
    pub answers: bool,
}

/// Why the folder of a root is not open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unopened {
    /// It does not exist.
    Missing,
    /// Its disk does not answer.
    Unresponsive,
}

/// Whether the letters of names must agree in case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Case {
    /// They must.
    #[default]
    Sensitive,
    /// They need not.
    Insensitive,
}
