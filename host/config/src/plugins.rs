//! The section `plugins`. A reload may change all of it.

use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tuffet_request::RootSpec;
use tuffet_request::settings::{BreakerLimits, Fact, OnError};
use tuffet_request::units::{ByteCount, MIB, TimeSpan, plain};

use super::address::check_name;
use super::component::{ComponentSource, Sha256Digest, component_schema, digest_schema};
use super::grant::Grant;
use super::kv::WhenAway;
use super::plugin_secrets::PluginSecrets;
use super::resolver::Resolver;
use super::sinks::SinkSpec;
use super::suggest::{closest, unknown};
use super::tree::join;
use super::verify::VerifyConfig;

/// A plugin: a WebAssembly component that implements one or more hooks.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PluginConfig {
    /// Its name in chains and logs.
    #[serde(skip)]
    pub name: String,
    /// `builtin:NAME` for a bundled plugin, the path of a component, relative to this file, or
    /// `oci://REGISTRY/REPOSITORY:TAG@sha256:DIGEST`. The last is pulled from a registry (`docs/registries.md`).
    #[schemars(schema_with = "component_schema")]
    pub component: ComponentSource,
    /// The SHA-256 digest of the component: 64 hexadecimal digits, as `sha256sum` prints them. The server refuses
    /// any other. Default: every component is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "digest_schema")]
    pub sha256: Option<Sha256Digest>,
    /// The required signature of a component from a registry. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<VerifyConfig>,
    /// The plugin's own settings, which the plugin checks.
    #[serde(default = "no_settings", skip_serializing_if = "is_empty")]
    #[schemars(schema_with = "settings_schema")]
    pub settings: Value,
    /// Settings that are secret, by name, or by a JSON pointer such as `/api/token`: `${NAME}` for an environment
    /// variable, or `{ file: PATH }`. The plugin gets them as texts among its settings; nothing shows them.
    #[serde(default, skip_serializing_if = "PluginSecrets::is_empty")]
    pub secrets: PluginSecrets,
    /// How a failed call (trap, exceeded limit, invalid answer) is treated.
    #[serde(default)]
    pub on_error: OnError,
    /// Capabilities that the plugin may use, if its manifest requests them too; a bundled plugin has those that it
    /// cannot do without anyway (`docs/plugins.md#grants`). None by default: `client-mac` (the
    /// client's known MAC addresses), `client-history` (its last requests), `clock`, `random`, `kv` (keys that outlive
    /// the call), `kv/NAME` (keys that plugins share), `metrics` (its own counters and gauges), `upload` (the content
    /// of uploads), `files/ROOT` (reading in that root), `sinks/NAME`, `http/HOST:PORT`.
    #[serde(default)]
    #[schemars(extend("uniqueItems" = true))]
    pub grants: Vec<Grant>,
    /// Limits of one call, and of the plugin's storage.
    #[serde(default)]
    pub limits: PluginLimits,
    /// Whether an instance serves further calls: much faster, but the plugin can remember data from one request to the
    /// next. Default: that of the plugin's manifest; the bundled plugins are reused without a limit on calls, and a
    /// plugin without that entry gets a fresh instance for each call. `{ calls: 1 }` enforces that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reuse: Option<ReuseConfig>,
    /// `monitor` runs the plugin beside its chain and logs where its answer differs from what happened; no request waits
    /// for it, and its answer has no effect (`docs/plugins-trial.md#real-requests-without-effect`).
    #[serde(default)]
    pub mode: PluginMode,
    /// With `mode: monitor`, whether the keys that the plugin changes are stored, and its lines reach the sinks. Otherwise
    /// it alone sees its changes.
    #[serde(default)]
    pub effects: bool,
    /// When the server stops calling a failing plugin, or sending its HTTP requests to a host that does not answer.
    #[serde(default)]
    pub breaker: BreakerLimits,
    /// The answer to the plugin while the NATS servers of `kv` do not answer. Default: that of `kv`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "WhenAway")]
    pub when_away: Option<WhenAway>,
    /// Caches decisions of `authorize` and `resolve`. Default: that of the plugin's manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<DecisionCacheConfig>,
}

impl PluginConfig {
    /// Returns whether the keys that it changes are stored, and its lines reach the sinks.
    pub fn has_effects(&self) -> bool {
        self.mode == PluginMode::Enforce || self.effects
    }
}

/// A cache of the plugin's decisions. Requests that agree in every fact of `key` get the same decision, so
/// `key` must name everything that the decision depends on. Failures are not cached.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DecisionCacheConfig {
    /// How long a decision stays cached. The `Cache-Control` of HTTP answers that the plugin got for it shortens this.
    #[serde(with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "1ms", "x-maximum" = "1d"))]
    pub ttl: Duration,
    /// The facts that a decision depends on: any of `operation`, `mode`, `listener`, `address`, `port`, `mac`, `class`,
    /// `requested`, `path`, `options`, and those that plugins request: `local-address`, `interface`, `vlan`, `lease`.
    #[schemars(length(min = 1), extend("uniqueItems" = true))]
    pub key: Vec<Fact>,
    /// The number of cached decisions per hook; each KiB of content counts as one more.
    #[serde(default = "cache_entries")]
    #[schemars(range(min = 1, max = 10_000_000))]
    pub entries: usize,
}

/// How long an instance of a plugin is reused. An instance is not reused after a failure, or after its calls have used
/// more than half of the memory that `configure` left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ReuseConfig {
    /// The number of calls that one instance serves.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub calls: u32,
    /// How long an instance waits for its next call. The last instance of a plugin waits for ever, so that a
    /// request after a quiet night does not wait for `configure`.
    #[serde(with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "1ms", "x-maximum" = "1h"))]
    pub idle: Duration,
}

/// Limits of one call, and of the plugin's storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct PluginLimits {
    /// The CPU time of one call, as the kernel counts it: waiting on a busy machine does not count. At most `wall`.
    #[serde(rename = "time", with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "1ms", "x-maximum" = "1m"))]
    pub cpu: Duration,
    /// The CPU time of `configure` where instances are reused. They are configured beside the calls. Otherwise
    /// `configure` is part of each call.
    #[serde(with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "1ms", "x-maximum" = "10m"))]
    pub configure: Duration,
    /// The duration of one call, waiting included.
    #[serde(with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "1ms", "x-maximum" = "1m"))]
    pub wall: Duration,
    /// The memory of one instance.
    #[serde(with = "plain")]
    #[schemars(with = "ByteCount", extend("x-minimum" = "1MiB", "x-maximum" = "4GiB"))]
    pub memory: u64,
    /// The content that the plugin may generate for one request.
    #[serde(with = "plain")]
    #[schemars(with = "ByteCount", extend("x-minimum" = "0", "x-maximum" = "1GiB"))]
    pub content: u64,
    /// The memory for renderings: content that answers all requests for which the plugin names the same key. Content
    /// without room is rendered again for later requests.
    #[serde(with = "plain")]
    #[schemars(with = "ByteCount", extend("x-minimum" = "0", "x-maximum" = "64GiB"))]
    pub renderings: u64,
    /// The memory for content that the plugin makes in parts, for all keys together. Without room for a content, its
    /// requests get no answer, so that their clients ask again.
    #[serde(with = "plain")]
    #[schemars(with = "ByteCount", extend("x-minimum" = "0", "x-maximum" = "64GiB"))]
    pub parts: u64,
    /// The number of concurrent calls, each with its own instance and memory. One client gets at most half of
    /// what other clients leave.
    #[schemars(range(min = 1, max = 128))]
    pub instances: u32,
    /// The number of calls that may wait for an instance. When it is exceeded, the client with the most waiting
    /// calls loses its newest one: that request gets no answer, so that the client asks again.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub queue: u32,
    /// The number of keys, with the grant `kv`.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub kv_keys: u64,
    /// The total size of all keys and values.
    #[serde(with = "plain")]
    #[schemars(with = "ByteCount", extend("x-minimum" = "1KiB", "x-maximum" = "1TiB"))]
    pub kv_bytes: u64,
}

/// Whether the opinions of a plugin count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PluginMode {
    /// They count.
    #[default]
    Enforce,
    /// It runs beside the chain; its verdict is logged and has no effect.
    Monitor,
}

impl Default for PluginLimits {
    fn default() -> Self {
        Self {
            cpu: Duration::from_millis(200),
            configure: Duration::from_secs(10),
            wall: Duration::from_millis(500),
            memory: 64 * MIB,
            content: MIB,
            renderings: 16 * MIB,
            parts: 256 * MIB,
            instances: 32,
            queue: 1024,
            kv_keys: 10_000,
            kv_bytes: 16 * MIB,
        }
    }
}

impl Default for ReuseConfig {
    fn default() -> Self {
        Self { calls: 1000, idle: Duration::from_secs(30) }
    }
}

impl ReuseConfig {
    /// Each call gets a fresh instance.
    pub const NEVER: ReuseConfig = ReuseConfig { calls: 1, idle: Duration::ZERO };
}

fn no_settings() -> Value {
    serde_json::json!({})
}

fn is_empty(settings: &Value) -> bool {
    settings.as_object().is_some_and(serde_json::Map::is_empty)
}

fn cache_entries() -> usize {
    10_000
}

fn settings_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "additionalProperties": true })
}

/// The names that plugins may refer to.
#[derive(Clone, Copy)]
pub(crate) struct ReferableNames<'a> {
    pub listeners: &'a [String],
    pub roots: &'a [RootSpec],
    pub sinks: &'a [SinkSpec],
}

impl Resolver<'_> {
    pub(crate) fn plugin(
        &mut self,
        name: String,
        plugin: PluginConfig,
        named: ReferableNames<'_>,
    ) -> PluginConfig {
        let ReferableNames { roots, sinks, .. } = named;
        let pointer = join("/plugins", &name);
        if let Err(complaint) = check_name(&name) {
            self.wrong_key(&pointer, complaint);
        }
        let (limits, breaker) = (&plugin.limits, &plugin.breaker);
        let first = ", which ends the call first";
        self.ascending(&join(&pointer, "limits"), ("time", limits.cpu), ("wall", limits.wall), first);
        let [back_off, cap] = [("back-off", breaker.back_off), ("cap", breaker.cap)];
        self.ascending(&join(&pointer, "breaker"), back_off, cap, "");
        self.grants(&join(&pointer, "grants"), &plugin.grants, roots, sinks);
        let plugin = PluginConfig { grants: self.with_needed_grants(&plugin), ..plugin };
        self.references(&join(&pointer, "settings"), &plugin, named);
        let secrets =
            self.plugin_secrets(&join(&pointer, "secrets"), plugin.secrets.clone(), &plugin.settings);
        let component = self.component(&join(&pointer, "component"), plugin.component.clone());
        let verify = plugin.verify.map(|verify| self.verify(&join(&pointer, "verify"), verify, &component));
        PluginConfig { name, component, verify, secrets, ..plugin }
    }

    /// Checks that each granted root and sink exists.
    fn grants(&mut self, pointer: &str, grants: &[Grant], roots: &[RootSpec], sinks: &[SinkSpec]) {
        let roots = || roots.iter().map(|root| root.name.as_str());
        let sinks = || sinks.iter().map(|sink| sink.name.as_str());
        for (index, grant) in grants.iter().enumerate() {
            let message = match grant {
                Grant::Files(name) if !roots().any(|root| root == name) => {
                    unknown("root", name, closest(name, roots()), roots())
                }
                Grant::Sinks(name) if !sinks().any(|sink| sink == name) => match closest(name, sinks()) {
                    Some(like) => unknown("sink", name, Some(like), sinks()),
                    None => format!(
                        "unknown sink `{name}`; add it below `sinks`, such as `{name}: {{ file: {name}.jsonl }}`"
                    ),
                },
                _ => continue,
            };
            self.wrong(format!("{pointer}/{index}"), message);
        }
    }
}
