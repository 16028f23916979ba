//! The sink of kind `file`: its rotation, and when it is synced.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use tuffet_request::units::{ByteCount, TimeSpan, plain};

use super::super::resolver::Resolver;

/// A file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileTarget {
    /// The path.
    pub path: PathBuf,
    /// When to rotate it; `None` is never.
    pub rotate: Option<Rotate>,
    /// When to sync it.
    pub fsync: Fsync,
}

/// When to rotate a file: `size`, `every` or both.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Rotate {
    /// Rotate before the file would exceed this size.
    #[serde(default, with = "plain", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ByteCount>", extend("x-minimum" = "1KiB", "x-maximum" = "1TiB"))]
    pub size: Option<u64>,
    /// Rotate with the first line of each period of this length, counted in UTC: `1d` is at midnight.
    #[serde(default, with = "plain", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<TimeSpan>", extend("x-minimum" = "1s", "x-maximum" = "366d"))]
    pub every: Option<Duration>,
    /// The number of rotated files to keep; the oldest are removed. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 100_000))]
    pub keep: Option<usize>,
}

/// When to sync written lines to disk (fsync).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fsync {
    /// The kernel decides.
    Never,
    /// Each write, before it counts as written.
    Each,
    /// At the latest this long after the write.
    Every(Duration),
}

impl FromStr for Fsync {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "never" => Ok(Fsync::Never),
            "each" => Ok(Fsync::Each),
            time => time
                .parse()
                .map(|TimeSpan(time)| Fsync::Every(time))
                .map_err(|_| "`never`, `each`, or a time with its unit, such as 1s".into()),
        }
    }
}

impl fmt::Display for Fsync {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fsync::Never => f.write_str("never"),
            Fsync::Each => f.write_str("each"),
            Fsync::Every(time) => TimeSpan(*time).fmt(f),
        }
    }
}

impl<'de> Deserialize<'de> for Fsync {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|expected| de::Error::custom(format!("expected {expected}")))
    }
}

impl Serialize for Fsync {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Fsync {
    fn schema_name() -> Cow<'static, str> {
        "Fsync".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "format": "fsync",
            "pattern": "^(never|each|\\s*0\\s*|\\s*[0-9].*[A-Za-z]\\s*)$",
            "x-minimum": "1ms",
            "x-maximum": "1h",
        })
    }
}

impl Resolver<'_> {
    /// Checks the folder; the file itself is created when the server starts.
    pub(crate) fn sink_file(
        &mut self,
        pointer: &str,
        file: &Path,
        rotate: Option<Rotate>,
        fsync: Option<Fsync>,
    ) -> FileTarget {
        let path = self.absolute(file);
        let complaint = if path.is_dir() {
            Some(format!("{} is a folder; name a file in it", path.display()))
        } else {
            path.parent().filter(|folder| !folder.is_dir()).map(|folder| {
                format!("there is no folder {}; create it or correct the path", folder.display())
            })
        };
        if let Some(complaint) = complaint {
            self.wrong(pointer, complaint);
        }
        FileTarget { path, rotate, fsync: fsync.unwrap_or(Fsync::Never) }
    }
}
