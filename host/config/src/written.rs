//! The configuration as it is written in YAML.
//!
//! The doc comments of the fields are the descriptions in the JSON Schema and in
//! `docs/configuration.md`; the bounds are what the file is checked against. Keys that the schema
//! alone cannot judge are judged in `resolve`.

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
    /// Where requests are awaited. Needed, unless `--listen` is given, which takes its place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1))]
    pub listeners: Vec<Listener>,
    /// The folders that are served, searched in this order. Needed, unless `--root` is given, which
    /// takes its place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1))]
    pub roots: Vec<Root>,
    /// Who decides, in which order.
    pub policy: Policy,
    /// The plugins, by name. Each must be in a chain of `policy`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub plugins: BTreeMap<String, Plugin>,
    /// Outputs that plugins may fill, by name, where they are granted.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sinks: BTreeMap<String, Sink>,
    /// The folder for what must outlive the process: the keys of plugins that are granted `kv`, and spools
    /// of sinks. Made where
    /// it is not there; one for each server. Without it `$STATE_DIRECTORY`, as systemd sets it, else
    /// `/var/lib/tuffet`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub state: Option<PathBuf>,
    /// The socket at which `tuffet reload` and `tuffet status` reach the server; `none` for none. One for
    /// each server. Without it `control` in `$RUNTIME_DIRECTORY`, as systemd sets it, else in
    /// `/run/tuffet` for root or in `$XDG_RUNTIME_DIR/tuffet`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub control: Option<PathBuf>,
    /// The admin listener: the live view as a web page, health and metrics by HTTP, read-only. Without this
    /// section there is none; `{}` is one with the defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin: Option<Admin>,
    /// How many threads move blocks. Without it, as many as there are processor cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u16", range(min = 1, max = 1024))]
    pub workers: Option<usize>,
    /// How long a worker looks for the next datagram before it sleeps, while they follow each other that
    /// closely. Lockstep transfers over short paths become up to three times as fast; the core is busy
    /// meanwhile. 0s: never.
    #[schemars(extend("x-minimum" = "0s", "x-maximum" = "1ms"))]
    pub busy_poll: TimeSpan,
    /// How long running transfers may go on after SIGTERM or SIGINT. A client that has not answered yet holds up
    /// the end for a second at most. 0s: not at all.
    #[schemars(extend("x-minimum" = "0s", "x-maximum" = "1d"))]
    pub drain: TimeSpan,
    /// What is negotiated with clients, and how losses are repaired.
    pub transfer: Transfer,
    /// How much is accepted at a time.
    pub limits: Limits,
    /// What is told to an OpenTelemetry collector, over OTLP. Without this section nothing is, unless
    /// `OTEL_EXPORTER_OTLP_ENDPOINT` or one of its kind is set. The variables `OTEL_*` have precedence over
    /// what stands here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub telemetry: Option<Telemetry>,
    /// What is left of root, or of a capability, after the start.
    pub privileges: Privileges,
}

/// An address on which requests are awaited.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Listener {
    /// IP address and UDP port: `0.0.0.0:69`, `[::]:69`. Port 0 takes any free one. Names of hosts are
    /// not looked up.
    #[schemars(schema_with = "address_schema")]
    pub address: String,
    /// Its name for plugins and logs. Without it, the address as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "name_schema")]
    pub name: Option<String>,
    /// Whether blocks travel over the listening port too, instead of a port of their own for each
    /// transfer: for clients behind NAT, containers and load balancers.
    #[serde(default)]
    pub single_port: bool,
    /// How many blocks of a window go out to one client within a millisecond, where its clients lose what
    /// comes faster. Without it, all at once; a transfer that loses block after block at the same place of
    /// its windows then finds a pace of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u16", range(min = 1, max = 32767))]
    pub burst: Option<u16>,
}

/// A folder whose files are served. No name leads out of it.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Root {
    /// Its name for plugins and logs.
    #[schemars(schema_with = "name_schema")]
    pub name: String,
    /// The folder, relative to this file.
    #[schemars(schema_with = "path_schema")]
    pub path: PathBuf,
    /// Whether clients may upload into it.
    #[serde(default)]
    pub writable: bool,
    /// Whether an upload may replace a file that is there, if the server's user may write it. Owner, group,
    /// permissions, access control lists and attributes of that file stay, as far as the system lets the server;
    /// else it gets fewer permissions, never more. Needs `writable`.
    #[serde(default)]
    pub overwrite: bool,
    /// Whether only plugins read it, where they are granted `files/NAME`: clients get nothing from it, by
    /// whatever name they ask, and no plugin may answer with its files. For leases, inventories, templates.
    #[serde(default)]
    pub private: bool,
    /// The largest upload. Needs `writable`.
    #[serde(default = "defaults::max_upload")]
    pub max_upload: ByteCount,
    /// What becomes of files when they are uploaded. Needs `writable`.
    #[serde(default)]
    pub write: Write,
}

/// Who decides, in which order.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct Policy {
    /// What happens to a request on which every plugin of `authorize` abstains.
    pub default: DefaultVerdict,
    /// The plugins that decide who may do what, in order. The first denial ends the chain.
    #[schemars(extend("uniqueItems" = true))]
    pub authorize: Vec<String>,
    /// The plugins that decide what a client gets, in order. The first answer ends the chain; without
    /// one, the roots are searched for the path that was asked for.
    #[schemars(extend("uniqueItems" = true))]
    pub resolve: Vec<String>,
    /// The plugins that decide whether an upload becomes visible, in order, when it is complete and on
    /// disk. The first denial ends the chain.
    #[schemars(extend("uniqueItems" = true))]
    pub accept_upload: Vec<String>,
    /// The plugins that are told what happened.
    #[schemars(extend("uniqueItems" = true))]
    pub observe: Vec<String>,
    /// The time that all chains together have for one request, waiting included; `accept-upload` has as
    /// much again. What was not asked by then has failed. Below the time-out of the clients, which is
    /// often a second.
    #[schemars(extend("x-minimum" = "1ms", "x-maximum" = "1m"))]
    pub time_limit: TimeSpan,
    /// The folder that compiled plugins are kept in, so that a start compiles only what is new; `none`
    /// keeps nothing. It must belong to the user of the server and be writable by nobody else. Without
    /// this key: `$CACHE_DIRECTORY` (which systemd sets), `/var/cache/tuffet` for root,
    /// `$XDG_CACHE_HOME/tuffet`, or `~/.cache/tuffet`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub compiled: Option<PathBuf>,
}

/// A plugin: a WebAssembly component that answers for one or more hooks.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Plugin {
    /// `builtin:NAME` for one that is built in, or the path of a component, relative to this file.
    #[schemars(schema_with = "component_schema")]
    pub component: String,
    /// The plugin's own settings; it checks them itself.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub settings: serde_json::Map<String, serde_json::Value>,
    /// What a failed call counts as: a trap, a limit passed, a bad answer.
    #[serde(default = "defaults::on_error")]
    pub on_error: OnError,
    /// What the plugin may use, if its manifest asks for it too. Nothing, unless it stands here:
    /// `client-mac` (the MAC addresses that are known of a client), `clock`, `random`, `kv` (keys that
    /// outlive the call), `files/ROOT` (reading in that root), `sinks/NAME`, `http/HOST:PORT`.
    #[serde(default)]
    #[schemars(extend("uniqueItems" = true))]
    pub grants: Vec<Grant>,
    /// What one call may cost, and what it may keep.
    #[serde(default)]
    pub limits: PluginLimits,
    /// Keeps an instance for further calls: much faster, and a plugin may then remember something from one
    /// request to the next. Without it, each call gets a fresh instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reuse: Option<Reuse>,
    /// `monitor` asks the plugin beside its chain and logs what it would have said; nothing waits for it,
    /// and nothing changes.
    #[serde(default)]
    pub mode: PluginMode,
    /// When a plugin that fails is left alone.
    #[serde(default)]
    pub breaker: Breaker,
    /// Remembers decisions of `authorize` and `resolve`. Without it, each request asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<DecisionCache>,
}

/// When a plugin that fails is left alone. While it is, `on-error` answers for it. After the back-off one
/// call tries it; the back-off doubles each time that fails.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct Breaker {
    /// Failures in a row.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub failures: u32,
    /// How long it is not asked at first. At most `cap`.
    #[schemars(extend("x-minimum" = "1ms", "x-maximum" = "1h"))]
    pub back_off: TimeSpan,
    /// The longest that it is not asked.
    #[schemars(extend("x-minimum" = "1ms", "x-maximum" = "1d"))]
    pub cap: TimeSpan,
}

/// What is remembered of the decisions of a plugin. Requests that are the same in every fact of `key` get
/// the same decision, so `key` must name all that it depends on. Failures are not remembered.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct DecisionCache {
    /// How long a decision is remembered.
    #[schemars(extend("x-minimum" = "1ms", "x-maximum" = "1d"))]
    pub ttl: TimeSpan,
    /// What a decision depends on: any of `operation`, `mode`, `listener`, `address`, `port`, `mac`,
    /// `requested`, `path`, `options`.
    #[schemars(length(min = 1), extend("uniqueItems" = true))]
    pub key: Vec<Fact>,
    /// Decisions that are remembered, of each hook; 1 KiB of content counts as one more.
    #[serde(default = "defaults::cache_entries")]
    #[schemars(range(min = 1, max = 10_000_000))]
    pub entries: usize,
}

/// How long an instance of a plugin is kept. One that failed, or that has taken more than half of
/// its memory, is not.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct Reuse {
    /// The calls that it serves.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub calls: u32,
    /// How long it waits for the next call.
    #[schemars(extend("x-minimum" = "1ms", "x-maximum" = "1h"))]
    pub idle: TimeSpan,
}

/// What one call of a plugin may cost, and what it may keep.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct PluginLimits {
    /// How long it may compute. At most `wall`.
    #[schemars(extend("x-minimum" = "1ms", "x-maximum" = "1m"))]
    pub time: TimeSpan,
    /// How long it may take, waiting included.
    #[schemars(extend("x-minimum" = "1ms", "x-maximum" = "1m"))]
    pub wall: TimeSpan,
    /// The memory of one instance.
    #[schemars(extend("x-minimum" = "1MiB", "x-maximum" = "4GiB"))]
    pub memory: ByteCount,
    /// The content it may generate for one request.
    #[schemars(extend("x-minimum" = "0", "x-maximum" = "1GiB"))]
    pub content: ByteCount,
    /// Calls of it that run at once, each with an instance and memory of its own.
    #[schemars(range(min = 1, max = 128))]
    pub instances: u32,
    /// Calls that wait for an instance; one more fails at once.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub queue: u32,
    /// The keys that it may have, with the grant `kv`.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub kv_keys: u64,
    /// The bytes of all its keys and values.
    #[schemars(extend("x-minimum" = "1KiB", "x-maximum" = "1TiB"))]
    pub kv_bytes: ByteCount,
}

/// The admin listener: the live view, health and metrics by HTTP. Nothing can be changed through it.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct Admin {
    /// IP address and TCP port, or `unix:PATH` for a socket in the file system, which the server's user and its
    /// group may use. An address that is not a loopback address needs a `token`; HTTP is not encrypted, so put a
    /// proxy with TLS before it where others can listen in.
    #[schemars(schema_with = "admin_address_schema")]
    pub address: String,
    /// What is asked of who looks: `Authorization: Bearer TOKEN`, and a field on the page. Either `${NAME}`
    /// for an environment variable, or `{ file: PATH }`; at least 16 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<SecretText>,
}

/// What is negotiated with clients, and how losses are repaired.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct Transfer {
    /// The largest block granted, in bytes (RFC 2348). A client that asks for none gets 512.
    #[schemars(range(min = 8, max = 65464))]
    pub max_blksize: u16,
    /// The largest window granted, in blocks. RFC 7440 allows 65535; beyond 32767 a doubled ACK could be
    /// taken for another one. A client that asks for none gets 1.
    #[schemars(range(min = 1, max = 32767))]
    pub max_windowsize: u16,
    /// The block number that follows 65535.
    #[schemars(range(min = 0, max = 1))]
    pub rollover: u16,
    /// When an unanswered packet is sent again. Each of these is at least the one before it.
    pub retransmit: Retransmit,
    /// The least that a transfer must move, in bytes a second, over twice its patience with a silent client
    /// (`retransmit.give-up`, or three times the option `timeout`); what is slower is ended with an ERROR.
    /// Serial lines of 1200 baud move 120. 0 is no limit.
    #[schemars(extend("x-minimum" = "0", "x-maximum" = "1GiB"))]
    pub least_rate: ByteCount,
    /// How long a transfer may take, however well it gets on; then it is ended with an ERROR. 0s is no limit.
    #[schemars(extend("x-minimum" = "0s", "x-maximum" = "365d"))]
    pub max_duration: TimeSpan,
}

/// When an unanswered packet is sent again. Each of these must be at least the one before it.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct Retransmit {
    /// The shortest wait, however short the measured round-trip time is.
    #[schemars(extend("x-minimum" = "1ms", "x-maximum" = "1h"))]
    pub floor: TimeSpan,
    /// The wait before a round-trip time has been measured.
    #[schemars(extend("x-minimum" = "1ms", "x-maximum" = "1h"))]
    pub initial: TimeSpan,
    /// The longest wait; it doubles with each repetition up to this.
    #[schemars(extend("x-minimum" = "1ms", "x-maximum" = "1h"))]
    pub cap: TimeSpan,
    /// How long a silent client is kept before the transfer is given up.
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
