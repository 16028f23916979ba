//! A snapshot of the live view: the state of the server at one moment, as JSON. `tuffet status --live` prints
//! it, and every view and every exporter reads it or its [`Totals`]; docs/watch.md explains the fields.
//!
//! [`Totals`] has no dimension for files, clients or requests, so the configuration bounds its size.

use super::options::requested;
use crate::origins::OriginReport;
use crate::status::{BoundListener, ServerState};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::time::SystemTime;
use tuffet_request::events::{FieldValue, Outcome};
use tuffet_request::{Call, Request};
use tuffet_request::{Distribution, Protocol};

/// A word from a small set.
pub type Word = Cow<'static, str>;

/// The state of the server at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The time, in milliseconds since 1970.
    pub unix_ms: u64,
    /// The version of the server.
    pub version: String,
    /// The start of the process, in milliseconds since 1970.
    pub started_unix_ms: u64,
    /// The active generation; the server starts with 1.
    pub generation: u64,
    /// The revision of the active configuration: the ETag, the revision of the key, or the digest of the text.
    #[serde(default)]
    pub revision: String,
    /// The name of the host.
    #[serde(default)]
    pub host: String,
    /// The listeners, as bound.
    #[serde(default)]
    pub listeners: Vec<BoundListener>,
    /// The roots.
    #[serde(default)]
    pub roots: Vec<RootSnapshot>,
    /// The origins of remote roots.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<OriginReport>,
    /// Whether the server is ready, and why not.
    #[serde(flatten)]
    pub state: ServerState,
    /// Totals since the start of the process.
    pub totals: Totals,
    /// Active transfers, at most [`super::ROWS`], as the [`super::RowQuery`] asks; `totals.active` counts all.
    pub active: Vec<Active>,
    /// The active transfers that match the filter of the query; all of them without a filter.
    #[serde(default)]
    pub matching: u64,
    /// The filter that `active`, `matching` and `finished` follow, as it was written; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub filter: String,
    /// About how many blocks all active transfers have moved, whatever the query. `totals.blocks` lacks them.
    #[serde(default)]
    pub active_blocks: u64,
    /// The last ended requests, newest first, at most 200.
    pub finished: Vec<Finished>,
    /// The samples, oldest first, at most 600: of the last ten minutes.
    pub samples: Vec<Sample>,
    /// The servers of a view of many; empty in the view of one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<FleetServer>,
}

/// A server in a view of many.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetServer {
    /// Its name in the view.
    pub server: String,
    /// The version of the server.
    pub version: String,
    /// The generation of its configuration.
    pub generation: u64,
    /// The revision of its configuration.
    #[serde(default)]
    pub revision: String,
    /// Whether it is ready.
    pub ready: bool,
    /// Active transfers.
    pub active: u64,
    /// Bytes per second, in both directions.
    pub bytes_per_second: u64,
    /// Ended requests.
    pub ended: u64,
    /// Ended requests that timed out or failed.
    pub failures: u64,
    /// Ended requests that were refused: `denied` or `not-found`.
    #[serde(default)]
    pub refused: u64,
    /// The start of its process, in milliseconds since 1970.
    pub started_unix_ms: u64,
    /// Seconds without a message from it, if unusually long.
    pub silent_seconds: u64,
}

/// A root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootSnapshot {
    /// The name of the root.
    pub root: String,
    /// Whether its disk does not answer.
    pub hung: bool,
}

/// Counters and histograms since the start of the process, and current gauges.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Admitted requests.
    pub admitted: u64,
    /// Active transfers.
    pub active: u64,
    /// Active transfers with a rate.
    #[serde(default)]
    pub with_rate: u64,
    /// Ended requests, by operation and outcome.
    pub ended: Vec<Ended>,
    /// Ended requests, by the labels that plugins gave them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Labelled>,
    /// Transferred bytes; of active transfers until the last second.
    pub bytes: ByOperation<u64>,
    /// Transferred blocks, of ended transfers.
    pub blocks: ByOperation<u64>,
    /// Retransmitted packets; of active transfers until the last second.
    pub retransmissions: u64,
    /// Duplicate packets, of ended transfers.
    pub duplicates: u64,
    /// Time-outs, of ended transfers.
    pub timeouts: u64,
    /// Needless time-outs: the client's answer was on its way, so the retransmission was not needed.
    #[serde(default)]
    pub needless_timeouts: u64,
    /// From the request to the end, of granted requests.
    pub duration: ByOperation<Distribution>,
    /// Smoothed round-trip times at the end.
    pub rtt: Distribution,
    /// From the request to the first block that arrived.
    pub first_block: Distribution,
    /// From the request to the decision.
    pub decision: Distribution,
    /// The current lengths of the queues.
    pub queues: Queues,
    /// The file cache.
    pub file_cache: FileCacheTotals,
    /// Plugins, by name.
    pub plugins: Vec<PluginTotals>,
    /// Profiles with a total rate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<ProfileTotals>,
    /// Dropped datagrams, by reason.
    pub dropped: Vec<Dropped>,
    /// Transfers that ended half-open.
    #[serde(default)]
    pub unanswered: u64,
    /// Current half-open transfers.
    #[serde(default)]
    pub half_open: u64,
    /// Half-open transfers ended in favour of others.
    #[serde(default)]
    pub gave_way: u64,
}

/// Ended requests with the same label of a plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Labelled {
    /// The plugin that gave it.
    pub plugin: String,
    /// The label; `(others)` for those beyond the first 64 of the plugin.
    pub label: String,
    /// How many.
    pub count: u64,
}

/// One value per operation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByOperation<T> {
    /// Of read requests.
    pub read: T,
    /// Of write requests.
    pub write: T,
}

/// Ended requests with the same protocol, operation and outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Ended {
    /// How they arrived; servers of earlier versions have TFTP alone.
    #[serde(default)]
    pub protocol: Protocol,
    /// `read` or `write`.
    pub operation: Word,
    /// How it ended.
    pub outcome: Outcome,
    /// How many.
    pub count: u64,
}

/// The lengths of the queues.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Queues {
    /// Pending requests.
    pub decisions: u64,
    /// Summaries to be logged.
    pub summaries: u64,
    /// Events for observers.
    pub events: u64,
    /// Progress samples that busy observers missed.
    #[serde(default)]
    #[doc(hidden)]
    pub progress_left_out: u64,
    /// Lines in the queues of sinks.
    #[doc(hidden)]
    pub sinks: Vec<SinkQueue>,
}

/// The queue of a sink.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SinkQueue {
    /// The name of the sink.
    pub sink: String,
    /// Waiting lines.
    pub lines: u64,
    /// Whether the last delivery failed.
    #[serde(default)]
    pub broken: bool,
}

/// The file cache.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FileCacheTotals {
    /// Files found in the cache.
    pub hits: u64,
    /// Files not found in the cache.
    pub misses: u64,
    /// Used bytes.
    pub bytes: u64,
    /// The capacity in bytes.
    pub capacity: u64,
}

/// A profile with a total rate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProfileTotals {
    /// The name of the profile.
    pub profile: String,
    /// The most bytes per second of its transfers together.
    pub total_rate: u32,
    /// What they used of it in the last second.
    pub bytes_per_second: u64,
    /// Its transfers.
    pub transfers: u64,
    /// How many of them wait for the rate now.
    pub waiting: u64,
    /// The bytes that counted towards the rate, retransmissions included.
    pub bytes: u64,
    /// The seconds for which transfers waited for the rate, all together.
    pub waited_seconds: u64,
}

/// A plugin, or a hook of the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PluginTotals {
    /// The name of the plugin.
    pub plugin: String,
    /// Whether the active configuration has it.
    #[doc(hidden)]
    pub loaded: bool,
    /// `builtin:NAME`, the path of its file, or `oci://…`.
    #[serde(default)]
    #[doc(hidden)]
    pub component: String,
    /// Whether its signature was verified.
    #[serde(default)]
    #[doc(hidden)]
    pub verified: bool,
    /// The version from its manifest in the active configuration.
    #[serde(default)]
    #[doc(hidden)]
    pub version: String,
    /// The digest of its component.
    #[serde(default)]
    #[doc(hidden)]
    pub sha256: String,
    /// Whether its breaker is open.
    #[doc(hidden)]
    pub breaker_open: bool,
    /// Running calls.
    pub running: u64,
    /// Calls waiting for an instance.
    pub waiting: u64,
    /// Attempted calls, including those that the breaker prevented.
    pub calls: u64,
    /// Failed calls, by cause.
    pub failures: Vec<(Word, u64)>,
    /// How often its breaker opened.
    #[doc(hidden)]
    pub opened: u64,
    /// Answers in the mode `monitor`.
    #[doc(hidden)]
    pub monitored: u64,
    /// Those of them that differ from what happened.
    #[serde(default)]
    #[doc(hidden)]
    pub differing: u64,
    /// Answers of the decision cache.
    #[doc(hidden)]
    pub cache_hits: u64,
    /// Cache misses of decisions.
    #[doc(hidden)]
    pub cache_misses: u64,
    /// Events lost because all calls with them failed.
    #[serde(default)]
    pub events_lost: u64,
    /// The stored keys of its own, counted twice a minute.
    #[serde(default)]
    #[doc(hidden)]
    pub keys: u64,
    /// The bytes of these keys and their values.
    #[serde(default)]
    #[doc(hidden)]
    pub key_bytes: u64,
    /// The durations of its calls, including the wait for an instance, by hook.
    pub durations: Vec<(Word, Distribution)>,
}

/// Dropped datagrams.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Dropped {
    /// `limit-…`, `stopping`, `repeated`, `stray`, `slow-disk`, `malformed`, `port-0`, `send-refused` or
    /// `receive-error`.
    pub reason: Word,
    /// How many.
    pub count: u64,
}

/// A request and its client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestInfo {
    /// The server, in a view of many.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub server: String,
    /// The id of the request.
    pub id: String,
    /// The name of the listener.
    pub listener: String,
    /// Address and port.
    pub client: String,
    /// The most trustworthy MAC address.
    pub mac: Option<String>,
    /// The source of the MAC address.
    pub mac_source: Option<Word>,
    /// The guessed kind of client.
    pub class: Word,
    /// `read` or `write`.
    pub operation: Word,
    /// The normalised path.
    pub path: String,
    /// The requested options as sent: at most 12, and of each the first 32 characters of name and value.
    #[serde(default)]
    pub requested_options: Vec<(String, String)>,
}

/// Returns the plugin calls of a request so far.
pub(super) fn calls(request: &Request) -> Vec<PluginCall> {
    let shown = |call: Call| PluginCall {
        plugin: call.plugin.to_string(),
        hook: call.hook.into(),
        verdict: call.verdict.into(),
        failure: call.failure.map(Into::into),
        cached: call.cached,
        monitored: call.monitored,
        took_us: u64::try_from(call.took.as_micros()).unwrap_or(u64::MAX),
    };
    request.calls.list().into_iter().map(shown).collect()
}

impl From<&Request> for RequestInfo {
    fn from(request: &Request) -> RequestInfo {
        let mac = request.macs.first();
        RequestInfo {
            server: String::new(),
            id: request.id.to_string(),
            listener: request.listener.to_string(),
            client: request.client.to_string(),
            mac: mac.map(|mac| mac.address.to_string()),
            mac_source: mac.map(|mac| mac.source.as_str().into()),
            class: request.class.as_str().into(),
            operation: request.operation.as_str().into(),
            path: request.path.clone(),
            requested_options: requested(request),
        }
    }
}

/// An active transfer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Active {
    /// The request and its client.
    #[serde(flatten)]
    pub who: RequestInfo,
    /// `ROOT:PATH`, or `content` if a plugin generated it.
    pub resolved: Option<String>,
    /// The plugin that decided; `None` if the configuration did.
    pub verdict_by: Option<String>,
    /// The negotiated options; `None` until they are.
    #[serde(default)]
    pub options: Option<Vec<(String, String)>>,
    /// The number of plugin calls.
    #[serde(default)]
    pub plugin_calls: u32,
    /// The plugin calls.
    #[serde(default)]
    pub plugins: Vec<PluginCall>,
    /// From the request to the decision, in microseconds.
    #[serde(default)]
    pub decision_us: Option<u64>,
    /// When the request arrived, in milliseconds since 1970.
    pub started_unix_ms: u64,
    /// Its age in microseconds.
    pub running_us: u64,
    /// Bytes on the wire, if known.
    pub size: Option<u64>,
    /// The most bytes per second, if it has such a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<u32>,
    /// Bytes that have arrived.
    pub bytes: u64,
    /// In the last full second.
    pub bytes_per_second: u64,
    /// How long nothing has moved, in seconds.
    #[serde(default)]
    pub idle_seconds: u64,
    /// Packets sent more than once.
    pub retransmissions: u32,
}

/// An ended request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finished {
    /// The request and its client.
    #[serde(flatten)]
    pub who: RequestInfo,
    /// When it ended, in milliseconds since 1970.
    pub ended_unix_ms: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// The reason, if there is more to say.
    pub detail: Option<String>,
    /// `granted`, `refused`, `dropped` or `undecided`.
    pub decision: Word,
    /// `ROOT:PATH` of the file, or `content`.
    pub resolved: Option<String>,
    /// The plugin that decided; `None` if the configuration did.
    pub verdict_by: Option<String>,
    /// The usual meaning of its pattern.
    #[serde(default)]
    pub hint: Option<String>,
    /// The tried candidates as `ROOT:PATH`, in order, if the request was not granted.
    #[serde(default)]
    pub tried: Vec<String>,
    /// The plugin that named these candidates.
    #[serde(default)]
    pub tried_by: Option<String>,
    /// Existing paths that differ only in case.
    #[serde(default)]
    pub other_case: Vec<String>,
    /// Bytes on the wire, if known.
    pub size: Option<u64>,
    /// The most bytes per second, if it had such a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<u32>,
    /// Bytes that have arrived.
    pub bytes: u64,
    /// Blocks that have arrived.
    pub blocks: u64,
    /// The negotiated block size in bytes.
    pub blksize: u16,
    /// The negotiated window in blocks.
    pub windowsize: u16,
    /// The negotiated options.
    #[serde(default)]
    pub options: Vec<(String, String)>,
    /// The number of plugin calls.
    #[serde(default)]
    pub plugin_calls: u32,
    /// The plugin calls.
    #[serde(default)]
    pub plugins: Vec<PluginCall>,
    /// Packets sent more than once.
    pub retransmissions: u32,
    /// Duplicate packets.
    pub duplicates: u32,
    /// Time-outs.
    pub timeouts: u32,
    /// The smoothed round-trip time in microseconds, if measured.
    pub rtt_us: Option<u64>,
    /// From the request to the decision, in microseconds.
    pub decision_us: Option<u64>,
    /// From the request to the first block that arrived, in microseconds.
    pub first_block_us: Option<u64>,
    /// From the request to the end, in microseconds.
    pub duration_us: u64,
    /// Other facts, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<Word, Fact>,
}

/// A fact that has no member of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Fact {
    /// A number; of microseconds, if the name ends with `_us`.
    Number(u64),
    /// A text.
    Text(String),
    /// Several texts.
    List(Vec<String>),
}

impl From<FieldValue<'_>> for Fact {
    fn from(value: FieldValue<'_>) -> Fact {
        match value {
            FieldValue::Number(number) => Fact::Number(number),
            FieldValue::Time(time) => Fact::Number(u64::try_from(time.as_micros()).unwrap_or(u64::MAX)),
            FieldValue::List(texts) => Fact::List(texts.to_vec()),
            text => Fact::Text(text.to_string()),
        }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fact::Number(number) => number.fmt(f),
            Fact::Text(text) => f.write_str(text),
            Fact::List(texts) => f.write_str(&texts.join(", ")),
        }
    }
}

/// A plugin call of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginCall {
    /// The name of the plugin.
    pub plugin: String,
    /// The hook that was called.
    pub hook: Word,
    /// The verdict, in a word.
    pub verdict: Word,
    /// The cause of a failure.
    pub failure: Option<Word>,
    /// Whether the decision cache answered.
    pub cached: bool,
    /// Whether its mode is `monitor`: the request did not wait for it.
    #[serde(default)]
    pub monitored: bool,
    /// How long it took, in microseconds.
    pub took_us: u64,
}

/// The changes within one second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// When it ended, in milliseconds since 1970.
    pub unix_ms: u64,
    /// Its length; longer than a second if the server is busy.
    pub elapsed_ms: u64,
    /// Ended requests, in the order of [`Outcome::ALL`].
    pub ended: Vec<u64>,
    /// Bytes per second.
    pub bytes_per_second: ByOperation<u64>,
    /// Retransmitted packets.
    pub retransmissions: u64,
    /// Active transfers at its end.
    pub active: u64,
    /// Pending requests at its end.
    pub pending: u64,
    /// The median time to the decision, of requests decided in it.
    pub decision_p50_us: Option<u64>,
    /// The 99th percentile of these decisions.
    pub decision_p99_us: Option<u64>,
    /// The median duration of the transfers that ended in it.
    pub duration_p50_us: Option<u64>,
    /// The 99th percentile of these durations.
    pub duration_p99_us: Option<u64>,
}

/// Returns milliseconds since 1970.
pub fn unix_ms(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
