//! The section `roots[].write` as it is written.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use tuffet_request::Links;

/// How uploads are written.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Write {
    /// Permissions of new files, as an octal number in quotes such as `"0640"`, regardless of the umask. Default:
    /// 0644, reduced by the umask or by the default access control list of the folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "FileMode")]
    pub mode: Option<FileMode>,
    /// What to do if the name of an upload is a symbolic link: `refuse` refuses the upload, `replace` replaces the
    /// link by the new file, `follow` replaces the file that the link leads to, if it lies below the same root.
    /// Needs `overwrite`; without it, a link counts as an existing file.
    pub links: Links,
}

/// Permissions of a file, 0 to 0o777, as people write them: `0640`.
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
