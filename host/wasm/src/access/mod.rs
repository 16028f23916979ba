//! The access of a plugin: its grants, the implementation of its host calls, and the limits of one call of a hook.

mod calls;
mod clock;
mod error;
mod files;
mod http;
mod http_body;
mod http_host;
mod http_send;
mod live;
mod random;
mod resolver;
mod scratch;
mod staged;
mod staged_keys;
mod upload;

use std::sync::Arc;

pub(super) use calls::{HostCalls, Keys, Pending, SinkOutput};
pub use clock::READ_CLOCK;
pub(super) use clock::{FixedClock, UnaskedClock};
pub(super) use error::Code;
pub(super) use files::{MAX_PATH, too_large};
pub(super) use http::HttpGate;
pub(super) use http_host::{GrantedHost, HttpCaller};
pub(super) use live::{Live, StoredKeys, StoredUpload};
pub(super) use random::constant;
pub(super) use scratch::{ScratchKeys, ScratchSink};
pub(super) use staged::Staged;
pub(super) use staged_keys::StagedKeys;
pub(super) use upload::{InMemory, UploadContent};

use super::bindings::types::Error;
use super::facts::Facts;
use tuffet_config::PluginSecrets;
use tuffet_policy::{LineRate, SeriesTable, Unsent};

/// The maximum number of `kv`, `files`, `upload-content`, `metrics` and `history` calls per call of a hook.
const MAX_OPERATIONS: u32 = 1024;
/// The same per event in a call of `observe`, if that is more in total.
const OPERATIONS_PER_EVENT: u32 = 16;
/// The maximum number of payloads per call of a hook.
pub(super) const MAX_PAYLOADS: u32 = 1024;
/// The maximum number of bytes read from an upload per call of a hook.
pub(super) const MAX_UPLOAD: u64 = 8 << 20;
/// The maximum number of bytes read from files per call of a hook.
pub(super) const MAX_READ: u64 = 64 << 20;

/// The access of a plugin: the grants that its manifest requests and the configuration gives.
#[derive(Debug)]
pub(super) struct Access {
    /// The plugin's name.
    pub plugin: Arc<str>,
    /// Its secrets, which nothing may contain that it lets others see.
    pub secrets: PluginSecrets,
    /// Whether it gets MAC addresses.
    pub client_mac: bool,
    /// Whether it may see the last requests of the client.
    pub client_history: bool,
    /// The optional facts of its requests.
    pub facts: Facts,
    /// Whether it has a clock.
    pub clock: bool,
    /// Set if its manifest does not even ask for one.
    pub unasked_clock: Option<UnaskedClock>,
    /// Whether it has random numbers.
    pub random: bool,
    /// Whether it may read uploads.
    pub upload: bool,
    /// Its counters and gauges.
    pub metrics: Option<Arc<SeriesTable>>,
    /// Its keys; also `None` while the configuration is only checked.
    pub keys: Option<Arc<dyn Keys>>,
    /// The namespaces that it shares with other plugins, by name. Empty while the configuration is only checked.
    pub shared_keys: Vec<(String, Arc<dyn Keys>)>,
    /// The roots that it may read, by name.
    pub files: Vec<String>,
    /// The hosts that it may send HTTP requests to.
    pub http: Vec<Arc<GrantedHost>>,
    /// The sinks that it may fill. Empty while the configuration is only checked.
    pub sinks: Vec<(String, Arc<dyn SinkOutput>)>,
    /// Set for a plugin that wants a call without events once a full sink may have room again.
    pub unsent: Option<Unsent>,
    /// The implementation of its host calls.
    pub host: Box<dyn HostCalls>,
    /// The rate limits of its log lines, and of those about its calls.
    pub lines: Arc<LineRate>,
    pub notes: Arc<LineRate>,
}

impl Access {
    /// Whether the plugin has read the clock, for which its manifest does not ask.
    pub fn has_read_unasked_clock(&self) -> bool {
        self.unasked_clock.as_ref().is_some_and(UnaskedClock::is_read)
    }
}

/// The usage of one call of a hook so far.
#[derive(Debug, Default)]
pub(super) struct CallUsage {
    operations: u32,
    pub payloads: u32,
    /// Bytes of files.
    pub read: u64,
    /// Bytes of the upload.
    pub uploaded: u64,
    /// Whether the instance is configured; before that, calls must have no effect.
    pub configured: bool,
    /// Whether the call is a rehearsal: host calls with effects only seem to succeed.
    pub rehearses: bool,
    /// The number of events in a call of `observe`.
    pub events: u32,
}

/// The error of a host call during `configure`.
pub(super) fn in_configure() -> Error {
    Code::WrongPhase.with("not in `configure`, which must have no effects")
}

impl CallUsage {
    /// Marks the instance as configured, and resets the counts.
    pub fn configure(&mut self) {
        self.configured = true;
        self.restart();
    }

    /// Resets the counts for another call of a hook.
    pub fn restart(&mut self) {
        let CallUsage { configured, rehearses, .. } = *self;
        *self = CallUsage { configured, rehearses, ..CallUsage::default() };
    }

    /// Counts a host call.
    pub fn operation(&mut self) -> Result<(), Error> {
        let max = MAX_OPERATIONS.max(self.events.saturating_mul(OPERATIONS_PER_EVENT));
        if self.operations >= max {
            return Err(
                Code::Exhausted.with(format!("more than {max} calls of the host in one call of a hook"))
            );
        }
        self.operations += 1;
        Ok(())
    }
}

pub(super) fn not_granted(grant: impl std::fmt::Display) -> Error {
    Code::NotGranted.with(format!("the grant `{grant}` is not given"))
}
