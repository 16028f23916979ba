//! The policy section: the chains and their plugins.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grant::Grant;

/// The resolved `policy` and `plugins` sections.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyConfig {
    /// The verdict where every plugin abstains.
    pub default: DefaultVerdict,
    /// The names of the plugins of the `authorize` chain, in order. Each is in `plugins`.
    pub authorize: Vec<String>,
    /// The names of the plugins of the `resolve` chain, in order. Each is in `plugins`.
    pub resolve: Vec<String>,
    /// The names of the plugins of the `accept-upload` chain, in order. Each is in `plugins`.
    pub accept_upload: Vec<String>,
    /// The names of the observers. Each is in `plugins`.
    pub observe: Vec<String>,
    /// The time limit of all chains for one request.
    pub time_limit: Duration,
    /// The folder for compiled plugins; `None` keeps none.
    pub compiled: Option<PathBuf>,
    /// Every plugin, each once and each in a chain, sorted by name.
    pub plugins: Vec<PluginConfig>,
}

/// One plugin.
#[derive(Debug, Clone, PartialEq)]
pub struct PluginConfig {
    /// Its name in chains and logs.
    pub name: String,
    /// The source of its component.
    pub component: ComponentSource,
    /// Its settings: a JSON object.
    pub settings: serde_json::Value,
    /// How a failed call is treated.
    pub on_error: OnError,
    /// Its grants. Each root and sink in it is configured.
    pub grants: Vec<Grant>,
    /// Its limits.
    pub limits: PluginLimits,
    /// How long its instances are reused, at most one call being not at all; `None` is as its manifest says.
    pub reuse: Option<ReuseConfig>,
    /// Whether its verdicts take effect.
    pub mode: PluginMode,
    /// When its breaker opens.
    pub breaker: BreakerConfig,
    /// Its decision cache.
    pub cache: Option<DecisionCacheConfig>,
}

/// When the breaker of a failing plugin opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerConfig {
    /// Clients in a row whose calls failed, at least 1.
    pub failures: u32,
    /// The first back-off; it doubles with each further failure.
    pub back_off: Duration,
    /// The longest back-off.
    pub cap: Duration,
}

/// The decision cache of a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionCacheConfig {
    /// How long the cache keeps a decision.
    pub ttl: Duration,
    /// The facts that a decision depends on; requests with equal facts get the same decision.
    pub key: Arc<[Fact]>,
    /// The most decisions kept for each hook.
    pub entries: usize,
}

/// Whether the opinions of a plugin count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PluginMode {
    /// They count.
    #[default]
    Enforce,
    /// It is asked beside the chain; what it says is logged and changes nothing.
    Monitor,
}

/// A fact of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fact {
    /// `read` or `write`.
    Operation,
    /// `octet` or `netascii`.
    Mode,
    /// The name of the listener.
    Listener,
    /// The IP address of the client.
    Address,
    /// The port of the client.
    Port,
    /// What is known of its MAC addresses.
    Mac,
    /// What kind of client it seems to be.
    Class,
    /// The name as it was sent.
    Requested,
    /// The normalised path.
    Path,
    /// All options, as they were sent.
    Options,
}

/// How long an instance of a plugin is reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReuseConfig {
    /// The most calls of an instance.
    pub calls: u32,
    /// How long an idle instance is kept.
    pub idle: Duration,
}

impl ReuseConfig {
    /// Each call gets a fresh instance.
    pub const NEVER: ReuseConfig = ReuseConfig { calls: 1, idle: Duration::ZERO };
}

/// Where a plugin's component comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ComponentSource {
    /// A component that is built into the server.
    Builtin(String),
    /// A file, by absolute path.
    Path(PathBuf),
}

/// The limits of one plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PluginLimits {
    /// CPU time of a call, `configure` of a fresh instance included; at most `wall`.
    pub cpu: Duration,
    /// CPU time of `configure`, where instances are reused.
    pub configure: Duration,
    /// How long a call may take: waiting for an instance, computing, sleeping.
    pub wall: Duration,
    /// Bytes of all memories and tables of one instance.
    pub memory: u64,
    /// Content generated for one request, in bytes.
    pub content: u64,
    /// Concurrent calls, 1 to 128.
    pub instances: u32,
    /// Calls queued for an instance.
    pub queue: u32,
    /// Keys in its key-value store.
    pub kv_keys: u64,
    /// Bytes of all its keys and values.
    pub kv_bytes: u64,
}

/// The verdict where every plugin abstains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DefaultVerdict {
    /// The request is allowed.
    Allow,
    /// The request is denied.
    Deny,
}

/// What a failed call of a plugin counts as: a trap, a limit passed, a bad answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnError {
    /// The request is denied.
    #[default]
    Deny,
    /// The plugin has no opinion.
    Abstain,
}
