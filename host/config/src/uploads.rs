//! `roots[].write`: how uploads are written, and which earlier ones are kept.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use tuffet_request::units::{ByteCount, plain};
use tuffet_request::{Links, NewFolders, Quota, Versions};

use super::resolver::Resolver;

/// How uploads are written.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct WrittenUploads {
    /// Permissions of new files, as an octal number in quotes such as `"0640"`, regardless of the umask. Default:
    /// 0644, reduced by the umask or by the default access control list of the folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "FileMode")]
    pub mode: Option<FileMode>,
    /// Permissions that new files lack, as an octal number in quotes such as `"022"`: they get 0666 without these,
    /// whatever the umask of the process is. As for every umask, a default access control list of the folder counts in its
    /// place. Cannot be combined with `mode`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "FileMode")]
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folders: Option<WrittenFolders>,
    /// What the root may contain, with earlier versions and running uploads. An upload that would exceed it is refused, or
    /// ends, with ERROR 3. The server counts the files when it starts; until it has, it drops uploads, so that clients ask
    /// again. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quota: Option<WrittenQuota>,
}

impl Default for WrittenUploads {
    fn default() -> WrittenUploads {
        WrittenUploads {
            mode: None,
            umask: None,
            create: true,
            links: Links::default(),
            versions: None,
            in_place: false,
            folders: None,
            quota: None,
        }
    }
}

impl WrittenUploads {
    /// Returns the permissions of new files, if `mode` sets them.
    pub(crate) fn mode_of_new(&self) -> Option<u32> {
        self.mode.map(|mode| mode.0)
    }

    /// Returns the permissions that new files lack, if `umask` sets them.
    pub(crate) fn umask_of_new(&self) -> Option<u32> {
        self.umask.map(|umask| umask.0)
    }
}

/// Permissions of a file, 0 to 0o777, in the usual notation: `0640`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileMode(pub u32);

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

impl JsonSchema for FileMode {
    fn schema_name() -> Cow<'static, str> {
        "FileMode".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "file-mode", "pattern": "^0?[0-7]{3}$" })
    }
}

/// The folders that uploads may make: `true`, or their limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WrittenFolders(pub Option<NewFolders>);

impl<'de> Deserialize<'de> for WrittenFolders {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Flag(bool),
            Limits(NewFolders),
        }
        Ok(WrittenFolders(match Either::deserialize(deserializer)? {
            Either::Flag(flag) => flag.then(NewFolders::default),
            Either::Limits(limits) => Some(limits),
        }))
    }
}

impl Serialize for WrittenFolders {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            None => serializer.serialize_bool(false),
            Some(limits) => limits.serialize(serializer),
        }
    }
}

impl JsonSchema for WrittenFolders {
    fn schema_name() -> Cow<'static, str> {
        "Folders".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
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
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct WrittenQuota {
    /// The sum of the sizes of all files. Default: unlimited.
    #[serde(with = "plain", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ByteCount>")]
    pub bytes: Option<u64>,
    /// The number of files. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64", range(min = 1, max = 1_000_000_000))]
    pub files: Option<u64>,
    /// What each folder at the top of the root may contain, with all folders below it. The files beside these folders count
    /// as one folder. Where policy gives each client a folder, this is the quota of a client. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_folder: Option<WrittenFolderQuota>,
}

/// What each folder at the top of the root may contain, with all folders below it. The files beside these folders count as
/// one folder. Where policy gives each client a folder, this is the quota of a client. Default: unlimited.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct WrittenFolderQuota {
    /// The sum of the sizes of its files. Default: unlimited.
    #[serde(with = "plain", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ByteCount>")]
    pub bytes: Option<u64>,
    /// The number of its files. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64", range(min = 1, max = 1_000_000_000))]
    pub files: Option<u64>,
}

impl WrittenUploads {
    /// What the root may contain.
    pub(crate) fn quota_of_root(&self) -> Quota {
        let WrittenQuota { bytes, files, per_folder } = self.quota.unwrap_or_default();
        let of_folder = per_folder.unwrap_or_default();
        Quota { bytes, files, folder_bytes: of_folder.bytes, folder_files: of_folder.files }
    }
}

impl Resolver<'_> {
    /// Refuses keys that have no effect beside others. `pointer` is the root's.
    pub(crate) fn uploads_as_backups(&mut self, pointer: &str, overwrite: bool, write: &WrittenUploads) {
        if write.versions.is_some() && !overwrite {
            let message = "`versions` has no effect while the root has `overwrite: false`, because no upload replaces a \
                           file; set `overwrite: true`, or remove it";
            self.wrong_key(format!("{pointer}/write/versions"), message);
        }
        if write.in_place && !overwrite {
            let message = "`in-place` has no effect while the root has `overwrite: false`, because no upload replaces a \
                           file; set `overwrite: true`, or remove it";
            self.wrong_key(format!("{pointer}/write/in-place"), message);
        }
        if write.folders.is_some_and(|folders| folders.0.is_some()) && !write.create {
            let message = "`folders` has no effect beside `create: false`, because a new folder has no file to replace; \
                           remove one of the two";
            self.wrong_key(format!("{pointer}/write/folders"), message);
        }
        let quota = write.quota_of_root();
        if write.quota.is_some() && !quota.is_set() {
            let message = "the quota limits nothing; add `bytes`, `files` or `per-folder` with one of these, or remove it";
            self.wrong_key(format!("{pointer}/write/quota"), message);
        }
        for (key, whole, of_folder) in
            [("bytes", quota.bytes, quota.folder_bytes), ("files", quota.files, quota.folder_files)]
        {
            if let (Some(whole), Some(of_folder)) = (whole, of_folder)
                && of_folder >= whole
            {
                let message = format!(
                    "the quota of each folder has no effect, because the root may not contain more than {whole} {key}; \
                     lower it, or remove it"
                );
                self.wrong_key(format!("{pointer}/write/quota/per-folder/{key}"), message);
            }
        }
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
