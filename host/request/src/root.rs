//! A configured root.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// The specification of a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootSpec {
    /// Its name for policy and logs; unique.
    pub name: String,
    /// The served folder; for a root with an origin, the folder of the cache.
    pub path: PathBuf,
    /// The URL of the origin as logged, for a root with an origin.
    pub elsewhere: Option<Arc<str>>,
    /// Absolute prefixes, without their leading slash, under which clients may also name its files.
    pub also_at: Vec<String>,
    /// Whether uploads are accepted.
    pub writable: bool,
    /// Whether an upload may replace an existing file.
    pub overwrite: bool,
    /// Whether an upload may create a file.
    pub create: bool,
    /// Whether only plugins may read it.
    pub private: bool,
    /// Whether reading a file requires the read permission for others, and replacing it the write permission for
    /// others.
    pub world_readable: bool,
    /// The largest upload, in bytes.
    pub max_upload: u64,
    /// The treatment of a symbolic link under the name of an upload that may overwrite.
    pub links: Links,
    /// The permissions of new files, 0 to 0o777, regardless of the umask; `None`: 0o644 without the bits that
    /// the umask, or the folder's default access control list, clears.
    pub mode: Option<u32>,
    /// The bits that new files lack: they get 0o666 without these, or without those that the folder's default access
    /// control list clears. `mode` has precedence.
    pub umask: Option<u32>,
    /// The server's own folder for uploads that are written into an existing file, because the server's user may write
    /// that file and not its folder; `None`: such uploads are refused.
    pub in_place: Option<PathBuf>,
    /// Whether to serve a folder that replaces it, without a reload.
    pub follow: bool,
    /// Whether requested names must match stored ones in case.
    pub case: Case,
    /// The folders outside of it that symbolic links in it may lead to. Read only.
    pub link_folders: Vec<LinkFolder>,
    /// The earlier versions to keep of a file that uploads replace; `None`: they are not kept.
    pub versions: Option<Versions>,
    /// The folders that uploads may make; `None`: none.
    pub folders: Option<NewFolders>,
    /// What the root may contain.
    pub quota: Quota,
}

/// A folder outside of a root that symbolic links in it may lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkFolder {
    /// The folder.
    pub path: PathBuf,
    /// Whether its disk answers. If not, the folder is opened later.
    pub answers: bool,
}

/// Earlier versions of the files that uploads replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Versions {
    /// The number of earlier versions to keep of each file. The oldest are removed once a new file is on disk.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 10_000)))]
    pub keep: u32,
    /// The names of versions: `number` for `NAME.~7~`, `time` for `NAME.~20261127T001500Z.7~`, with the time of the last
    /// modification in UTC before the number. After a change, earlier names stay, and count among those to keep.
    #[serde(default)]
    pub names: VersionNames,
}

/// The names of earlier versions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum VersionNames {
    /// `NAME.~7~`.
    #[default]
    Number,
    /// `NAME.~20261127T001500Z.7~`: the time of the last modification in UTC, and the number.
    Time,
}

/// The folders that uploads may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct NewFolders {
    /// The number of folders that the path of an upload may have if one of them is missing.
    // As deep as the server looks for files.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 32)))]
    pub depth: u32,
    /// The number of folders that the root may have, regardless of who made them. An upload that needs one more is refused
    /// with ERROR 3.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1_000_000)))]
    pub count: u64,
}

impl Default for NewFolders {
    fn default() -> NewFolders {
        NewFolders { depth: 4, count: 1000 }
    }
}

/// What a root may contain, and each folder at its top, with earlier versions and running uploads. `None`: unlimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quota {
    /// The sum of the sizes of its files, in bytes.
    pub bytes: Option<u64>,
    /// The number of its files.
    pub files: Option<u64>,
    /// The sum of the sizes of the files in each folder at its top and below that. The files beside these folders count as
    /// one folder.
    pub folder_bytes: Option<u64>,
    /// Likewise, the number of files.
    pub folder_files: Option<u64>,
}

impl Quota {
    /// Whether it limits anything.
    pub fn is_set(&self) -> bool {
        self.bytes.is_some() || self.files.is_some() || self.is_per_folder()
    }

    /// Whether it limits each folder at the top.
    pub fn is_per_folder(&self) -> bool {
        self.folder_bytes.is_some() || self.folder_files.is_some()
    }
}

impl RootSpec {
    /// Returns a root that clients may only read.
    pub fn read_only(name: &str, path: impl Into<PathBuf>) -> RootSpec {
        let (name, path) = (name.into(), path.into());
        let (links, mode) = (Links::default(), None);
        RootSpec {
            name,
            path,
            elsewhere: None,
            also_at: Vec::new(),
            writable: false,
            overwrite: false,
            create: true,
            private: false,
            world_readable: false,
            max_upload: 0,
            links,
            mode,
            umask: None,
            in_place: None,
            follow: false,
            case: Case::default(),
            link_folders: Vec::new(),
            versions: None,
            folders: None,
            quota: Quota::default(),
        }
    }
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

/// The treatment of a symbolic link under the name of an upload, if the root overwrites.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Links {
    /// The upload is refused.
    #[default]
    Refuse,
    /// The new file replaces the link. The link's target stays as it is.
    Replace,
    /// The upload replaces the link's target, in the same root. The link stays.
    Follow,
}
