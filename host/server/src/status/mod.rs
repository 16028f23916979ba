//! The state of the server for `tuffet status` and other views.

mod privileges;

pub use privileges::{ProcessPrivileges, RemainingPrivileges};

use parking_lot::{Mutex, MutexGuard};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::interfaces::{InterfaceState, Interfaces};
use crate::origins::{OriginReport, Origins};
use tuffet_config::Config;
use tuffet_kv::KvState;
use tuffet_policy::PluginIdentity;
use tuffet_sinks::SinkCounted;
use tuffet_store::{DiskState, Disks};
use tuffet_wasm::PolicyRuntime;

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
    /// The plugin runtime.
    pub runtime: PolicyRuntime,
    /// The disks of the roots.
    pub disks: Disks,
    /// The clients of origins.
    pub origins: Origins,
    /// The interfaces of the listeners.
    pub interfaces: Interfaces,
}

/// The current state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Whether the latest configuration is running: false from a refused reload to the next successful one.
    pub ready: bool,
    /// The active generation; the server starts with 1.
    pub generation: u64,
    /// When it became active, in seconds since 1970.
    pub(crate) since_unix: u64,
    /// The reasons why the last reload was refused.
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
    /// The bucket with the keys of plugins, if configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kv: Option<KvState>,
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

    fn of(config: &Config) -> Revision {
        let digest = config.digest().map(str::to_owned);
        match &config.remote {
            Some(remote) => Revision {
                source: Some(remote.source.clone()),
                revision: remote.revision.clone(),
                digest,
                kept: remote.stale,
            },
            None => Revision {
                source: config.file().map(|file| file.display().to_string()),
                revision: None,
                digest,
                kept: false,
            },
        }
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
    /// Whether the disk does not answer.
    pub hung: bool,
    /// Whether the path of the root no longer leads to the served folder.
    #[serde(default)]
    pub replaced: bool,
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
            hung: disk.hung.is_some(),
            replaced: disk.replaced,
            waits_for: disk.hung.as_ref().map(|hung| hung.lane.as_str().to_owned()),
            hung_seconds: disk.hung.map_or(0, |hung| hung.since.elapsed().as_secs()),
        }
    }
}

impl Status {
    /// Creates the status of a server that has just started.
    pub fn new(
        config: Option<&Path>,
        plugins: &[PluginIdentity],
        privileges: RemainingPrivileges,
        sources: StatusSources,
    ) -> Status {
        let report = Report { config: config.map(Path::to_owned), ..Report::ready(1, plugins) };
        Status { report: Arc::new(Mutex::new(report)), privileges: Arc::new(privileges), sources }
    }

    /// Returns the current state.
    pub fn report(&self) -> Report {
        let report = self.lock().clone();
        Report {
            sinks: self.sources.runtime.sinks().counted(),
            roots: self.sources.disks.states().into_iter().map(RootState::from).collect(),
            origins: self.sources.origins.reports(),
            interfaces: self.sources.interfaces.states(),
            kv: self.sources.runtime.kv(),
            process: std::process::id(),
            privileges: RemainingPrivileges::clone(&self.privileges),
            ..report
        }
    }

    /// Returns the folder of a root, or of the first root.
    pub fn folder(&self, root: Option<&str>) -> Option<PathBuf> {
        self.sources.disks.folder(root)
    }

    /// Records a successful reload.
    pub fn reloaded(&self, generation: u64, plugins: &[PluginIdentity]) {
        let mut report = self.lock();
        let config = report.config.take();
        *report = Report { config, ..Report::ready(generation, plugins) };
    }

    /// Records the revision of the active configuration.
    pub fn revised(&self, config: &Config) {
        self.lock().revision = Revision::of(config);
    }

    /// Records a refused reload, with the reasons.
    pub fn refused(&self, reasons: Vec<String>) {
        let mut report = self.lock();
        (report.ready, report.refused) = (false, reasons);
    }

    fn lock(&self) -> MutexGuard<'_, Report> {
        self.report.lock()
    }
}

impl Report {
    fn ready(generation: u64, plugins: &[PluginIdentity]) -> Report {
        Report {
            ready: true,
            generation,
            since_unix: now(),
            refused: Vec::new(),
            config: None,
            revision: Revision::default(),
            plugins: plugins.to_vec(),
            sinks: Vec::new(),
            roots: Vec::new(),
            origins: Vec::new(),
            interfaces: Vec::new(),
            kv: None,
            process: 0,
            privileges: RemainingPrivileges::default(),
        }
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
