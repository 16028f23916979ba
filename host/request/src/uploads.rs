//! How uploads are written, which earlier ones are kept, and how much a root may contain.

use std::fmt;
use std::str::FromStr;

#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

#[cfg(feature = "schema")]
use crate::units::ByteCount;
use crate::units::plain;

/// How uploads are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct UploadRules {
    /// Permissions of new files, as an octal number in quotes such as `"0640"`, regardless of the umask. Default:
    /// 0644, reduced by the umask or by the default access control list of the folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "FileMode"))]
    pub mode: Option<FileMode>,
    /// Permissions that new files lack, as an octal number in quotes such as `"022"`: they get 0666 without these,
    /// whatever the umask of the process is. As for every umask, a default access control list of the folder counts in its
    /// place. Cannot be combined with `mode`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "FileMode"))]
    pub umask: Option<FileMode>,
    /// Whether an upload may create a file. If not, it may only replace one, and gets ERROR 1 otherwise. `false` needs
    /// `overwrite`.
    pub create: bool,
    /// How to treat an upload to a symbolic link: `refuse` refuses the upload, `replace` replaces the link by the new
    /// file, `follow` replaces the file that the link leads to, if it lies below the same root. Needs `overwrite`;
    /// without it, a link counts as an existing file.
    pub links: Links,
    /// Keeps the file that an upload replaces as `NAME.~1~`, the next one as `NAME.~2~`, and so on, as GNU cp numbers
    /// backups, or with its time. Clients can read versions, and never write them. Needs `overwrite`. Default: the earlier file is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub versions: Option<Versions>,
    /// Whether an upload is written into the file that is there, where the server's user may write that file and not its
    /// folder. It waits in `state` until it is complete. While it is written, which is the only moment, clients that read
    /// the file get an ERROR, and other programs see a mixture of both contents; after a crash in that moment, the next
    /// start completes it. In folders that the user may write to, uploads become visible at once, as ever. Needs `overwrite`.
    pub in_place: bool,
    /// Whether an upload makes the folders of its path: `true` for `{ depth: 4, count: 1000 }`, or these limits. They are
    /// made when the upload is complete, with the permissions of new files, and for whoever may read also to enter;
    /// default: 0755, reduced by the umask. Default: `false`, the folder must exist.
    #[serde(skip_serializing_if = "Option::is_none", with = "flag_or_limits")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "flag_or_limits::schema"))]
    pub folders: Option<NewFolders>,
    /// What the root may contain, with earlier versions and running uploads. An upload that would exceed it is refused, or
    /// ends, with ERROR 3. The server counts the files when it starts; until it has, it drops uploads, so that clients ask
    /// again. Default: unlimited.
    pub quota: Quota,
}

impl Default for UploadRules {
    fn default() -> UploadRules {
        UploadRules {
            mode: None,
            umask: None,
            create: true,
            links: Links::default(),
            versions: None,
            in_place: false,
            folders: None,
            quota: Quota::default(),
        }
    }
}

/// Permissions of a file, 0 to 0o777, in the usual notation: `0640`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileMode(pub u32);

impl FromStr for FileMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.strip_prefix('0').filter(|rest| rest.len() == 3).unwrap_or(text);
        let octal = digits.len() == 3 && digits.bytes().all(|digit| matches!(digit, b'0'..=b'7'));
        let mode = u32::from_str_radix(digits, 8).ok().filter(|_| octal);
        mode.map(Self).ok_or_else(|| "three octal digits in quotes, such as \"0640\"".into())
    }
}

impl fmt::Display for FileMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04o}", self.0)
    }
}

impl<'de> Deserialize<'de> for FileMode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|expected| de::Error::custom(format!("expected {expected}")))
    }
}

impl Serialize for FileMode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for FileMode {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "FileMode".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "file-mode", "pattern": "^0?[0-7]{3}$" })
    }
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

/// The key `folders`: `true` for the default limits, `false`, or limits.
mod flag_or_limits {
    use super::*;

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<NewFolders>, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Flag(bool),
            Limits(NewFolders),
        }
        Ok(match Either::deserialize(from)? {
            Either::Flag(flag) => flag.then(NewFolders::default),
            Either::Limits(limits) => Some(limits),
        })
    }

    pub(super) fn serialize<S: Serializer>(folders: &Option<NewFolders>, to: S) -> Result<S::Ok, S::Error> {
        match folders {
            None => to.serialize_bool(false),
            Some(limits) => limits.serialize(to),
        }
    }

    #[cfg(feature = "schema")]
    pub(super) fn schema(generator: &mut SchemaGenerator) -> Schema {
        let limits = NewFolders::json_schema(generator);
        json_schema!({
            "type": ["boolean", "object"],
            "properties": limits.get("properties"),
            "additionalProperties": false,
        })
    }
}

/// What the root may contain, with earlier versions and running uploads. An upload that would exceed it is refused, or
/// ends, with ERROR 3. The server counts the files when it starts; until it has, it drops uploads, so that clients ask
/// again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Quota {
    /// The sum of the sizes of all files. Default: unlimited.
    #[serde(with = "plain", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<ByteCount>"))]
    pub bytes: Option<u64>,
    /// The number of files. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u64", range(min = 1, max = 1_000_000_000)))]
    pub files: Option<u64>,
    /// What each folder at the top of the root may contain, with all folders below it. The files beside these folders count
    /// as one folder. Where policy gives each client a folder, this is the quota of a client. Default: unlimited.
    pub per_folder: FolderQuota,
}

/// What each folder at the top of the root may contain, with all folders below it. The files beside these folders count as
/// one folder. Where policy gives each client a folder, this is the quota of a client. Default: unlimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct FolderQuota {
    /// The sum of the sizes of its files. Default: unlimited.
    #[serde(with = "plain", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<ByteCount>"))]
    pub bytes: Option<u64>,
    /// The number of its files. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u64", range(min = 1, max = 1_000_000_000)))]
    pub files: Option<u64>,
}

impl Quota {
    /// Whether it limits anything.
    #[doc(hidden)]
    pub fn is_set(&self) -> bool {
        self.bytes.is_some() || self.files.is_some() || self.is_per_folder()
    }

    /// Whether it limits each folder at the top.
    #[doc(hidden)]
    pub fn is_per_folder(&self) -> bool {
        self.per_folder.bytes.is_some() || self.per_folder.files.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_read_and_shown() {
        for (text, mode) in [("0640", 0o640), ("640", 0o640), ("0000", 0), ("777", 0o777), ("044", 0o044)] {
            assert_eq!(text.parse(), Ok(FileMode(mode)), "{text}");
            assert_eq!(FileMode(mode).to_string().parse(), Ok(FileMode(mode)));
        }
        for text in ["", "0", "64", "0o640", "4755", "04755", "00640", "888", "+44", "rw-r--r--", "6 4"] {
            assert!(text.parse::<FileMode>().is_err(), "{text}");
        }
    }
}
