//! What watchers are shown: all of it at one moment, as JSON. `tuffet status --live` prints it, and every
//! view and every exporter reads from it or from its [`Totals`]; docs/watch.md explains the fields.
//!
//! Nothing in [`Totals`] is told apart by file, client or request: however many there are, its size is bound
//! by the configuration.

use super::readiness::Reason;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::time::SystemTime;
use tuffet_request::Distribution;
use tuffet_request::Request;
use tuffet_request::events::Outcome;

/// A word out of a few.
pub(crate) type Word = Cow<'static, str>;

/// Everything at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    /// When, in milliseconds since 1970.
    pub(crate) unix_ms: u64,
    /// The version of the server.
    pub(crate) version: String,
    /// When the process began, in milliseconds since 1970.
    pub(crate) started_unix_ms: u64,
    /// The configuration that serves; 1 is the one that the server started with.
    pub(crate) generation: u64,
    /// Whether it serves all that is configured, as it is configured.
    pub(crate) ready: bool,
    /// Why it does not.
    #[serde(default)]
    pub(crate) reasons: Vec<Reason>,
    /// Since the process began.
    pub(crate) totals: Totals,
    /// The fastest of the transfers that run, at most [`super::ROWS`]; `totals.active` counts all.
    pub(crate) active: Vec<Active>,
    /// The last that ended, newest first, at most [`super::FINISHED`].
    pub(crate) finished: Vec<Finished>,
    /// Seconds, oldest first, at most [`super::SAMPLES`].
    pub(crate) samples: Vec<Sample>,
}

/// Counters and histograms since the process began, and gauges as they are now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Totals {
    /// Requests that were admitted.
    pub(crate) admitted: u64,
    /// Transfers that run now.
    pub(crate) active: u64,
    /// Requests that ended, for each operation and outcome.
    pub(crate) ended: Vec<Ended>,
    /// Bytes that arrived; of running transfers as of the last second.
    pub(crate) bytes: ByOperation<u64>,
    /// Blocks that arrived, of transfers that ended.
    pub(crate) blocks: ByOperation<u64>,
    /// Packets sent again; of running transfers as of the last second.
    pub(crate) retransmissions: u64,
    /// Packets that came again, of transfers that ended.
    pub(crate) duplicates: u64,
    /// Times that a client was silent for too long, of transfers that ended.
    pub(crate) timeouts: u64,
    /// Of these, the times that its answer was on its way, so that what went out again was not needed.
    #[serde(default)]
    pub(crate) needless_timeouts: u64,
    /// From the request to the end, of requests that were granted.
    pub(crate) duration: ByOperation<Distribution>,
    /// Smoothed round-trip times at the end.
    pub(crate) rtt: Distribution,
    /// From the request to the first block that arrived.
    pub(crate) first_block: Distribution,
    /// From the request to the decision.
    pub(crate) decision: Distribution,
    /// What waits now.
    pub(crate) queues: Queues,
    /// Memory for hot files.
    pub(crate) file_cache: FileCacheTotals,
    /// Plugins, by name.
    pub(crate) plugins: Vec<PluginTotals>,
    /// Datagrams that came to nothing, by reason.
    pub(crate) dropped: Vec<Dropped>,
    /// Transfers that ended before their client had answered once.
    #[serde(default)]
    pub(crate) unanswered: u64,
    /// Transfers whose client has not answered yet, now.
    #[serde(default)]
    pub(crate) half_open: u64,
    /// Those of them that made room for others.
    #[serde(default)]
    pub(crate) gave_way: u64,
}

/// One for each operation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ByOperation<T> {
    pub(crate) read: T,
    pub(crate) write: T,
}

/// Requests that ended alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ended {
    /// `read` or `write`.
    pub(crate) operation: Word,
    pub(crate) outcome: Outcome,
    pub(crate) count: u64,
}

/// What waits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Queues {
    /// Requests that wait for their decision.
    pub(crate) decisions: u64,
    /// Summaries that wait to be logged.
    pub(crate) summaries: u64,
    /// Events that wait for observers.
    pub(crate) events: u64,
    /// Samples of progress that observers were not told, since they were busy.
    #[serde(default)]
    pub(crate) progress_left_out: u64,
    /// Lines that wait in sinks.
    pub(crate) sinks: Vec<SinkQueue>,
}

/// The queue of a sink.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SinkQueue {
    pub(crate) sink: String,
    pub(crate) lines: u64,
    /// Whether the last try to deliver failed.
    #[serde(default)]
    pub(crate) broken: bool,
}

/// The memory for hot files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileCacheTotals {
    /// Files that were in memory when they were asked for.
    pub(crate) hits: u64,
    /// Files that were not.
    pub(crate) misses: u64,
    /// Bytes that are used, and that may be.
    pub(crate) bytes: u64,
    pub(crate) capacity: u64,
}

/// A plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PluginTotals {
    pub(crate) plugin: String,
    /// Whether the configuration that serves has it.
    pub(crate) loaded: bool,
    /// Whether its breaker is open.
    pub(crate) breaker_open: bool,
    /// Calls that run and that wait for an instance, now.
    pub(crate) running: u64,
    pub(crate) waiting: u64,
    /// Calls that were tried, those that the breaker kept from it included.
    pub(crate) calls: u64,
    /// Those that failed, by cause.
    pub(crate) failures: Vec<(Word, u64)>,
    /// How often its breaker opened.
    pub(crate) opened: u64,
    /// Opinions in the mode `monitor`.
    pub(crate) monitored: u64,
    /// Questions that a decision of before answered, and those with a cache that none did.
    pub(crate) cache_hits: u64,
    pub(crate) cache_misses: u64,
    /// Events that it was not told, since all calls with them failed.
    #[serde(default)]
    pub(crate) events_lost: u64,
    /// How long its calls took, the wait for an instance included, by hook.
    pub(crate) durations: Vec<(Word, Distribution)>,
}

/// Datagrams that came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Dropped {
    /// `limit-…`, `stopping`, `repeated`, `stray`, `malformed`, `port-0`, `send-refused` or `receive-error`.
    pub(crate) reason: Word,
    pub(crate) count: u64,
}

/// Who asks for what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Who {
    pub(crate) id: String,
    pub(crate) listener: String,
    /// Address and port.
    pub(crate) client: String,
    /// The most trustworthy MAC address, and where it was learnt.
    pub(crate) mac: Option<String>,
    pub(crate) mac_source: Option<Word>,
    /// What kind of client it seems to be.
    pub(crate) class: Word,
    /// `read` or `write`.
    pub(crate) operation: Word,
    pub(crate) path: String,
}

impl From<&Request> for Who {
    fn from(request: &Request) -> Who {
        let mac = request.macs.first();
        Who {
            id: request.id.to_string(),
            listener: request.listener.to_string(),
            client: request.client.to_string(),
            mac: mac.map(|mac| mac.address.to_string()),
            mac_source: mac.map(|mac| mac.source.as_str().into()),
            class: request.class.as_str().into(),
            operation: operation(request),
            path: request.path.clone(),
        }
    }
}

/// A transfer that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Active {
    #[serde(flatten)]
    pub(crate) who: Who,
    /// `ROOT:PATH`, or `content` where a plugin made it.
    pub(crate) resolved: Option<String>,
    /// The plugin that decided; none where the configuration did.
    pub(crate) verdict_by: Option<String>,
    /// When it was asked, in milliseconds since 1970, and how long ago.
    pub(crate) started_unix_ms: u64,
    pub(crate) running_us: u64,
    /// Bytes on the wire, where they are known.
    pub(crate) size: Option<u64>,
    /// Bytes that arrived.
    pub(crate) bytes: u64,
    /// In the last whole second.
    pub(crate) bytes_per_second: u64,
    pub(crate) retransmissions: u32,
}

/// A request that ended.
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
    pub(crate) size: Option<u64>,
    pub(crate) bytes: u64,
    pub(crate) blocks: u64,
    pub(crate) blksize: u16,
    pub(crate) windowsize: u16,
    pub(crate) retransmissions: u32,
    pub(crate) duplicates: u32,
    pub(crate) timeouts: u32,
    pub(crate) rtt_us: Option<u64>,
    pub(crate) decision_us: Option<u64>,
    pub(crate) first_block_us: Option<u64>,
    pub(crate) duration_us: u64,
}

/// What happened in one second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sample {
    /// When it ended, in milliseconds since 1970.
    pub(crate) unix_ms: u64,
    /// How long it was: a busy server may be late.
    pub(crate) elapsed_ms: u64,
    /// Requests that ended, in the order of [`Outcome::ALL`].
    pub(crate) ended: Vec<u64>,
    /// Bytes in a second.
    pub(crate) bytes_per_second: ByOperation<u64>,
    /// Packets sent again.
    pub(crate) retransmissions: u64,
    /// Transfers that ran at its end, and requests that waited for their decision.
    pub(crate) active: u64,
    pub(crate) pending: u64,
    /// Of the requests that were decided in it.
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

/// Milliseconds since 1970.
pub(super) fn unix_ms(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
