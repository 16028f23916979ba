//! Events for `observe` as written in a file, in the words of `sdk/wit/policy.wit`.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use schemars::JsonSchema;
use serde::Deserialize;
use tuffet_core::{OptionSet, Stats};

use super::host::InputProblem;
use super::host::parse_time;
use super::request::WrittenRequest;
use tuffet_request::events::{
    Answered, CompactRecord, DecisionRecord, Ending, Event, EventKind, Outcome, Summary,
};
use tuffet_request::{Request, RequestId};

/// An event: exactly one of `started`, `progressed` and `finished`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct WrittenEvent {
    /// The time; that of the case by default.
    at: Option<String>,
    /// The number from which the IDs of its requests are derived.
    #[serde(default = "one")]
    id: u64,
    started: Option<Started>,
    progressed: Option<Progressed>,
    finished: Option<Box<Finished>>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Started {
    request: WrittenRequest,
    resolved: Option<String>,
    decided_by: Option<String>,
    size: Option<u64>,
    #[serde(default)]
    decision_us: u64,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Progressed {
    transferred: u64,
    size: Option<u64>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Finished {
    request: WrittenRequest,
    outcome: Outcome,
    detail: Option<String>,
    /// Granted by default, unless the outcome implies a refusal.
    decision: Option<Answered>,
    decided_by: Option<String>,
    #[serde(default)]
    plugin_calls: u32,
    resolved: Option<String>,
    size: Option<u64>,
    blksize: Option<u16>,
    windowsize: Option<u16>,
    timeout_option: Option<u8>,
    tsize: Option<u64>,
    #[serde(default)]
    transferred: u64,
    #[serde(default)]
    blocks: u64,
    #[serde(default)]
    retransmissions: u32,
    #[serde(default)]
    duplicates: u32,
    #[serde(default)]
    timeouts: u32,
    rtt_us: Option<u64>,
    decision_us: Option<u64>,
    first_block_us: Option<u64>,
    #[serde(default)]
    duration_us: u64,
}

fn one() -> u64 {
    1
}

/// Resolves all events; `now` is the time of those that have none.
///
/// # Errors
/// The first invalid event.
pub(crate) fn resolve(events: &[WrittenEvent], now: Duration) -> Result<Vec<Event>, InputProblem> {
    if events.is_empty() {
        return Err((String::new(), "there is no event; write one, such as `- finished: { … }`".into()));
    }
    let at = |index: usize| move |(pointer, message)| (format!("/{index}{pointer}"), message);
    let numbered = events.iter().enumerate();
    numbered.map(|(index, event)| event.resolve(index as u64 + 1, now).map_err(at(index))).collect()
}

impl WrittenEvent {
    /// `number`: its place in the list, from 1.
    fn resolve(&self, number: u64, now: Duration) -> Result<Event, InputProblem> {
        let since = self.at.as_deref().map_or(Ok(now), parse_time);
        let since = since.map_err(|message| ("/at".to_owned(), message))?;
        let request = |written: &WrittenRequest, at: &str| -> Result<Arc<Request>, InputProblem> {
            let wrong = |(pointer, message): InputProblem| (format!("/{at}/request{pointer}"), message);
            let (request, _) = written.resolve(now).map_err(wrong)?;
            Ok(Arc::new(Request { id: RequestId(self.id), ..request }))
        };
        let what = match (&self.started, &self.progressed, &self.finished) {
            (Some(started), None, None) => {
                let record = started.record(request(&started.request, "started")?);
                let open = Arc::new(CompactRecord::from(&record));
                EventKind::Started { record: Arc::new(record), open }
            }
            (None, Some(Progressed { transferred: bytes, size }), None) => {
                let listener = Arc::from("");
                EventKind::Progressed { id: RequestId(self.id), listener, bytes: *bytes, size: *size }
            }
            (None, None, Some(finished)) => {
                EventKind::Finished(Arc::new(finished.summary(request(&finished.request, "finished")?)))
            }
            _ => {
                let message = "an event is one of `started`, `progressed` and `finished`; write one of them";
                return Err((String::new(), message.into()));
            }
        };
        Ok(Event { sequence: number, at: SystemTime::UNIX_EPOCH + since, what })
    }
}

impl Started {
    fn record(&self, request: Arc<Request>) -> DecisionRecord {
        DecisionRecord {
            decided_after: Some(Duration::from_micros(self.decision_us)),
            resolved: self.resolved.as_deref().map(Arc::from),
            verdict_by: self.decided_by.as_deref().map(Arc::from),
            size: self.size,
            ..DecisionRecord::new(request, Instant::now())
        }
    }
}

impl Finished {
    fn summary(&self, request: Arc<Request>) -> Summary {
        let refused = matches!(self.outcome, Outcome::Denied | Outcome::NotFound);
        let otherwise = if refused { Answered::Refused } else { Answered::Granted };
        let us = Duration::from_micros;
        let record = DecisionRecord {
            decided_after: self.decision_us.map(us),
            resolved: self.resolved.as_deref().map(Arc::from),
            verdict_by: self.decided_by.as_deref().map(Arc::from),
            plugin_calls: self.plugin_calls,
            size: self.size,
            ..DecisionRecord::new(request, Instant::now())
        };
        let ending = Ending { detail: self.detail.clone().map(Into::into), ..self.outcome.into() };
        Summary {
            options: OptionSet {
                tsize: self.tsize,
                blksize: self.blksize,
                windowsize: self.windowsize,
                timeout: self.timeout_option,
                ..OptionSet::default()
            },
            bytes: self.transferred,
            blocks: self.blocks,
            stats: Stats {
                retransmissions: self.retransmissions,
                duplicates: self.duplicates,
                timeouts: self.timeouts,
                ..Stats::default()
            },
            rtt: self.rtt_us.map(us),
            first_block_after: self.first_block_us.map(us),
            duration: us(self.duration_us),
            ..Summary::new(record, ending, self.decision.unwrap_or(otherwise))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(yaml: &str) -> Result<Vec<Event>, InputProblem> {
        resolve(&serde_yaml::from_str::<Vec<WrittenEvent>>(yaml).unwrap(), Duration::ZERO)
    }

    #[test]
    fn an_event_is_what_the_server_would_tell() {
        let events = events(
            "- { at: 1970-01-01T00:00:02Z, id: 7, started: { request: { path: a }, size: 9 } }\n\
             - { id: 7, progressed: { transferred: 3 } }\n\
             - { id: 7, finished: { request: { path: a }, outcome: not-found, rtt-us: 5 } }\n",
        )
        .unwrap();
        assert_eq!(events[0].at, SystemTime::UNIX_EPOCH + Duration::from_secs(2));
        let EventKind::Progressed { id, .. } = events[1].what else { unreachable!("{events:?}") };
        let EventKind::Finished(summary) = &events[2].what else { unreachable!("{events:?}") };
        assert_eq!((id, summary.record.request.id), (RequestId(7), RequestId(7)));
        assert_eq!((summary.decision, summary.rtt), (Answered::Refused, Some(Duration::from_micros(5))));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (yaml, pointer) in [
            ("[]", ""),
            ("[{}]", "/0"),
            ("- { progressed: { transferred: 1 }, started: { request: { path: a } } }", "/0"),
            (
                "- { progressed: { transferred: 1 } }\n- { started: { request: { path: a, client: b } } }",
                "/1/started/request/client",
            ),
            ("- { at: noon, progressed: { transferred: 1 } }", "/0/at"),
        ] {
            assert_eq!(events(yaml).err().map(|(at, _)| at).as_deref(), Some(pointer), "{yaml}");
        }
    }
}
