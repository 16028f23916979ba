//! The configuration: one YAML file, the flags that take the place of its keys, or flags alone.
//!
//! Two stages, as written and as resolved. The written form (`written`) is the schema: keys, types,
//! bounds and their descriptions. A file is checked against it as a whole, so that all problems are
//! found and each at its place (`shape`, `tree`). What is left is resolved into [`Config`]: paths
//! absolute, addresses parsed, references between sections checked (`resolve`). Whoever has a
//! [`Config`] need not check again, and no socket is bound before there is one.

mod address;
mod admin;
mod barred;
mod document;
mod error;
mod grant;
mod overrides;
mod policy;
mod privileges;
mod reference;
mod resolve;
mod resource;
mod restart;
mod schema;
mod secret;
mod shape;
pub mod sinks;
mod source;
mod suggest;
mod telemetry;
#[cfg(test)]
mod tests;
mod tree;
mod units;
mod written;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use admin::{AdminAddress, AdminToken};
pub use barred::{Barred, barred, outside};
pub use document::Document;
pub use error::{ConfigError, Place, Position, Problem};
pub use grant::{Grant, GrantKind, HttpHost};
pub use overrides::Overrides;
pub use policy::{
    BreakerConfig, ComponentSource, DecisionCacheConfig, DefaultVerdict, Fact, OnError, PluginConfig,
    PluginLimits, PluginMode, PolicyConfig, ReuseConfig,
};
pub use privileges::{Privileges, SeccompMode, Who};
pub use reference::reference;
pub use resolve::{check_endpoint, usual_port};
pub use resource::{decode, resource_attributes};
pub use restart::control_of;
pub use schema::schema;
pub use secret::Secret;
pub use telemetry::{OtlpProtocol, TelemetryConfig, TracesSampled};

use sinks::SinkSpec;
use source::{Finding, Source};
use tuffet_request::Bounds;
use tuffet_request::RootSpec;
pub use units::{ByteCount, TimeSpan};
use written::Written;
pub use written::defaults::compiled as default_compiled;

/// The exit code of a process whose configuration is wrong (EX_USAGE of sysexits.h).
pub const EXIT_CONFIG: u8 = 64;

/// A configuration with every section that there is.
pub const EXAMPLE: &str = include_str!("example.yaml");

/// A configuration that has been checked.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where requests are awaited; at least one. No two have the same name, or the same address with
    /// a port other than 0.
    pub listeners: Vec<Listener>,
    /// The folders that are served, in the order of search; at least one. Each existed as a folder when
    /// the configuration was checked.
    pub roots: Vec<RootSpec>,
    /// Who decides.
    pub policy: PolicyConfig,
    /// The outputs that plugins may fill, sorted by name.
    pub sinks: Vec<SinkSpec>,
    /// The folder for what must outlive the process. Need not be there.
    pub state: PathBuf,
    /// The socket at which the server is asked to reload; `None` for none.
    pub control: Option<PathBuf>,
    /// The admin listener; `None` for none.
    pub admin: Option<Admin>,
    /// How many threads move blocks, 1 to 1024.
    pub workers: usize,
    /// How long a worker looks for the next datagram before it sleeps: 0 to 1 ms.
    pub busy_poll: Duration,
    /// How long running transfers may go on when the server stops: 0 to a day.
    pub drain: Duration,
    /// What is negotiated, and how losses are repaired.
    pub transfer: Transfer,
    /// How much is accepted at a time.
    pub limits: Limits,
    /// What is told to an OpenTelemetry collector; `None` leaves it to the environment.
    pub telemetry: Option<TelemetryConfig>,
    /// What is given up after the start.
    pub privileges: Privileges,
    /// The files that it was read from: its own, and those of secrets.
    pub files: Vec<PathBuf>,
    /// Where each part of it was written.
    source: Source,
}

/// An address on which requests are awaited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listener {
    /// Its name for plugins and logs.
    pub name: String,
    /// Where it listens; port 0 is any free one.
    pub address: SocketAddr,
    /// Whether blocks travel over the listening port too.
    pub single_port: bool,
    /// TID ports in all workers together, at least 1; without it, the server chooses.
    pub tid_ports: Option<u16>,
    /// Blocks of a window that go out to one client within a millisecond, at least 1; without it, all.
    pub burst: Option<u16>,
}

/// The admin listener. Loopback, a socket in the file system, or with a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admin {
    /// Where it listens.
    pub address: AdminAddress,
    /// What is asked of who looks.
    pub token: Option<AdminToken>,
}

/// What is negotiated with clients, and how losses are repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// The largest block granted, in bytes: 8 to 65464 (RFC 2348).
    pub max_blksize: u16,
    /// The largest window granted, in blocks: 1 to 32767 (RFC 7440).
    pub max_windowsize: u16,
    /// The block number after 65535: 0 or 1.
    pub rollover: u16,
    /// When an unanswered packet is sent again.
    pub retransmit: Retransmit,
}

/// When an unanswered packet is sent again: `floor` ≤ `initial` ≤ `cap` ≤ `give_up`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retransmit {
    /// The shortest wait.
    pub floor: Duration,
    /// The wait before a round-trip time has been measured.
    pub initial: Duration,
    /// The longest wait.
    pub cap: Duration,
    /// How long a silent client is kept.
    pub give_up: Duration,
}

/// How much is accepted at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Transfers in all, at least 1.
    pub transfers: usize,
    /// All that a reload may change.
    pub bounds: Bounds,
    /// Requests that wait for a decision, at least 1.
    pub pending: usize,
    /// How long opening a file may take.
    pub open_time: Duration,
    /// Memory for the contents of hot files, in bytes; 0 is none.
    pub cache: u64,
    /// How long a content is used from memory before it is read again.
    pub cache_max_age: Duration,
    /// Events that wait for observers, at least 1.
    pub events: usize,
}

impl Config {
    /// Reads and checks a YAML file: all that `tuffet check` does, plugins aside.
    ///
    /// # Errors
    /// Every problem of the first stage that has one: reading, syntax, keys and values, what they mean
    /// together.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        Self::load_with(path, &Overrides::default())
    }

    /// Reads and checks a YAML file, of which flags replace parts.
    ///
    /// # Errors
    /// As [`Config::load`]; a problem with what a flag gave names the flag.
    pub fn load_with(path: &Path, overrides: &Overrides) -> Result<Self, ConfigError> {
        let (source, value) = source::read(path, "at least `listeners` and `roots`")?;
        let mut findings = Vec::new();
        shape::check(&schema(), &value, "", &mut findings);
        if !findings.is_empty() {
            return Err(source.error(findings));
        }
        let written = serde_path_to_error::deserialize(value).map_err(|error| {
            let pointer = pointer_of(error.path());
            source.error(vec![Finding::value(pointer, format!("{}; correct the value", error.inner()))])
        })?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let base = std::path::absolute(folder.unwrap_or(Path::new("."))).map_err(|error| {
            ConfigError::one(Place::File(path.to_owned()), format!("its folder is unknown: {error}"))
        })?;
        Self::finish(written, source, &base, overrides)
    }

    /// Checks a configuration that flags alone give.
    ///
    /// # Errors
    /// Every problem; each names its flag. [`Overrides::root`] and [`Overrides::listen`] are needed.
    pub fn from_flags(overrides: &Overrides) -> Result<Self, ConfigError> {
        // Every path comes from a flag and is absolute already.
        Self::finish(Written::default(), Source::default(), Path::new("/"), overrides)
    }

    fn finish(
        mut written: Written,
        mut source: Source,
        base: &Path,
        overrides: &Overrides,
    ) -> Result<Self, ConfigError> {
        let findings = overrides.apply(&mut written, &mut source);
        if !findings.is_empty() {
            return Err(source.error(findings));
        }
        resolve::resolve(written, base, source)
    }

    /// Where the value at a JSON pointer (RFC 6901) is written, such as
    /// `/plugins/acl/settings/deny/0`; where nothing is, the nearest value around it. `None` for what a
    /// flag gave.
    pub fn position(&self, pointer: &str) -> Option<Position> {
        self.source.position(pointer)
    }

    /// The error for problems that were found later, such as by a plugin in its settings: pairs of a
    /// JSON pointer into the whole configuration and a message that says what is wrong and how to mend
    /// it.
    pub fn error(&self, problems: impl IntoIterator<Item = (String, String)>) -> ConfigError {
        let finding = |(pointer, message): (String, String)| Finding::value(pointer, message);
        self.source.error(problems.into_iter().map(finding).collect())
    }
}

fn pointer_of(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    path.iter().fold(String::new(), |pointer, segment| match segment {
        Segment::Seq { index } => tree::join(&pointer, &index.to_string()),
        Segment::Map { key } => tree::join(&pointer, key),
        Segment::Enum { .. } | Segment::Unknown => pointer,
    })
}
