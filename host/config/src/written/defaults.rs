//! Every default of the configuration that is not empty or `false`.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use super::{
    Admin, Batch, Breaker, FsyncPolicy, Limits, Metrics, PerClient, PluginLimits, Policy, Privileges,
    Retransmit, Reuse, Spool, Telemetry, Traces, Transfer, Written,
};
use crate::policy::{DefaultVerdict, OnError};
use crate::privileges::SeccompMode;
use crate::telemetry::{OtlpProtocol, TelemetryConfig};
use crate::units::{ByteCount, TimeSpan};

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;
const GIB: u64 = 1024 * MIB;

pub(crate) fn max_upload() -> ByteCount {
    ByteCount(GIB)
}

pub(crate) fn on_error() -> OnError {
    OnError::Deny
}

pub(crate) fn sink_queue() -> usize {
    1024
}

pub(crate) fn sink_timeout() -> TimeSpan {
    TimeSpan(Duration::from_secs(10))
}

impl Default for Batch {
    fn default() -> Self {
        Self { lines: 500, bytes: ByteCount(MIB), wait: TimeSpan(Duration::from_secs(1)) }
    }
}

impl Default for Spool {
    fn default() -> Self {
        Self {
            bytes: ByteCount(256 * MIB),
            path: None,
            fsync: FsyncPolicy::Within(TimeSpan(Duration::from_secs(1))),
        }
    }
}

/// Where systemd says, with `StateDirectory=`, or where daemons keep their state.
pub(crate) fn state() -> PathBuf {
    match std::env::var_os("STATE_DIRECTORY") {
        // systemd.exec(5): several are separated by colons.
        Some(folders) if !folders.is_empty() => {
            let first = folders.as_encoded_bytes().split(|byte| *byte == b':').next().unwrap_or_default();
            PathBuf::from(OsStr::from_bytes(first))
        }
        _ => PathBuf::from("/var/lib/tuffet"),
    }
}

/// Where the control socket is.
pub(crate) fn control() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let folder = if let Some(folders) = folder("RUNTIME_DIRECTORY") {
        std::env::split_paths(&folders).next()
    } else if started_by_root() {
        Some("/run/tuffet".into())
    } else {
        folder("XDG_RUNTIME_DIR").map(|folder| PathBuf::from(folder).join("tuffet"))
    };
    folder.map(|folder| folder.join("control"))
}

/// Whether it was root who started this: defaults must be the same when a reload asks for them again, and then
/// the process may be somebody else.
fn started_by_root() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| rustix::process::geteuid().is_root())
}

/// As many as there are processor cores for this process.
pub(crate) fn workers() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl Default for Written {
    fn default() -> Self {
        Self {
            listeners: Vec::new(),
            roots: Vec::new(),
            policy: Policy::default(),
            plugins: BTreeMap::new(),
            sinks: BTreeMap::new(),
            state: None,
            control: None,
            admin: None,
            workers: None,
            busy_poll: TimeSpan(Duration::from_micros(50)),
            drain: TimeSpan(Duration::from_secs(10)),
            transfer: Transfer::default(),
            limits: Limits::default(),
            telemetry: None,
            privileges: Privileges::default(),
        }
    }
}

/// The folder that compiled plugins are kept in.
pub fn compiled() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // Of several, systemd lists the one that is meant first.
    if let Some(given) = std::env::var_os("CACHE_DIRECTORY") {
        return std::env::split_paths(&given).next();
    }
    if started_by_root() {
        return Some("/var/cache/tuffet".into());
    }
    let user = folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")));
    user.map(|user| user.join("tuffet")).filter(|folder| folder.is_absolute())
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            default: DefaultVerdict::Allow,
            authorize: Vec::new(),
            resolve: Vec::new(),
            accept_upload: Vec::new(),
            observe: Vec::new(),
            time_limit: TimeSpan(Duration::from_millis(500)),
            compiled: None,
        }
    }
}

impl Default for PluginLimits {
    fn default() -> Self {
        Self {
            time: TimeSpan(Duration::from_millis(200)),
            configure: TimeSpan(Duration::from_secs(10)),
            wall: TimeSpan(Duration::from_millis(500)),
            memory: ByteCount(64 * MIB),
            content: ByteCount(MIB),
            instances: 32,
            queue: 1024,
            kv_keys: 10_000,
            kv_bytes: ByteCount(16 * MIB),
        }
    }
}

/// Decisions that are remembered of each hook of a plugin.
pub(crate) fn cache_entries() -> usize {
    10_000
}

impl Default for Breaker {
    fn default() -> Self {
        Self {
            failures: 10,
            back_off: TimeSpan(Duration::from_secs(1)),
            cap: TimeSpan(Duration::from_secs(60)),
        }
    }
}

impl Default for Reuse {
    fn default() -> Self {
        Self { calls: 1000, idle: TimeSpan(Duration::from_secs(30)) }
    }
}

impl Default for Privileges {
    fn default() -> Self {
        Self {
            user: None,
            group: None,
            seccomp: SeccompMode::On,
            landlock: true,
            require: false,
            readable: Vec::new(),
            writable: Vec::new(),
        }
    }
}

impl Default for Admin {
    fn default() -> Self {
        Self { address: "127.0.0.1:6980".into(), token: None }
    }
}

impl Default for Transfer {
    fn default() -> Self {
        Self {
            max_blksize: 65464,
            max_windowsize: 64,
            rollover: 0,
            retransmit: Retransmit::default(),
            least_rate: ByteCount(64),
            max_duration: TimeSpan(Duration::from_secs(24 * 60 * 60)),
        }
    }
}

impl Default for Retransmit {
    fn default() -> Self {
        Self {
            floor: TimeSpan(Duration::from_millis(20)),
            initial: TimeSpan(Duration::from_millis(250)),
            cap: TimeSpan(Duration::from_secs(4)),
            give_up: TimeSpan(Duration::from_secs(30)),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            transfers: 20_000,
            pending: 4096,
            half_open: None,
            per_second: None,
            burst: None,
            per_client: PerClient::default(),
            uploads_per_name: 16,
            errors_per_second: 1000,
            open_time: TimeSpan(Duration::from_secs(5)),
            cache: ByteCount(256 << 20),
            cache_max_age: TimeSpan(Duration::from_secs(60)),
            events: 4096,
        }
    }
}

/// Leading bits of an IPv6 address that are one client: what a machine is given, as far as the network knows.
pub(crate) const IPV6_PREFIX: u8 = 64;

/// Of what there is for all, the part that one client gets: an address may be a whole site behind NAT or a
/// load balancer, and yet others must get in.
pub(crate) fn share_of_a_client(all: usize) -> usize {
    (all - all / 4).max(1)
}

/// The part of the transfers whose clients need not have answered.
pub(crate) fn half_open(transfers: usize) -> usize {
    transfers.div_ceil(2)
}

impl Default for Telemetry {
    fn default() -> Self {
        Self {
            endpoint: None,
            protocol: OtlpProtocol::default(),
            headers: BTreeMap::new(),
            timeout: TimeSpan(Duration::from_secs(10)),
            service_name: "tuffet".into(),
            resource: BTreeMap::new(),
            traces: Traces::default(),
            metrics: Metrics::default(),
            logs: true,
        }
    }
}

impl Default for Traces {
    fn default() -> Self {
        Self { enabled: true, sample: 1.0, per_second: 100 }
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self { enabled: true, interval: TimeSpan(Duration::from_secs(60)) }
    }
}

/// As an empty section: for what the environment alone asks for.
impl Default for TelemetryConfig {
    fn default() -> Self {
        let written = Telemetry::default();
        Self {
            endpoint: None,
            protocol: written.protocol,
            headers: BTreeMap::new(),
            timeout: written.timeout.0,
            service_name: written.service_name,
            resource: BTreeMap::new(),
            traces: written.traces.chosen(),
            metrics: Some(written.metrics.interval.0),
            logs: written.logs,
        }
    }
}
