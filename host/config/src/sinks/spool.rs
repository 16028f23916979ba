//! The spool of a sink: lines that wait on disk.

use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tuffet_request::units::{ByteCount, MIB, plain};

use super::super::address::path_schema;
use super::super::resolver::Resolver;
use super::file::Fsync;

/// Makes lines wait on disk.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct WrittenSpool {
    /// The number of bytes that may wait. The disk needs an eighth more.
    #[serde(with = "plain")]
    #[schemars(with = "ByteCount", extend("x-minimum" = "4KiB", "x-maximum" = "1TiB"))]
    pub bytes: u64,
    /// The folder. Default: `sinks/NAME.spool` in `state`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub path: Option<PathBuf>,
    /// When accepted lines are synced to disk: `each` syncs before the plugin learns that its line was accepted, a time
    /// is the longest delay, `never` leaves it to the kernel. A crash of the server never loses lines; a crash of the
    /// machine loses the lines that are not on disk.
    pub fsync: Fsync,
}

/// A spool: lines queued on disk.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SpoolSpec {
    /// The folder, unique to this sink.
    pub path: PathBuf,
    /// The largest size in bytes.
    pub bytes: u64,
    /// When to sync accepted lines.
    pub fsync: Fsync,
}

impl Default for WrittenSpool {
    fn default() -> Self {
        Self { bytes: 256 * MIB, path: None, fsync: Fsync::Every(Duration::from_secs(1)) }
    }
}

impl Resolver<'_> {
    pub(super) fn spool(&self, written: &WrittenSpool, sink: &str, state: &Path) -> SpoolSpec {
        SpoolSpec {
            path: match &written.path {
                Some(path) => self.absolute(path),
                None => state.join("sinks").join(format!("{sink}.spool")),
            },
            bytes: written.bytes,
            fsync: written.fsync,
        }
    }
}
