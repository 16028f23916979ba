//! What the configuration says of policy: the chains and their plugins.

use std::path::PathBuf;
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
    /// The names of the plugins that are told what happened. Each is in `plugins`.
    pub observe: Vec<String>,
    /// The folder that compiled plugins are kept in; `None` keeps none.
    pub compiled: Option<PathBuf>,
    /// Every plugin, each once and each in a chain, sorted by name.
    pub plugins: Vec<PluginConfig>,
}

/// One plugin.
#[derive(Debug, Clone, PartialEq)]
pub struct PluginConfig {
    /// Its name in chains and logs.
    pub name: String,
    /// Where its component comes from.
    pub component: ComponentSource,
    /// Its own settings: a JSON object.
    pub settings: serde_json::Value,
    /// What a failed call counts as.
    pub on_error: OnError,
    /// What it may use. Each root and sink in it is configured.
    pub grants: Vec<Grant>,
    /// Its limits.
    pub limits: PluginLimits,
    /// How long its instances are kept; `None` is a fresh one for each call.
    pub reuse: Option<ReuseConfig>,
}

/// How long an instance of a plugin is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReuseConfig {
    /// The calls that it serves.
    pub calls: u32,
    /// How long it waits for the next one.
    pub idle: Duration,
}

/// Where a plugin's component comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ComponentSource {
    /// One that is built into the server.
    Builtin(String),
    /// A file, by absolute path.
    Path(PathBuf),
}

/// The limits of one plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PluginLimits {
    /// How long a call may compute, at most `wall`.
    pub time: Duration,
    /// How long a call may take, waiting included.
    pub wall: Duration,
    /// Memory of one instance, in bytes.
    pub memory: u64,
    /// Content that it may generate for one request, in bytes.
    pub content: u64,
    /// Keys that it may have.
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
