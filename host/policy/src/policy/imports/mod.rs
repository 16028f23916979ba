//! The host functions of plugins, besides the log: the interface of each grant, and the limits of one call of
//! a hook.

mod clock;
mod files;
mod http;
mod http_send;
mod http_stage;
mod keys;
mod kv;
mod random;
mod sinks;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

pub(super) use clock::FixedClock;
pub(super) use http::HttpGate;
pub(super) use keys::Keys;
pub(super) use random::constant;

use super::stage::Stage;
use crate::sinks::Sink;
use tuffet_config::HttpHost;
use tuffet_store::Roots;

/// Calls of `kv` and `files` per call of a hook.
const MAX_OPERATIONS: u32 = 1024;
/// Payloads per call of a hook.
const MAX_PAYLOADS: u32 = 1024;
/// Bytes of files per call of a hook.
const MAX_READ: u64 = 8 << 20;

/// What a plugin may use: what its manifest asks for and the configuration grants.
#[derive(Debug)]
pub(super) struct Access {
    /// The plugin's name.
    pub plugin: Arc<str>,
    /// Whether it is told MAC addresses.
    pub client_mac: bool,
    /// Whether it has the time.
    pub clock: bool,
    /// Whether it has random numbers.
    pub random: bool,
    /// Its keys. None also while the configuration is only checked.
    pub keys: Option<Keys>,
    /// The roots that it may read, by name.
    pub files: Vec<String>,
    /// The hosts that it may send HTTP requests to.
    pub http: Vec<HttpHost>,
    /// All roots.
    pub roots: Roots,
    /// The sinks that it may fill. None also while the configuration is only checked.
    pub sinks: Vec<(String, Outlet)>,
    /// Of a plugin that wants to be called without events when a sink that was full may have room.
    pub unsent: Option<Unsent>,
    /// What stands in for the host, where the plugin is tried out.
    pub stage: Option<Arc<Stage>>,
}

/// What a plugin that wants empty batches may have to send still.
#[derive(Debug)]
pub(super) struct Unsent {
    /// Whether a sink had no room for something, or whether there may be more than one call sends.
    waits: AtomicBool,
    /// Whether a sink took something since the last look.
    sent: AtomicBool,
}

impl Unsent {
    /// What it kept in an earlier process may have room.
    pub fn new() -> Unsent {
        Unsent { waits: AtomicBool::new(true), sent: AtomicBool::new(false) }
    }

    /// Whether there may be something.
    pub fn waits(&self) -> bool {
        self.waits.load(Relaxed)
    }

    /// Whether to call it without events now.
    pub fn is_due(&self) -> bool {
        self.sent.store(false, Relaxed);
        self.waits.swap(false, Relaxed)
    }

    /// It was called without events: what it sent may not be all.
    pub fn called(&self) {
        if self.sent.load(Relaxed) {
            self.waits.store(true, Relaxed);
        }
    }

    fn told(&self, taken: bool) {
        if taken { &self.sent } else { &self.waits }.store(true, Relaxed);
    }
}

/// Where the payloads for a sink go.
#[derive(Debug)]
pub(super) enum Outlet {
    /// To the sink.
    Sink(Arc<Sink>),
    /// Nowhere: they are recorded.
    Staged(Arc<Stage>),
}

/// What one call of a hook has taken so far.
#[derive(Debug, Default)]
pub(super) struct Taken {
    operations: u32,
    payloads: u32,
    read: u64,
    /// Set once the instance is configured; before, nothing may have an effect.
    configured: bool,
}

/// Why a call is answered without a look.
const IN_CONFIGURE: &str = "not in `configure`, which must have no effects";

impl Taken {
    /// Nothing yet, by an instance that is configured.
    pub fn configured() -> Taken {
        Taken { configured: true, ..Taken::default() }
    }

    /// Begins another call of a hook.
    pub fn restart(&mut self) {
        *self = Taken { configured: self.configured, ..Taken::default() };
    }

    /// One more call of `kv` or `files`.
    fn operation(&mut self) -> Result<(), String> {
        if self.operations == MAX_OPERATIONS {
            return Err(format!("more than {MAX_OPERATIONS} calls of kv and files in one call of a hook"));
        }
        self.operations += 1;
        Ok(())
    }
}

fn not_granted(grant: impl std::fmt::Display) -> String {
    format!("the grant `{grant}` is not given")
}
