//! The section `sinks`. A reload may change all of it.

mod file;
mod http;
mod nats;
mod spool;
mod syslog;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use file::{FileTarget, Fsync, Rotate};
pub use http::{Batch, Format, HttpTarget, OtlpTarget};
pub use nats::NatsTarget;
pub use spool::SpoolSpec;
pub use syslog::{Facility, SyslogAddress, SyslogTarget};

use super::address::{address_schema, check_name, parse_address, path_schema};
use super::resolver::Resolver;
use super::secret::SecretText;
use super::tree::join;
use nats::WrittenNats;
use spool::WrittenSpool;
pub(crate) use syslog::WrittenSyslog;

/// A named output for plugins: one of `file`, `stdout`, `udp`, `syslog`, `http`, `nats` and `otlp`.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct WrittenSink {
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
    pub fsync: Option<Fsync>,
    /// Whether lines go to standard output. The log is on standard error.
    #[serde(default)]
    pub stdout: bool,
    /// IP address and port that receive one datagram per line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "address_schema")]
    pub udp: Option<String>,
    /// A syslog server that receives a message (RFC 5424) for each line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub syslog: Option<WrittenSyslog>,
    /// An HTTP server that receives lines by POST.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpTarget<SecretText>>,
    /// A NATS server that receives a message for each line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nats: Option<WrittenNats>,
    /// An OpenTelemetry collector that receives a log record for each line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otlp: Option<OtlpTarget<SecretText>>,
    /// The number of lines that may wait in memory while the sink is slow or broken, including those being
    /// delivered; beyond it the plugin gets `full`. Not used with a `spool`.
    #[serde(default = "queue")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub queue: usize,
    /// Makes lines wait on disk instead of in memory: they outlive the process, and are delivered in order,
    /// each at least once. If the spool is full, the plugin gets `full`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spool: Option<WrittenSpool>,
}

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
    /// Sends to a syslog server, one message per line.
    Syslog(SyslogTarget),
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
            SinkTarget::Syslog(_) => "syslog",
            SinkTarget::Http(_) => "http",
            SinkTarget::Nats(_) => "nats",
            SinkTarget::Otlp(_) => "otlp",
        }
    }
}

fn queue() -> usize {
    1024
}

impl Resolver<'_> {
    pub(crate) fn sinks(&mut self, written: BTreeMap<String, WrittenSink>, state: &Path) -> Vec<SinkSpec> {
        let mut sinks: Vec<SinkSpec> = Vec::new();
        for (name, sink) in written {
            let pointer = join("/sinks", &name);
            if let Err(complaint) = check_name(&name) {
                self.wrong_key(&pointer, complaint);
            }
            self.needs_file(&pointer, &sink);
            let spool = sink.spool.as_ref().map(|spool| self.spool(spool, &name, state));
            let Some(target) = self.target(&pointer, &name, &sink) else { continue };
            let same = |other: &&SinkSpec| {
                spool.is_some()
                    && other.spool.as_ref().map(|spool| &spool.path)
                        == spool.as_ref().map(|spool| &spool.path)
            };
            if let Some(other) = sinks.iter().find(same) {
                let message = format!(
                    "the sinks `{}` and `{name}` have the same spool; give each its own `path`",
                    other.name
                );
                self.wrong(join(&join(&pointer, "spool"), "path"), message);
            }
            sinks.push(SinkSpec { name, target, queue: sink.queue, spool });
        }
        sinks
    }

    /// Refuses keys that have no effect without `file`.
    fn needs_file(&mut self, pointer: &str, sink: &WrittenSink) {
        let keys = [("rotate", sink.rotate.is_some()), ("fsync", sink.fsync.is_some())];
        for (key, _) in keys.iter().filter(|(_, given)| *given && sink.file.is_none()) {
            let message = format!("`{key}` has no effect without `file`; remove it");
            self.wrong_key(join(pointer, key), message);
        }
        self.check_rotation(pointer, sink.rotate.as_ref());
    }

    /// Refuses a rotation without a condition.
    pub(crate) fn check_rotation(&mut self, pointer: &str, rotate: Option<&Rotate>) {
        if let Some(Rotate { size: None, every: None, .. }) = rotate {
            self.wrong(
                join(pointer, "rotate"),
                "it has no condition; add `size`, `every` or both, or remove it",
            );
        }
    }

    fn target(&mut self, pointer: &str, name: &str, sink: &WrittenSink) -> Option<SinkTarget> {
        let given = [
            ("file", sink.file.is_some()),
            ("stdout", sink.stdout),
            ("udp", sink.udp.is_some()),
            ("syslog", sink.syslog.is_some()),
            ("http", sink.http.is_some()),
            ("nats", sink.nats.is_some()),
            ("otlp", sink.otlp.is_some()),
        ];
        let mut given = given.into_iter().filter(|(_, given)| *given).map(|(key, _)| key);
        let Some(key) = given.next() else {
            let message = format!(
                "the sink `{name}` leads nowhere; add `file: PATH`, `stdout: true`, `udp: IP:PORT`, \
                 `syslog: {{ address: … }}`, `http: {{ url: … }}`, `nats: {{ url: …, subject: … }}` or `otlp: {{ endpoint: … }}`"
            );
            self.wrong(pointer, message);
            return None;
        };
        if let Some(other) = given.next() {
            let message =
                format!("the sink `{name}` has both `{key}` and `{other}`; split it into two sinks");
            self.wrong(join(pointer, other), message);
            return None;
        }
        let pointer = join(pointer, key);
        if let Some(file) = &sink.file {
            let (rotate, fsync) = (sink.rotate.clone(), sink.fsync);
            return Some(SinkTarget::File(self.sink_file(&pointer, file, rotate, fsync)));
        }
        if let Some(address) = &sink.udp {
            return match parse_address(address) {
                Ok(address) => Some(SinkTarget::Udp(address)),
                Err(complaint) => {
                    self.wrong(pointer, complaint);
                    None
                }
            };
        }
        if let Some(syslog) = &sink.syslog {
            return self.sink_syslog(&pointer, syslog).map(SinkTarget::Syslog);
        }
        if let Some(http) = &sink.http {
            return self.sink_http(&pointer, http).map(SinkTarget::Http);
        }
        if let Some(otlp) = &sink.otlp {
            return self.sink_otlp(&pointer, otlp).map(SinkTarget::Otlp);
        }
        match &sink.nats {
            Some(nats) => self.sink_nats(&pointer, nats).map(SinkTarget::Nats),
            None => Some(SinkTarget::Stdout),
        }
    }
}
