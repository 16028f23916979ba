//! A snapshot of the live view: the state of the server at one moment, as JSON. `tuffet status --live` prints
//! it, and every view and every exporter reads it or its [`Totals`]; docs/watch.md explains the fields.
//!
//! [`Totals`] has no dimension for files, clients or requests, so the configuration bounds its size.

use super::options::requested;
use super::readiness::Reason;
use crate::origins::OriginReport;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::time::SystemTime;
use tuffet_request::Distribution;
use tuffet_request::events::Outcome;
use tuffet_request::{Call, Request};

/// A word from a small set.
pub(crate) type Word = Cow<'static, str>;

/// The state of the server at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    /// The time, in milliseconds since 1970.
    pub(crate) unix_ms: u64,
    /// The version of the server.
    pub(crate) version: String,
    /// The start of the process, in milliseconds since 1970.
    pub(crate) started_unix_ms: u64,
    /// The active generation; the server starts with 1.
    pub(crate) generation: u64,
    /// The revision of the active configuration: the ETag, the revision of the key, or the digest of the text.
    #[serde(default)]
    pub(crate) revision: String,
    /// The name of the host.
    #[serde(default)]
    pub(crate) host: String,
    /// The listeners, as bound.
    #[serde(default)]
    pub(crate) listeners: Vec<ListenerNow>,
    /// The roots.
    #[serde(default)]
    pub(crate) roots: Vec<RootNow>,
    /// The origins of the roots that live elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) origins: Vec<OriginReport>,
    /// Whether the server serves everything that is configured, as configured.
    pub(crate) ready: bool,
    /// Why it does not.
    #[serde(default)]
    pub(crate) reasons: Vec<Reason>,
    /// Since the start of the process.
    pub(crate) totals: Totals,
    /// The fastest active transfers, at most [`super::ROWS`]; `totals.active` counts all.
    pub(crate) active: Vec<Active>,
    /// The last ended requests, newest first, at most [`super::FINISHED`].
    pub(crate) finished: Vec<Finished>,
    /// The samples, oldest first, at most [`super::SAMPLES`].
    pub(crate) samples: Vec<Sample>,
    /// The servers of a view of many; empty in the view of one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) servers: Vec<ServerNow>,
}

/// A server in a view of many.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ServerNow {
    /// Its name in the view.
    pub(crate) server: String,
    pub(crate) version: String,
    pub(crate) generation: u64,
    /// The revision of its configuration.
    #[serde(default)]
    pub(crate) revision: String,
    pub(crate) ready: bool,
    /// Active transfers.
    pub(crate) active: u64,
    /// Both directions.
    pub(crate) bytes_per_second: u64,
    /// Ended requests, and those of them whose client did not get what it asked for.
    pub(crate) ended: u64,
    pub(crate) failures: u64,
    /// The start of its process, in milliseconds since 1970.
    pub(crate) started_unix_ms: u64,
    /// Since how many seconds nothing was heard of it, if that is long.
    pub(crate) silent_seconds: u64,
}

/// A listener.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ListenerNow {
    pub(crate) listener: String,
    /// Address and port.
    pub(crate) address: String,
}

/// A root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RootNow {
    pub(crate) root: String,
    /// Whether its disk does not answer.
    pub(crate) hung: bool,
}

/// Counters and histograms since the start of the process, and current gauges.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Totals {
    /// Admitted requests.
    pub(crate) admitted: u64,
    /// Active transfers.
    pub(crate) active: u64,
    /// Those of them that have a rate.
    #[serde(default)]
    pub(crate) with_rate: u64,
    /// Ended requests, by operation and outcome.
    pub(crate) ended: Vec<Ended>,
    /// Bytes that have arrived; of active transfers as of the last second.
    pub(crate) bytes: ByOperation<u64>,
    /// Blocks that have arrived, of ended transfers.
    pub(crate) blocks: ByOperation<u64>,
    /// Retransmitted packets; of active transfers as of the last second.
    pub(crate) retransmissions: u64,
    /// Duplicate packets, of ended transfers.
    pub(crate) duplicates: u64,
    /// Time-outs, of ended transfers.
    pub(crate) timeouts: u64,
    /// Needless time-outs: the client's answer was on its way, so the retransmission was not needed.
    #[serde(default)]
    pub(crate) needless_timeouts: u64,
    /// From the request to the end, of granted requests.
    pub(crate) duration: ByOperation<Distribution>,
    /// Smoothed round-trip times at the end.
    pub(crate) rtt: Distribution,
    /// From the request to the first block that arrived.
    pub(crate) first_block: Distribution,
    /// From the request to the decision.
    pub(crate) decision: Distribution,
    /// The current lengths of the queues.
    pub(crate) queues: Queues,
    /// The file cache.
    pub(crate) file_cache: FileCacheTotals,
    /// Plugins, by name.
    pub(crate) plugins: Vec<PluginTotals>,
    /// Dropped datagrams, by reason.
    pub(crate) dropped: Vec<Dropped>,
    /// Transfers that ended half-open.
    #[serde(default)]
    pub(crate) unanswered: u64,
    /// Current half-open transfers.
    #[serde(default)]
    pub(crate) half_open: u64,
    /// Half-open transfers that were ended in favour of others.
    #[serde(default)]
    pub(crate) gave_way: u64,
}

/// One value per operation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ByOperation<T> {
    pub(crate) read: T,
    pub(crate) write: T,
}

/// Ended requests with the same operation and outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ended {
    /// `read` or `write`.
    pub(crate) operation: Word,
    pub(crate) outcome: Outcome,
    pub(crate) count: u64,
}

/// The lengths of the queues.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Queues {
    /// Pending requests.
    pub(crate) decisions: u64,
    /// Summaries to be logged.
    pub(crate) summaries: u64,
    /// Events for observers.
    pub(crate) events: u64,
    /// Progress samples that busy observers missed.
    #[serde(default)]
    pub(crate) progress_left_out: u64,
    /// Lines in the queues of sinks.
    pub(crate) sinks: Vec<SinkQueue>,
}

/// The queue of a sink.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SinkQueue {
    pub(crate) sink: String,
    pub(crate) lines: u64,
    /// Whether the last delivery failed.
    #[serde(default)]
    pub(crate) broken: bool,
}

/// The file cache.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileCacheTotals {
    /// Files found in the cache.
    pub(crate) hits: u64,
    /// Files not found in the cache.
    pub(crate) misses: u64,
    /// Used bytes, and the capacity in bytes.
    pub(crate) bytes: u64,
    pub(crate) capacity: u64,
}

/// A plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PluginTotals {
    pub(crate) plugin: String,
    /// Whether the active configuration has it.
    pub(crate) loaded: bool,
    /// The version from its manifest, and the digest of its component, in the active configuration.
    #[serde(default)]
    pub(crate) version: String,
    #[serde(default)]
    pub(crate) sha256: String,
    /// Whether its breaker is open.
    pub(crate) breaker_open: bool,
    /// Running calls, and calls that wait for an instance.
    pub(crate) running: u64,
    pub(crate) waiting: u64,
    /// Attempted calls, including those that the breaker prevented.
    pub(crate) calls: u64,
    /// Failed calls, by cause.
    pub(crate) failures: Vec<(Word, u64)>,
    /// How often its breaker opened.
    pub(crate) opened: u64,
    /// Verdicts in the mode `monitor`.
    pub(crate) monitored: u64,
    /// Answers of the decision cache, and cache misses.
    pub(crate) cache_hits: u64,
    pub(crate) cache_misses: u64,
    /// Events lost because all calls with them failed.
    #[serde(default)]
    pub(crate) events_lost: u64,
    /// The durations of its calls, including the wait for an instance, by hook.
    pub(crate) durations: Vec<(Word, Distribution)>,
}

/// Dropped datagrams.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Dropped {
    /// `limit-…`, `stopping`, `repeated`, `stray`, `malformed`, `port-0`, `send-refused` or `receive-error`.
    pub(crate) reason: Word,
    pub(crate) count: u64,
}

/// A request and its client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Who {
    /// The server, in a view of many.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) server: String,
    pub(crate) id: String,
    pub(crate) listener: String,
    /// Address and port.
    pub(crate) client: String,
    /// The most trustworthy MAC address, and its source.
    pub(crate) mac: Option<String>,
    pub(crate) mac_source: Option<Word>,
    /// The guessed kind of client.
    pub(crate) class: Word,
    /// `read` or `write`.
    pub(crate) operation: Word,
    pub(crate) path: String,
    /// The requested options as sent; see [`super::options`] for the bounds.
    #[serde(default)]
    pub(crate) requested_options: Vec<(String, String)>,
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

impl From<&Request> for Who {
    fn from(request: &Request) -> Who {
        let mac = request.macs.first();
        Who {
            server: String::new(),
            id: request.id.to_string(),
            listener: request.listener.to_string(),
            client: request.client.to_string(),
            mac: mac.map(|mac| mac.address.to_string()),
            mac_source: mac.map(|mac| mac.source.as_str().into()),
            class: request.class.as_str().into(),
            operation: operation(request),
            path: request.path.clone(),
            requested_options: requested(request),
        }
    }
}

/// An active transfer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Active {
    #[serde(flatten)]
    pub(crate) who: Who,
    /// `ROOT:PATH`, or `content` if a plugin generated it.
    pub(crate) resolved: Option<String>,
    /// The plugin that decided; `None` if the configuration did.
    pub(crate) verdict_by: Option<String>,
    /// The negotiated options; `None` until they are.
    #[serde(default)]
    pub(crate) options: Option<Vec<(String, String)>>,
    /// The number of plugin calls, the calls, and the time from the request to the decision.
    #[serde(default)]
    pub(crate) plugin_calls: u32,
    #[serde(default)]
    pub(crate) plugins: Vec<PluginCall>,
    #[serde(default)]
    pub(crate) decision_us: Option<u64>,
    /// When the request arrived, in milliseconds since 1970, and how long ago.
    pub(crate) started_unix_ms: u64,
    pub(crate) running_us: u64,
    /// Bytes on the wire, if known.
    pub(crate) size: Option<u64>,
    /// The most bytes per second, if it has such a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rate: Option<u32>,
    /// Bytes that have arrived.
    pub(crate) bytes: u64,
    /// In the last full second.
    pub(crate) bytes_per_second: u64,
    pub(crate) retransmissions: u32,
}

/// An ended request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Finished {
    #[serde(flatten)]
    pub(crate) who: Who,
    /// When it ended, in milliseconds since 1970.
    pub(crate) ended_unix_ms: u64,
    pub(crate) outcome: Outcome,
    pub(crate) detail: Option<String>,
    /// `granted`, `refused`, `dropped` or `undecided`.
    pub(crate) decision: Word,
    pub(crate) resolved: Option<String>,
    pub(crate) verdict_by: Option<String>,
    /// What its pattern usually means.
    #[serde(default)]
    pub(crate) hint: Option<String>,
    /// Where its file was looked for, as `ROOT:PATH`, in order, if the request was not granted.
    #[serde(default)]
    pub(crate) tried: Vec<String>,
    /// The plugin that proposed these places.
    #[serde(default)]
    pub(crate) tried_by: Option<String>,
    /// What lies there under the same letters in another case.
    #[serde(default)]
    pub(crate) other_case: Vec<String>,
    pub(crate) size: Option<u64>,
    /// The most bytes per second, if it had such a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rate: Option<u32>,
    pub(crate) bytes: u64,
    pub(crate) blocks: u64,
    pub(crate) blksize: u16,
    pub(crate) windowsize: u16,
    /// The negotiated options.
    #[serde(default)]
    pub(crate) options: Vec<(String, String)>,
    /// The number of plugin calls.
    #[serde(default)]
    pub(crate) plugin_calls: u32,
    /// The plugin calls.
    #[serde(default)]
    pub(crate) plugins: Vec<PluginCall>,
    pub(crate) retransmissions: u32,
    pub(crate) duplicates: u32,
    pub(crate) timeouts: u32,
    pub(crate) rtt_us: Option<u64>,
    pub(crate) decision_us: Option<u64>,
    pub(crate) first_block_us: Option<u64>,
    pub(crate) duration_us: u64,
}

/// A plugin call of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PluginCall {
    pub(crate) plugin: String,
    pub(crate) hook: Word,
    pub(crate) verdict: Word,
    /// The cause of a failure.
    pub(crate) failure: Option<Word>,
    /// Whether the decision cache answered.
    pub(crate) cached: bool,
    /// Whether the request did not wait for it: `mode: monitor`.
    #[serde(default)]
    pub(crate) monitored: bool,
    pub(crate) took_us: u64,
}

/// The changes within one second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sample {
    /// When it ended, in milliseconds since 1970.
    pub(crate) unix_ms: u64,
    /// Its length: a busy server may be late.
    pub(crate) elapsed_ms: u64,
    /// Ended requests, in the order of [`Outcome::ALL`].
    pub(crate) ended: Vec<u64>,
    /// Bytes per second.
    pub(crate) bytes_per_second: ByOperation<u64>,
    /// Retransmitted packets.
    pub(crate) retransmissions: u64,
    /// Active transfers and pending requests at its end.
    pub(crate) active: u64,
    pub(crate) pending: u64,
    /// Of the requests decided in it.
    pub(crate) decision_p50_us: Option<u64>,
    pub(crate) decision_p99_us: Option<u64>,
    /// Of the transfers that ended in it.
    pub(crate) duration_p50_us: Option<u64>,
    pub(crate) duration_p99_us: Option<u64>,
}

pub(super) fn operation(request: &Request) -> Word {
    match request.operation {
        tuffet_request::Operation::Read => "read".into(),
        tuffet_request::Operation::Write => "write".into(),
    }
}

/// Returns milliseconds since 1970.
pub(super) fn unix_ms(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
