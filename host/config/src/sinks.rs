//! The configured sinks.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::secret::Secret;
use crate::telemetry::OtlpProtocol;

/// The specification of a sink.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SinkSpec {
    /// Its name for plugins and logs; unique.
    pub name: String,
    /// The destination of its lines.
    pub target: SinkTarget,
    /// The size of the queue in lines, at least 1. Not used with a spool.
    pub queue: usize,
    /// The spool; `None` queues the lines in memory.
    pub spool: Option<SpoolSpec>,
}

/// The destination of the lines of a sink.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SinkTarget {
    /// Appends to a file, one write per line.
    File(FileTarget),
    /// Writes to standard output, one write per line.
    Stdout,
    /// Sends to an address, one datagram per line.
    Udp(SocketAddr),
    /// Sends to an HTTP server, in batches.
    Http(HttpTarget),
    /// Sends to a subject of a NATS server, one message per line.
    Nats(NatsTarget),
    /// Sends to an OpenTelemetry collector, one log record per line.
    Otlp(OtlpTarget),
}

impl SinkTarget {
    /// Returns the word for its kind, as in the configuration.
    pub fn kind(&self) -> &'static str {
        match self {
            SinkTarget::File(_) => "file",
            SinkTarget::Stdout => "stdout",
            SinkTarget::Udp(_) => "udp",
            SinkTarget::Http(_) => "http",
            SinkTarget::Nats(_) => "nats",
            SinkTarget::Otlp(_) => "otlp",
        }
    }
}

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

/// When to rotate a file. At least one of `size` and `every`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Rotate {
    /// The largest file in bytes; a longer line has a file of its own.
    pub size: Option<u64>,
    /// The longest time that a file covers, counted from 1970 in UTC, at least a second.
    pub every: Option<Duration>,
    /// The number of rotated files kept; `None` keeps all.
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

/// An HTTP server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HttpTarget {
    /// `http` or `https`, without user and password. Checked.
    pub url: String,
    /// Names and values. Checked.
    pub headers: Vec<(String, Secret)>,
    /// The limits of one request.
    pub batch: Batch,
    /// The time limit of one request.
    pub timeout: Duration,
    /// The format of a body.
    pub format: Format,
}

/// The format of the body of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// A line feed after each line.
    Ndjson,
    /// One JSON array.
    JsonArray,
}

/// The limits of one delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Batch {
    /// Lines, at least 1.
    pub lines: usize,
    /// Bytes of lines; a single line may have more.
    pub bytes: usize,
    /// How long a line waits for more.
    pub wait: Duration,
}

/// An OpenTelemetry collector.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OtlpTarget {
    /// `http` or `https`, without user and password, and without the path of a signal. Checked.
    pub endpoint: String,
    /// The encoding.
    pub protocol: OtlpProtocol,
    /// Names and values. Checked.
    pub headers: Vec<(String, Secret)>,
    /// The limits of one request.
    pub batch: Batch,
    /// The time limit of one request.
    pub timeout: Duration,
    /// Resource attributes in addition to those of every process; later ones win.
    pub resource: Vec<(String, String)>,
}

/// NATS servers of one cluster.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NatsTarget {
    /// `nats` or `tls`, without user and password; at least one. Checked.
    pub urls: Vec<String>,
    /// The subject of each message. Checked.
    pub subject: String,
    /// The login.
    pub login: NatsLogin,
    /// The time limit for connecting, and for the acknowledgement of a batch.
    pub timeout: Duration,
}

/// The login at a NATS server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum NatsLogin {
    /// No login.
    None,
    /// A token.
    Token(Secret),
    /// A user.
    User {
        /// The name.
        name: Secret,
        /// The password.
        password: Secret,
    },
    /// The content of a credentials file: a JWT and the seed of its key.
    Credentials(Secret),
}
