//! What a plugin has access to: its grants, what answers its calls of the host, and the limits of one call of a hook.

mod calls;
mod clock;
mod error;
mod files;
mod http;
mod http_send;
mod live;
mod random;
mod staged;
mod staged_keys;
mod upload;

use std::sync::Arc;

pub(super) use calls::{HostCalls, Keys, Outlet, Pending};
pub(super) use clock::FixedClock;
pub(super) use error::Code;
pub(super) use files::{MAX_PATH, too_large};
pub(super) use http::HttpGate;
pub(super) use live::{Live, StoredKeys, StoredUpload};
pub(super) use random::constant;
pub(super) use staged::Staged;
pub(super) use staged_keys::StagedKeys;
pub(super) use upload::{InMemory, UploadContent};

use super::bindings::types::Error;
use super::facts::Facts;
use tuffet_config::HttpHost;
use tuffet_policy::{LineRate, SeriesTable, Unsent};

/// Calls of `kv`, `files`, `upload-content`, `metrics` and `history` per call of a hook.
const MAX_OPERATIONS: u32 = 1024;
/// As many for each event in a call of `observe`, if that comes to more.
const OPERATIONS_PER_EVENT: u32 = 16;
/// Payloads per call of a hook.
pub(super) const MAX_PAYLOADS: u32 = 1024;
/// Bytes of an upload in one call of a hook.
pub(super) const MAX_UPLOAD: u64 = 8 << 20;
/// Bytes of files in one call of a hook.
pub(super) const MAX_READ: u64 = 64 << 20;

/// The access of a plugin: the grants that its manifest requests and the configuration gives.
#[derive(Debug)]
pub(super) struct Access {
    /// The plugin's name.
    pub plugin: Arc<str>,
    /// Whether it gets MAC addresses.
    pub client_mac: bool,
    /// Whether it may see the last requests of the client.
    pub client_history: bool,
    /// The facts that its requests have beside those that all plugins get.
    pub facts: Facts,
    /// Whether it has a clock.
    pub clock: bool,
    /// Whether it has random numbers.
    pub random: bool,
    /// Whether it may read uploads.
    pub upload: bool,
    /// Its own counters and gauges.
    pub metrics: Option<Arc<SeriesTable>>,
    /// Its keys. None also while the configuration is only checked.
    pub keys: Option<Arc<dyn Keys>>,
    /// The namespaces that it shares with other plugins, by name. None also while the configuration is only checked.
    pub shared_keys: Vec<(String, Arc<dyn Keys>)>,
    /// The roots that it may read, by name.
    pub files: Vec<String>,
    /// The hosts that it may send HTTP requests to.
    pub http: Vec<HttpHost>,
    /// The sinks that it may fill. None also while the configuration is only checked.
    pub sinks: Vec<(String, Arc<dyn Outlet>)>,
    /// Of a plugin that wants to be called without events when a sink that was full may have room.
    pub unsent: Option<Unsent>,
    /// What answers its calls.
    pub host: Box<dyn HostCalls>,
    /// How fast its log lines may follow each other, and those about its calls.
    pub lines: Arc<LineRate>,
    pub notes: Arc<LineRate>,
}

/// What one call of a hook has taken so far.
#[derive(Debug, Default)]
pub(super) struct Taken {
    operations: u32,
    pub payloads: u32,
    /// Bytes of files.
    pub read: u64,
    /// Bytes of the upload.
    pub uploaded: u64,
    /// Set once the instance is configured; before, calls must have no effect.
    pub configured: bool,
    /// Set for each call: what would have an effect only seems to succeed.
    pub rehearses: bool,
    /// The events that a call of `observe` is about.
    pub events: u32,
}

/// The error of a call during `configure`.
pub(super) fn in_configure() -> Error {
    Code::WrongPhase.with("not in `configure`, which must have no effects")
}

impl Taken {
    /// Starts afresh, for an instance that is configured from now on.
    pub fn configure(&mut self) {
        self.configured = true;
        self.restart();
    }

    /// Starts another call of a hook.
    pub fn restart(&mut self) {
        let Taken { configured, rehearses, .. } = *self;
        *self = Taken { configured, rehearses, ..Taken::default() };
    }

    /// Counts a call.
    pub fn operation(&mut self) -> Result<(), Error> {
        let most = MAX_OPERATIONS.max(self.events.saturating_mul(OPERATIONS_PER_EVENT));
        if self.operations >= most {
            return Err(
                Code::Exhausted.with(format!("more than {most} calls of the host in one call of a hook"))
            );
        }
        self.operations += 1;
        Ok(())
    }
}

pub(super) fn not_granted(grant: impl std::fmt::Display) -> Error {
    Code::NotGranted.with(format!("the grant `{grant}` is not given"))
}
