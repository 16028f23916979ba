//! The section `sinks`, as it is written.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::super::units::{ByteCount, TimeSpan};
use super::{Otlp, address_schema, path_schema};

/// An output that plugins may fill: one of `file`, `stdout`, `udp`, `http`, `nats` and `otlp`.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Sink {
    /// A file, relative to this one, to whose end each line goes by one write. When it is renamed, a new
    /// one is begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub file: Option<PathBuf>,
    /// When the file is put away: renamed to its name, a dot and the time. Without it, never. Needs `file`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotate: Option<Rotate>,
    /// When what was written to the file is on the disk: `never` leaves it to the kernel, `each` syncs before
    /// a line counts as delivered, a time such as `1s` is how long it may take. Without it, `never`. Needs
    /// `file`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fsync: Option<FsyncPolicy>,
    /// Whether lines go to standard output. The log is on standard error.
    #[serde(default)]
    pub stdout: bool,
    /// IP address and port that get a datagram for each line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "address_schema")]
    pub udp: Option<String>,
    /// An HTTP server that lines are posted to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<Http>,
    /// A NATS server that gets a message for each line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nats: Option<Nats>,
    /// An OpenTelemetry collector that gets a log record for each line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otlp: Option<Otlp>,
    /// Lines that may wait in memory while the sink is slow or broken; then the plugin hears that it is
    /// full. Lines under way count. Without a `spool`.
    #[serde(default = "crate::written::defaults::sink_queue")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub queue: usize,
    /// Lets lines wait on disk instead of in memory: they outlive the process, and are delivered in their
    /// order, each at least once. When it is full the plugin hears so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spool: Option<Spool>,
}

/// When a file is put away. `size`, `every` or both.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Rotate {
    /// Before it would have more than this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-minimum" = "1KiB", "x-maximum" = "1TiB"))]
    pub size: Option<ByteCount>,
    /// With the first line of another period of this length, counted in UTC: `1d` is at midnight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-minimum" = "1s", "x-maximum" = "366d"))]
    pub every: Option<TimeSpan>,
    /// How many files that were put away are kept; the oldest are removed. Without it, all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 100_000))]
    pub keep: Option<usize>,
}

/// An HTTP server that lines are posted to. It is tried again, after longer and longer pauses, when it cannot
/// be reached, is overloaded (429) or fails (5xx), and when it does not know us or the URL (401, 403, 404).
/// Any other 4xx refuses the lines: they are dropped and counted.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Http {
    /// `http://HOST:PORT/PATH`, or `https://`, with the certificates of the system. Redirections are not
    /// followed.
    pub url: String,
    /// Headers of each request. `${NAME}` in a value is an environment variable; `{ file: PATH }` is the
    /// content of a file. What is secret stands here in no other way.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, SecretText>,
    /// What one request holds.
    #[serde(default)]
    pub batch: Batch,
    /// How long one request may take.
    #[serde(default = "crate::written::defaults::sink_timeout")]
    #[schemars(extend("x-minimum" = "10ms", "x-maximum" = "5m"))]
    pub timeout: TimeSpan,
    /// `ndjson`: each line with a line feed behind it. `json-array`: one array.
    #[serde(default)]
    pub format: HttpFormat,
}

/// What one request holds. It goes out when it has so many lines or bytes, or when its first line has waited
/// long enough.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Batch {
    /// Lines at most.
    #[schemars(range(min = 1, max = 10_000))]
    pub lines: usize,
    /// Bytes at most; a single line may have more.
    #[schemars(extend("x-minimum" = "1KiB", "x-maximum" = "16MiB"))]
    pub bytes: ByteCount,
    /// How long a line waits for others.
    #[schemars(extend("x-minimum" = "0s", "x-maximum" = "1m"))]
    pub wait: TimeSpan,
}

/// How lines become a body.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HttpFormat {
    #[default]
    Ndjson,
    JsonArray,
}

/// A NATS server that gets a message for each line. The server has confirmed what counts as delivered.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Nats {
    /// `nats://HOST:PORT`, or `tls://` for TLS with the certificates of the system; a list for the servers
    /// of a cluster.
    pub url: OneOrMore,
    /// The subject of each message.
    pub subject: String,
    /// A token: `${NAME}` for an environment variable, or `{ file: PATH }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<SecretText>,
    /// A user, with `password`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<SecretText>,
    /// The user's password: `${NAME}` for an environment variable, or `{ file: PATH }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<SecretText>,
    /// A credentials file, as `nsc` writes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub credentials: Option<PathBuf>,
    /// How long it may take to connect, and to confirm a batch.
    #[serde(default = "crate::written::defaults::sink_timeout")]
    #[schemars(extend("x-minimum" = "10ms", "x-maximum" = "5m"))]
    pub timeout: TimeSpan,
}

/// Lets lines wait on disk.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Spool {
    /// Bytes that may wait. The disk needs an eighth more.
    #[schemars(extend("x-minimum" = "4KiB", "x-maximum" = "1TiB"))]
    pub bytes: ByteCount,
    /// The folder. Without it, `sinks/NAME.spool` in `state`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub path: Option<PathBuf>,
    /// When a line that was taken is on the disk: `each` syncs before the plugin hears that it was taken, a
    /// time is how long it may take, `never` leaves it to the kernel. A crash of the server loses nothing
    /// either way; one of the machine loses what is not on the disk.
    pub fsync: FsyncPolicy,
}

/// `never`, `each`, or a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(crate) enum FsyncPolicy {
    Never,
    Each,
    Within(TimeSpan),
}

/// Text that may be a secret: as it is, or in a file.
#[derive(Clone, Deserialize, Serialize)]
#[serde(untagged)]
pub(crate) enum SecretText {
    Plain(String),
    File { file: PathBuf },
}

/// One text, or a list.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged)]
pub(crate) enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl FromStr for FsyncPolicy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "never" => Ok(FsyncPolicy::Never),
            "each" => Ok(FsyncPolicy::Each),
            time => time
                .parse()
                .map(FsyncPolicy::Within)
                .map_err(|_| "`never`, `each`, or a time with its unit, such as 1s".into()),
        }
    }
}

impl fmt::Display for FsyncPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FsyncPolicy::Never => f.write_str("never"),
            FsyncPolicy::Each => f.write_str("each"),
            FsyncPolicy::Within(time) => time.fmt(f),
        }
    }
}

impl<'de> Deserialize<'de> for FsyncPolicy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|expected| de::Error::custom(format!("expected {expected}")))
    }
}

impl Serialize for FsyncPolicy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for FsyncPolicy {
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
            "pattern": "^(never|each|[0-9].*[a-z])$",
            "x-minimum": "1ms",
            "x-maximum": "1h",
        })
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SecretText::Plain(_) => f.write_str("(hidden)"),
            SecretText::File { file } => f.debug_struct("File").field("file", file).finish(),
        }
    }
}

impl JsonSchema for SecretText {
    fn schema_name() -> Cow<'static, str> {
        "SecretText".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut file = path_schema(generator);
        file.insert(
            "description".into(),
            "The file that holds it; a line feed at its end is left out.".into(),
        );
        json_schema!({
            "type": ["string", "object"],
            "format": "secret",
            "properties": { "file": file },
            "required": ["file"],
            "additionalProperties": false,
        })
    }
}

impl JsonSchema for OneOrMore {
    fn schema_name() -> Cow<'static, str> {
        "OneOrMore".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "array"], "items": { "type": "string" }, "minItems": 1, "uniqueItems": true })
    }
}
