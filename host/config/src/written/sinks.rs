//! The section `sinks` as written.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::super::units::{ByteCount, TimeSpan};
use super::{Otlp, address_schema, path_schema};

/// A named output for plugins: one of `file`, `stdout`, `udp`, `http`, `nats` and `otlp`.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Sink {
    /// A file, relative to this one. Each line is appended by one write. If the file is renamed, the server
    /// starts a new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub file: Option<PathBuf>,
    /// When to rotate the file: rename it to its name, a dot and the time. Needs `file`. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotate: Option<Rotate>,
    /// When written lines are synced to disk: `never` leaves it to the kernel, `each` syncs before a line
    /// counts as delivered, a time such as `1s` is the longest delay. Needs `file`. Default: `never`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fsync: Option<FsyncPolicy>,
    /// Whether lines go to standard output. The log is on standard error.
    #[serde(default)]
    pub stdout: bool,
    /// IP address and port that receive one datagram per line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "address_schema")]
    pub udp: Option<String>,
    /// An HTTP server that receives lines by POST.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<Http>,
    /// A NATS server that receives a message for each line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nats: Option<Nats>,
    /// An OpenTelemetry collector that receives a log record for each line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otlp: Option<Otlp>,
    /// The number of lines that may wait in memory while the sink is slow or broken, including those being
    /// delivered; beyond it the plugin gets `full`. Not used with a `spool`.
    #[serde(default = "crate::written::defaults::sink_queue")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub queue: usize,
    /// Makes lines wait on disk instead of in memory: they outlive the process, and are delivered in order,
    /// each at least once. If the spool is full, the plugin gets `full`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spool: Option<Spool>,
}

/// When to rotate a file: `size`, `every` or both.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Rotate {
    /// Rotate before the file would exceed this size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-minimum" = "1KiB", "x-maximum" = "1TiB"))]
    pub size: Option<ByteCount>,
    /// Rotate with the first line of each period of this length, counted in UTC: `1d` is at midnight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-minimum" = "1s", "x-maximum" = "366d"))]
    pub every: Option<TimeSpan>,
    /// The number of rotated files to keep; the oldest are removed. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 100_000))]
    pub keep: Option<usize>,
}

/// An HTTP server that receives lines by POST. The sink retries with growing pauses if the server cannot be
/// reached, is overloaded (429) or fails (5xx), and if it does not accept the credentials or the URL (401,
/// 403, 404). With any other 4xx the server rejects the lines: they are dropped and counted.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Http {
    /// `http://HOST:PORT/PATH`, or `https://` with the system's certificates. Redirects are not followed.
    pub url: String,
    /// Headers of each request. `${NAME}` in a value is an environment variable; `{ file: PATH }` is the
    /// content of a file. Secrets are accepted in no other form.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, SecretText>,
    /// The size of one request.
    #[serde(default)]
    pub batch: Batch,
    /// The time limit of one request.
    #[serde(default = "crate::written::defaults::sink_timeout")]
    #[schemars(extend("x-minimum" = "10ms", "x-maximum" = "5m"))]
    pub timeout: TimeSpan,
    /// `ndjson`: one line of JSON after another, each with a line feed. `json-array`: one array.
    #[serde(default)]
    pub format: HttpFormat,
}

/// The size of one request. It is sent when it has this many lines or bytes, or when its first line has
/// waited long enough.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Batch {
    /// The largest number of lines.
    #[schemars(range(min = 1, max = 10_000))]
    pub lines: usize,
    /// The largest size in bytes; a single line may exceed it.
    #[schemars(extend("x-minimum" = "1KiB", "x-maximum" = "16MiB"))]
    pub bytes: ByteCount,
    /// How long a line waits for others.
    #[schemars(extend("x-minimum" = "0s", "x-maximum" = "1m"))]
    pub wait: TimeSpan,
}

/// The form of a request's body.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HttpFormat {
    #[default]
    Ndjson,
    JsonArray,
}

/// A NATS server that receives a message for each line. A line counts as delivered when the server has
/// confirmed it.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Nats {
    /// `nats://HOST:PORT`, or `tls://` for TLS with the system's certificates; a list for the servers of a
    /// cluster.
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
    /// A credentials file, as `nsc` writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub credentials: Option<PathBuf>,
    /// The time limit for connecting, and for confirming a batch.
    #[serde(default = "crate::written::defaults::sink_timeout")]
    #[schemars(extend("x-minimum" = "10ms", "x-maximum" = "5m"))]
    pub timeout: TimeSpan,
}

/// Makes lines wait on disk.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Spool {
    /// The number of bytes that may wait. The disk needs an eighth more.
    #[schemars(extend("x-minimum" = "4KiB", "x-maximum" = "1TiB"))]
    pub bytes: ByteCount,
    /// The folder. Default: `sinks/NAME.spool` in `state`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub path: Option<PathBuf>,
    /// When accepted lines are synced to disk: `each` syncs before the plugin learns that its line was
    /// accepted, a time is the longest delay, `never` leaves it to the kernel. A crash of the server loses
    /// nothing in any case; a crash of the machine loses what is not on disk.
    pub fsync: FsyncPolicy,
}

/// `never`, `each`, or a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(crate) enum FsyncPolicy {
    Never,
    Each,
    Within(TimeSpan),
}

/// Text that may be a secret: inline, or in a file.
#[derive(Clone, Deserialize, Serialize)]
#[serde(untagged)]
pub(crate) enum SecretText {
    Plain(String),
    File { file: PathBuf },
}

/// A text, or a list of texts.
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
        file.insert("description".into(), "The file that holds it; a trailing line feed is removed.".into());
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
