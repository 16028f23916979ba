//! What a sink is, as the configuration says it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::secret::Secret;
use crate::telemetry::OtlpProtocol;

/// What a sink is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SinkSpec {
    /// Its name for plugins and logs; unique.
    pub name: String,
    /// Where its lines go.
    pub target: SinkTarget,
    /// Lines that may wait in memory, at least 1. Means nothing with a spool.
    pub queue: usize,
    /// Where lines wait on disk; `None` where they wait in memory.
    pub spool: Option<SpoolSpec>,
}

/// Where the lines of a sink go.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SinkTarget {
    /// To the end of a file, each by one write.
    File(FileTarget),
    /// To standard output, each by one write.
    Stdout,
    /// To an address, a datagram for each.
    Udp(SocketAddr),
    /// To an HTTP server, in batches.
    Http(HttpTarget),
    /// To a subject of a NATS server, a message for each.
    Nats(NatsTarget),
    /// To an OpenTelemetry collector, a log record for each.
    Otlp(OtlpTarget),
}

impl SinkTarget {
    /// The word for its kind, as in the configuration.
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
    /// Where it lies.
    pub path: PathBuf,
    /// When it is put away and begun anew; `None` is never.
    pub rotate: Option<Rotate>,
    /// When what was written is on the disk.
    pub fsync: Fsync,
}

/// When a file is put away. At least one of `size` and `every`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Rotate {
    /// The bytes that it has at most; a longer line has a file of its own.
    pub size: Option<u64>,
    /// The time that it covers at most, counted from 1970 in UTC, at least a second.
    pub every: Option<Duration>,
    /// The files put away that are kept; `None` keeps all.
    pub keep: Option<usize>,
}

/// When what was written is made to be on the disk (fsync).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fsync {
    /// When the kernel sees fit.
    Never,
    /// Before it counts as written.
    Each,
    /// So long after it was written, at the latest.
    Every(Duration),
}

/// Lines that wait on disk.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SpoolSpec {
    /// The folder; no other sink has it.
    pub path: PathBuf,
    /// The bytes that may wait.
    pub bytes: u64,
    /// When a line that was taken is on the disk.
    pub fsync: Fsync,
}

/// An HTTP server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HttpTarget {
    /// `http` or `https`, without user and password. Checked.
    pub url: String,
    /// Names and values. Checked.
    pub headers: Vec<(String, Secret)>,
    /// What one request holds.
    pub batch: Batch,
    /// How long one request may take.
    pub timeout: Duration,
    /// How lines become a body.
    pub format: Format,
}

/// How lines become the body of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Each with a line feed behind it.
    Ndjson,
    /// One JSON array.
    JsonArray,
}

/// What is delivered at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Batch {
    /// Lines, at least 1.
    pub lines: usize,
    /// Bytes of lines; one line may have more.
    pub bytes: usize,
    /// How long a line waits for others.
    pub wait: Duration,
}

/// An OpenTelemetry collector.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OtlpTarget {
    /// `http` or `https`, without user and password, and without the path of a signal. Checked.
    pub endpoint: String,
    /// How it is spoken to.
    pub protocol: OtlpProtocol,
    /// Names and values. Checked.
    pub headers: Vec<(String, Secret)>,
    /// What one request holds.
    pub batch: Batch,
    /// How long one request may take.
    pub timeout: Duration,
    /// Resource attributes beside those that every process has; later ones win.
    pub resource: Vec<(String, String)>,
}

/// NATS servers of one cluster.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NatsTarget {
    /// `nats` or `tls`, without user and password; at least one. Checked.
    pub urls: Vec<String>,
    /// The subject of each message. Checked.
    pub subject: String,
    /// Who asks.
    pub login: NatsLogin,
    /// How long it may take to connect, and to be told that a batch has arrived.
    pub timeout: Duration,
}

/// Who asks a NATS server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum NatsLogin {
    /// Nobody in particular.
    None,
    /// Who has this token.
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
