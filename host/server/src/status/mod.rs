//! The state of the server for `tuffet status` and other views.

mod activity;
mod http;
mod privileges;
mod state;

pub use activity::{Activity, BoundListener, DroppedAtLimit, OutcomeCount, PluginCalls};
pub use http::{ConnectionsAtLimit, HttpConnections, OpenConnections};
pub use privileges::{ProcessPrivileges, RemainingPrivileges};
pub use state::{CHECKS, Reason, ServerState};

use parking_lot::{Mutex, MutexGuard};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::interfaces::{AddressState, Addresses, InterfaceState, Interfaces};
use crate::origins::OriginReport;
use tuffet_policy::PluginIdentity;
use tuffet_request::{KvState, SinkCounted};
use tuffet_store::{DiskState, Disks};

/// The state of the server. Cheap to clone; clones share it.
#[derive(Debug, Clone)]
pub struct Status {
    report: Arc<Mutex<Report>>,
    privileges: Arc<RemainingPrivileges>,
    sources: StatusSources,
}

/// The parts of a server that each report queries.
#[derive(Debug, Clone)]
pub struct StatusSources {
    /// The disks of the roots.
    pub disks: Disks,
    /// The interfaces of the listeners.
    pub interfaces: Interfaces,
    /// The addresses of the listeners.
    pub addresses: Addresses,
    /// What the server uses beside these.
    pub others: Arc<[Arc<dyn StateSource>]>,
}

/// Something that a server uses and that has a state of its own: the plugin runtime, the origins of roots.
pub trait StateSource: std::fmt::Debug + Send + Sync {
    /// Returns the counters of the sinks of plugins, by name.
    fn sinks(&self) -> Vec<SinkCounted> {
        Vec::new()
    }

    /// Returns the state of the bucket with the keys of plugins, if they use one.
    fn kv(&self) -> Option<KvState> {
        None
    }

    /// Returns whether processes that compile plugins can be started; `None` if there are none.
    fn compilers(&self) -> Option<bool> {
        None
    }

    /// Returns the certificates of listeners.
    fn certificates(&self) -> Vec<CertificateState> {
        Vec::new()
    }

    /// Returns the connections of the listeners of HTTP, if there are any.
    fn http_connections(&self) -> Option<HttpConnections> {
        None
    }

    /// Returns the state of the origins of roots.
    fn origins(&self) -> Vec<OriginReport> {
        Vec::new()
    }
}

/// The state of a server, what it does, and the states of its parts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Whether it is ready, and why not.
    #[serde(flatten)]
    pub state: ServerState,
    /// What it does.
    #[serde(flatten)]
    pub activity: Activity,
    /// The active generation; the server starts with 1.
    pub generation: u64,
    /// When it became active, in seconds since 1970.
    pub(crate) since_unix: u64,
    /// The reasons why the last reload was refused; empty if the latest configuration is running.
    pub refused: Vec<String>,
    /// The configuration file; `None` if flags alone configure the server.
    #[serde(default)]
    pub config: Option<PathBuf>,
    /// The revision of the active configuration.
    #[serde(default)]
    pub revision: Revision,
    /// The plugins of the active generation.
    #[serde(default)]
    pub plugins: Vec<PluginIdentity>,
    /// The counters of each sink, by name.
    #[serde(default)]
    pub sinks: Vec<SinkCounted>,
    /// The disks behind the roots.
    #[serde(default)]
    pub roots: Vec<RootState>,
    /// The origins of remote roots.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<OriginReport>,
    /// The interfaces of the listeners that are bound to one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interfaces: Vec<InterfaceState>,
    /// The addresses of the listeners that are bound to one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<AddressState>,
    /// The certificates of the listeners of HTTPS.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub certificates: Vec<CertificateState>,
    /// The connections of the listeners of HTTP, if configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_connections: Option<HttpConnections>,
    /// The bucket with the keys of plugins, if configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kv: Option<KvState>,
    /// Whether processes that compile plugins can be started, if the server has them: false after the process that
    /// starts them has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compilers: Option<bool>,
    /// The process id, in the namespace of the process.
    #[serde(default)]
    pub process: u32,
    /// The user and the remaining privileges.
    #[serde(default)]
    pub privileges: RemainingPrivileges,
}

/// The revision of a configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// The file or the URL; `None` for flags alone.
    pub source: Option<String>,
    /// The ETag, or the revision of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The beginning of the SHA-256 of the text.
    pub digest: Option<String>,
    /// Whether it is the last good local copy, because the source was unavailable or invalid.
    #[serde(default)]
    pub kept: bool,
}

impl Revision {
    /// The ETag or the revision of the key, otherwise the beginning of the digest.
    pub fn shown(&self) -> String {
        self.revision.clone().or_else(|| self.digest.clone()).unwrap_or_default()
    }
}

/// The certificate of a listener.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CertificateState {
    /// The name of the listener.
    pub listener: String,
    /// When it ends, in seconds since 1970.
    pub not_after_unix: u64,
}

impl CertificateState {
    /// Returns whether it has ended.
    pub fn has_ended(&self) -> bool {
        self.not_after_unix < now()
    }
}

/// The state of the disk of a root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootState {
    /// The name of the root.
    pub root: String,
    /// Running operations.
    pub running: u64,
    /// Operations waiting for a thread.
    pub waiting: u64,
    /// The bytes of uploads that wait for the disk in memory.
    #[serde(default)]
    pub upload_bytes: u64,
    /// Whether the disk does not answer.
    pub hung: bool,
    /// Whether the path of the root no longer leads to the served folder.
    #[serde(default)]
    pub replaced: bool,
    /// Whether its folder has not existed so far.
    #[serde(default)]
    pub missing: bool,
    /// While the disk hangs: its longest running operation, and for how many seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) waits_for: Option<String>,
    #[serde(default)]
    pub(crate) hung_seconds: u64,
}

impl From<DiskState> for RootState {
    fn from(disk: DiskState) -> RootState {
        RootState {
            root: disk.root.to_string(),
            running: disk.running as u64,
            waiting: disk.waiting as u64,
            upload_bytes: disk.upload_bytes,
            hung: disk.hung.is_some(),
            replaced: disk.replaced,
            missing: disk.missing,
            waits_for: disk.hung.as_ref().map(|hung| hung.lane.as_str().to_owned()),
            hung_seconds: disk.hung.map_or(0, |hung| hung.since.elapsed().as_secs()),
        }
    }
}

impl Status {
    /// Creates the status of a server that has just started.
    pub fn new(
        plugins: &[PluginIdentity],
        privileges: RemainingPrivileges,
        sources: StatusSources,
    ) -> Status {
        let report = Mutex::new(Report::of_generation(1, plugins));
        Status { report: Arc::new(report), privileges: Arc::new(privileges), sources }
    }

    /// Returns the states of all parts. What the server does, and what follows for its state, is for
    /// [`Watch::report`](crate::watch::Watch::report) to add.
    pub(crate) fn parts(&self) -> Report {
        let report = self.lock().clone();
        Report {
            sinks: self.sinks(),
            roots: self.sources.disks.states().into_iter().map(RootState::from).collect(),
            origins: self.others().flat_map(|its| its.origins()).collect(),
            interfaces: self.sources.interfaces.states(),
            addresses: self.sources.addresses.states(),
            certificates: self.others().flat_map(|its| its.certificates()).collect(),
            http_connections: self.others().find_map(|its| its.http_connections()),
            kv: self.others().find_map(|its| its.kv()),
            compilers: self.others().find_map(|its| its.compilers()),
            process: std::process::id(),
            privileges: RemainingPrivileges::clone(&self.privileges),
            ..report
        }
    }

    /// Returns the counters of the sinks of plugins, by name.
    pub(crate) fn sinks(&self) -> Vec<SinkCounted> {
        self.others().flat_map(|its| its.sinks()).collect()
    }

    fn others(&self) -> impl Iterator<Item = &Arc<dyn StateSource>> {
        self.sources.others.iter()
    }

    /// Returns the folder of a root, or of the first root.
    pub fn folder(&self, root: Option<&str>) -> Option<PathBuf> {
        self.sources.disks.folder(root)
    }

    /// Records a successful reload.
    pub fn reloaded(&self, generation: u64, plugins: &[PluginIdentity]) {
        *self.lock() = Report::of_generation(generation, plugins);
    }

    /// Records the revision of the active configuration, and its file.
    pub fn revised(&self, revision: Revision, file: Option<&Path>) {
        let mut report = self.lock();
        (report.revision, report.config) = (revision, file.map(Path::to_owned));
    }

    /// Records a refused reload, with the reasons.
    pub fn refused(&self, reasons: Vec<String>) {
        self.lock().refused = reasons;
    }

    fn lock(&self) -> MutexGuard<'_, Report> {
        self.report.lock()
    }
}

impl Report {
    fn of_generation(generation: u64, plugins: &[PluginIdentity]) -> Report {
        Report { generation, since_unix: now(), plugins: plugins.to_vec(), ..Report::default() }
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
