//! The configuration as written in YAML.
//!
//! The doc comments of the fields are the descriptions in the JSON Schema and in
//! `docs/configuration.md`; the file is checked against the bounds. `resolve` checks what the schema
//! alone cannot express.

pub(crate) mod defaults;
mod limits;
mod otlp;
mod privileges;
mod sinks;
mod telemetry;
mod write;

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::grant::Grant;
use super::policy::{DefaultVerdict, Fact, OnError, PluginMode};
use super::units::{ByteCount, TimeSpan};
pub(super) use limits::{Limits, PerClient};
pub(super) use otlp::Otlp;
pub(super) use privileges::Privileges;
pub(super) use sinks::{
    Batch, FsyncPolicy, Http, HttpFormat, Nats, OneOrMore, Rotate, SecretText, Sink, Spool,
};

pub(super) use telemetry::{Metrics, Telemetry, Traces};
pub(super) use write::{FileMode, Write};

/// The largest number of workers.
pub(super) const MAX_WORKERS: usize = 1024;

/// The configuration of a Tuffet server.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct Written {
    /// The addresses on which the server receives requests. Required, unless `--listen` is given, which
    /// replaces it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1))]
    pub listeners: Vec<Listener>,
    /// The served folders, searched in this order. Required, unless `--root` is given, which replaces it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1))]
    pub roots: Vec<Root>,
    /// Which plugins decide, and in which order.
    pub policy: Policy,
    /// The plugins, by name. Each must be in a chain of `policy`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub plugins: BTreeMap<String, Plugin>,
    /// Named outputs for plugins with the grant `sinks/NAME`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sinks: BTreeMap<String, Sink>,
    /// The folder for data that outlives the process: the keys of plugins with the grant `kv`, and the spools
    /// of sinks. Created if missing. Each server needs its own. Default: `$STATE_DIRECTORY`, which systemd
    /// sets, else `/var/lib/tuffet`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub state: Option<PathBuf>,
    /// The control socket, which `tuffet reload` and `tuffet status` connect to; `none` disables it. Each
    /// server needs its own. Default: `control` in `$RUNTIME_DIRECTORY`, which systemd sets, else in
    /// `/run/tuffet` for root, else in `$XDG_RUNTIME_DIR/tuffet`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub control: Option<PathBuf>,
    /// The admin listener: the live view as a web page, health and metrics over HTTP, read-only. Disabled
    /// without this section; `{}` enables it with the defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin: Option<Admin>,
    /// The number of threads that move blocks. Default: the number of processor cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u16", range(min = 1, max = 1024))]
    pub workers: Option<usize>,
    /// How long a worker polls for the next datagram before it sleeps, while datagrams follow each other that
    /// closely. Makes lockstep transfers over short paths up to three times as fast; the core is busy
    /// meanwhile. 0s disables it.
    #[schemars(extend("x-minimum" = "0s", "x-maximum" = "1ms"))]
    pub busy_poll: TimeSpan,
    /// How long running transfers may continue after SIGTERM or SIGINT. A client that has never answered
    /// delays the exit by one second at most. 0s ends them at once.
    #[schemars(extend("x-minimum" = "0s", "x-maximum" = "1d"))]
    pub drain: TimeSpan,
    /// Option negotiation, retransmission, and bounds on slow transfers.
    pub transfer: Transfer,
    /// Bounds on concurrent transfers, requests, uploads and memory.
    pub limits: Limits,
    /// Export to an OpenTelemetry collector over OTLP. Disabled without this section, unless
    /// `OTEL_EXPORTER_OTLP_ENDPOINT` or its variant for one signal is set. The variables `OTEL_*` override
    /// this section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub telemetry: Option<Telemetry>,
    /// The user and the restrictions that the server runs with after its start.
    pub privileges: Privileges,
}

/// An address on which the server receives requests.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Listener {
    /// IP address and UDP port: `0.0.0.0:69`, `[::]:69`. Port 0 selects any free port. Host names are not
    /// resolved.
    #[schemars(schema_with = "address_schema")]
    pub address: String,
    /// The listener's name in plugins and logs. Default: the address as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "name_schema")]
    pub name: Option<String>,
    /// Whether transfers use the listening port instead of TID ports: for clients behind NAT, containers and
    /// load balancers.
    #[serde(default)]
    pub single_port: bool,
    /// The number of TID ports, divided among the workers. The port that serves a transfer is all that its client
    /// proves its address with, so each further one makes forged ACKs less likely to hit it. Each takes a descriptor
    /// and 2.5 KiB of kernel memory. Default: 512; fewer if the process may open less than 4096 files, an eighth of
    /// these for all listeners.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u16", range(min = 1, max = 16384))]
    pub tid_ports: Option<u16>,
    /// The number of blocks of a window that the server sends to one client per millisecond, for clients that
    /// lose faster bursts. Default: the whole window at once; the server then paces a transfer by itself if
    /// it keeps losing blocks at the same place of its windows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u16", range(min = 1, max = 32767))]
    pub burst: Option<u16>,
}

/// A served folder. No name leads out of it.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Root {
    /// The root's name in plugins and logs.
    #[schemars(schema_with = "name_schema")]
    pub name: String,
    /// The folder, relative to this file.
    #[schemars(schema_with = "path_schema")]
    pub path: PathBuf,
    /// Whether clients may upload into it.
    #[serde(default)]
    pub writable: bool,
    /// Whether an upload may replace an existing file that the server's user can write. The file keeps its owner,
    /// group, permissions, access control lists and attributes as far as the system lets the server; otherwise it
    /// gets fewer permissions, never more. Needs `writable`.
    #[serde(default)]
    pub overwrite: bool,
    /// Whether only plugins with the grant `files/NAME` can read it: clients get nothing from it, whatever
    /// name they ask for, and no plugin may answer with its files. For leases, inventories, templates.
    #[serde(default)]
    pub private: bool,
    /// Whether the server serves what takes the place of the folder while it runs, within some seconds and without a
    /// reload: a folder that was renamed to its path, or a file system that was mounted over it. Otherwise it goes on
    /// with the folder that it opened, and warns. The sandbox rules then allow the folder around it, too.
    #[serde(default)]
    pub follow: bool,
    /// The largest upload, in bytes. Needs `writable`.
    #[serde(default = "defaults::max_upload")]
    pub max_upload: ByteCount,
    /// How uploads are written. Needs `writable`.
    #[serde(default)]
    pub write: Write,
}

/// Which plugins decide, and in which order.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct Policy {
    /// The decision if every plugin of `authorize` abstains.
    pub default: DefaultVerdict,
    /// The plugins that decide who may do what, in order. The first denial ends the chain.
    #[schemars(extend("uniqueItems" = true))]
    pub authorize: Vec<String>,
    /// The plugins that decide which file a client gets, in order. The first answer ends the chain; without
    /// one, the server searches the roots for the requested path.
    #[schemars(extend("uniqueItems" = true))]
    pub resolve: Vec<String>,
    /// The plugins that decide whether an upload becomes visible, in order, once it is complete and on disk.
    /// The first denial ends the chain.
    #[schemars(extend("uniqueItems" = true))]
    pub accept_upload: Vec<String>,
    /// The plugins that receive events of transfers.
    #[schemars(extend("uniqueItems" = true))]
    pub observe: Vec<String>,
    /// The time that all chains together have for one request, waiting included; `accept-upload` has the same
    /// time again. A request whose time is over in a queue gets no answer, so that its client asks again. Keep it
    /// below the time-out of your clients, which is often one second.
    #[schemars(extend("x-minimum" = "1ms", "x-maximum" = "1m"))]
    pub time_limit: TimeSpan,
    /// The cache folder for compiled plugins, so that a start compiles only new ones; `none` disables the
    /// cache. It must belong to the server's user, and nobody else may be able to write to it. Default:
    /// `$CACHE_DIRECTORY`, which systemd sets, else `/var/cache/tuffet` for root, else
    /// `$XDG_CACHE_HOME/tuffet` or `~/.cache/tuffet`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub compiled: Option<PathBuf>,
}

/// A plugin: a WebAssembly component that implements one or more hooks.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Plugin {
    /// `builtin:NAME` for a bundled plugin, or the path of a component, relative to this file.
    #[schemars(schema_with = "component_schema")]
    pub component: String,
    /// The plugin's own settings, which the plugin checks.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub settings: serde_json::Map<String, serde_json::Value>,
    /// How a failed call (trap, exceeded limit, invalid answer) is treated.
    #[serde(default = "defaults::on_error")]
    pub on_error: OnError,
    /// Capabilities that the plugin may use, if its manifest requests them too. None by default: `client-mac`
    /// (the client's known MAC addresses), `clock`, `random`, `kv` (keys that outlive the call), `files/ROOT`
    /// (reading in that root), `sinks/NAME`, `http/HOST:PORT`.
    #[serde(default)]
    #[schemars(extend("uniqueItems" = true))]
    pub grants: Vec<Grant>,
    /// Limits of one call, and of the plugin's storage.
    #[serde(default)]
    pub limits: PluginLimits,
    /// Whether an instance serves further calls: much faster, but the plugin can remember data from one request
    /// to the next. Default: as the plugin's manifest says; the bundled plugins are reused without a limit on
    /// calls, and a plugin that says nothing gets a fresh instance for each call. `{ calls: 1 }` enforces that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reuse: Option<Reuse>,
    /// `monitor` runs the plugin beside its chain and logs its verdict; no request waits for it, and it
    /// changes nothing.
    #[serde(default)]
    pub mode: PluginMode,
    /// When the server stops calling a failing plugin.
    #[serde(default)]
    pub breaker: Breaker,
    /// Caches decisions of `authorize` and `resolve`. Default: every request calls the plugin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<DecisionCache>,
}

/// When the server stops calling a failing plugin. While the breaker is open, `on-error` answers. After the
/// back-off, single calls probe the plugin; the back-off doubles each time the probes of up to three clients
/// have failed.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct Breaker {
    /// The number of different clients whose calls must fail, with no successful call between, to open the
    /// breaker. Calls that fail for one client alone never open it, unless this is 1.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub failures: u32,
    /// The first back-off. At most `cap`.
    #[schemars(extend("x-minimum" = "1ms", "x-maximum" = "1h"))]
    pub back_off: TimeSpan,
    /// The longest back-off.
    #[schemars(extend("x-minimum" = "1ms", "x-maximum" = "1d"))]
    pub cap: TimeSpan,
}

/// A cache of the plugin's decisions. Requests that agree in every fact of `key` get the same decision, so
/// `key` must name everything that the decision depends on. Failures are not cached.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct DecisionCache {
    /// How long a decision stays cached.
    #[schemars(extend("x-minimum" = "1ms", "x-maximum" = "1d"))]
    pub ttl: TimeSpan,
    /// The facts that a decision depends on: any of `operation`, `mode`, `listener`, `address`, `port`,
    /// `mac`, `class`, `requested`, `path`, `options`.
    #[schemars(length(min = 1), extend("uniqueItems" = true))]
    pub key: Vec<Fact>,
    /// The number of cached decisions per hook; each KiB of content counts as one more.
    #[serde(default = "defaults::cache_entries")]
    #[schemars(range(min = 1, max = 10_000_000))]
    pub entries: usize,
}

/// How long an instance of a plugin is reused. An instance that failed, or whose calls have used more than half
/// of the memory that `configure` left, is not reused.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct Reuse {
    /// The number of calls that one instance serves.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub calls: u32,
    /// How long an instance waits for its next call. The last instance of a plugin waits for ever, so that a
    /// request after a quiet night does not wait for `configure`.
    #[schemars(extend("x-minimum" = "1ms", "x-maximum" = "1h"))]
    pub idle: TimeSpan,
}

/// Limits of one call, and of the plugin's storage.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct PluginLimits {
    /// The CPU time of one call, as the kernel counts it: a busy machine does not use it up. At most `wall`.
    #[schemars(extend("x-minimum" = "1ms", "x-maximum" = "1m"))]
    pub time: TimeSpan,
    /// The CPU time of `configure` where instances are reused. They are configured beside the calls. Otherwise
    /// `configure` is part of each call.
    #[schemars(extend("x-minimum" = "1ms", "x-maximum" = "10m"))]
    pub configure: TimeSpan,
    /// The duration of one call, waiting included.
    #[schemars(extend("x-minimum" = "1ms", "x-maximum" = "1m"))]
    pub wall: TimeSpan,
    /// The memory of one instance.
    #[schemars(extend("x-minimum" = "1MiB", "x-maximum" = "4GiB"))]
    pub memory: ByteCount,
    /// The content that the plugin may generate for one request.
    #[schemars(extend("x-minimum" = "0", "x-maximum" = "1GiB"))]
    pub content: ByteCount,
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
    #[schemars(extend("x-minimum" = "1KiB", "x-maximum" = "1TiB"))]
    pub kv_bytes: ByteCount,
}

/// The admin listener: the live view, health and metrics over HTTP. It is read-only.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct Admin {
    /// IP address and TCP port, or `unix:PATH` for a Unix socket that the server's user and its group may
    /// use. An address other than loopback needs a `token`. HTTP is not encrypted: put a TLS proxy in front
    /// where others can listen in.
    #[schemars(schema_with = "admin_address_schema")]
    pub address: String,
    /// The token that readers send: `Authorization: Bearer TOKEN`, or a field on the page. Either `${NAME}`
    /// for an environment variable, or `{ file: PATH }`; at least 16 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<SecretText>,
}

/// Option negotiation, retransmission, and bounds on slow transfers.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct Transfer {
    /// The largest granted block size, in bytes (RFC 2348). A client that requests none gets 512.
    #[schemars(range(min = 8, max = 65464))]
    pub max_blksize: u16,
    /// The largest granted window, in blocks (RFC 7440). RFC 7440 allows 65535; above 32767 a duplicated ACK
    /// could be mistaken for another. A client that requests none gets 1.
    #[schemars(range(min = 1, max = 32767))]
    pub max_windowsize: u16,
    /// The block number that follows 65535.
    #[schemars(range(min = 0, max = 1))]
    pub rollover: u16,
    /// When the server retransmits an unanswered packet.
    pub retransmit: Retransmit,
    /// The slowest allowed transfer, in bytes per second, measured over twice the time that a client may be
    /// silent (`retransmit.give-up`, or three times the option `timeout`). The server ends a slower one with
    /// an ERROR. Serial lines of 1200 baud move 120. 0 disables it.
    #[schemars(extend("x-minimum" = "0", "x-maximum" = "1GiB"))]
    pub least_rate: ByteCount,
    /// The longest allowed transfer, however well it progresses; the server ends a longer one with an ERROR.
    /// 0s disables it.
    #[schemars(extend("x-minimum" = "0s", "x-maximum" = "365d"))]
    pub max_duration: TimeSpan,
}

/// When the server retransmits an unanswered packet. Each time must be at least the one before it: `floor`,
/// `initial`, `cap`, `give-up`.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct Retransmit {
    /// The shortest retransmission time-out, however short the measured round-trip time is.
    #[schemars(extend("x-minimum" = "1ms", "x-maximum" = "1h"))]
    pub floor: TimeSpan,
    /// The retransmission time-out before a round-trip time has been measured.
    #[schemars(extend("x-minimum" = "1ms", "x-maximum" = "1h"))]
    pub initial: TimeSpan,
    /// The longest retransmission time-out; it doubles with each repetition up to this.
    #[schemars(extend("x-minimum" = "1ms", "x-maximum" = "1h"))]
    pub cap: TimeSpan,
    /// How long a client may be silent before the server gives up on the transfer.
    #[schemars(extend("x-minimum" = "1ms", "x-maximum" = "1h"))]
    pub give_up: TimeSpan,
}

fn address_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "address" })
}

fn admin_address_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "admin-address", "minLength": 1 })
}

fn name_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "name", "pattern": "^[A-Za-z0-9_.:\\[\\]-]{1,64}$" })
}

fn path_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "path", "minLength": 1 })
}

fn component_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "component", "minLength": 1 })
}
