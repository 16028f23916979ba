//! An event as JSON.

use serde::Serialize;
use tuffet_sdk::{DecidedRequest, Event, EventKind, Mac, Request, Summary};

use crate::settings::Kind;

/// Length in bytes of text that a client or another plugin chose, so that a message fits a sink (32 KiB)
/// however it is escaped.
const MAX_TEXT: usize = 1000;

/// The fields that all events share, and the fields of each kind. They are this plugin's own format, for receivers of events:
/// a field keeps its name (`bytes`, `verdict_by`), whatever the interface calls the value.
#[derive(Serialize)]
pub(crate) struct Message<'a> {
    topic: &'a str,
    event: Kind,
    unix_ms: u64,
    id: &'a str,
    #[serde(flatten)]
    request: Option<Asked<'a>>,
    #[serde(flatten)]
    found: Option<Found<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(flatten)]
    ended: Option<Ended<'a>>,
}

/// The client and its request.
#[derive(Serialize)]
struct Asked<'a> {
    listener: &'a str,
    address: &'a str,
    port: u16,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    macs: Vec<Known<'a>>,
    class: &'a str,
    operation: &'static str,
    path: &'a str,
}

/// A MAC address and its source.
#[derive(Serialize)]
struct Known<'a> {
    address: &'a str,
    source: &'a str,
}

/// The decision.
#[derive(Serialize)]
struct Found<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict_by: Option<&'a str>,
}

/// The outcome.
#[derive(Serialize)]
struct Ended<'a> {
    outcome: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
    decision: &'a str,
    blksize: u16,
    windowsize: u16,
    blocks: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision_us: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_block_us: Option<u64>,
    duration_us: u64,
    retransmissions: u64,
    duplicates: u64,
    timeouts: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    rtt_us: Option<u64>,
}

impl<'a> Message<'a> {
    /// The event as one of its kinds ([`Kind::of`]). `None` for an event of a kind that later servers have.
    pub fn new(topic: &'a str, kind: Kind, event: &'a Event) -> Option<Message<'a>> {
        let empty = |id: &'a str| Message {
            topic,
            event: kind,
            unix_ms: event.unix_ms,
            id,
            request: None,
            found: None,
            size: None,
            bytes: None,
            ended: None,
        };
        let decided = |decided: &'a DecidedRequest| Message {
            request: Some(Asked::new(&decided.request)),
            found: Some(Found::new(decided)),
            size: decided.size,
            ..empty(&decided.request.id)
        };
        match &event.kind {
            EventKind::Started(start) => Some(decided(start)),
            EventKind::Progressed(progress) => Some(Message {
                size: progress.size,
                bytes: Some(progress.transferred),
                ..empty(&progress.request_id)
            }),
            EventKind::Finished(summary) => Some(Message {
                bytes: Some(summary.transferred),
                ended: Some(Ended::new(summary)),
                ..decided(&summary.decided)
            }),
            EventKind::Other(_) => None,
        }
    }
}

impl<'a> Asked<'a> {
    fn new(request: &'a Request) -> Self {
        let macs = request.client.any_macs();
        Asked {
            listener: cut(&request.listener),
            address: &request.client.address,
            port: request.client.port,
            macs: macs.take(8).map(Known::new).collect(),
            class: cut(&request.client.class),
            operation: request.operation.name(),
            path: cut(&request.path),
        }
    }
}

impl<'a> Known<'a> {
    fn new(mac: &'a Mac) -> Self {
        Known { address: &mac.address, source: &mac.source }
    }
}

impl<'a> Found<'a> {
    fn new(decided: &'a DecidedRequest) -> Self {
        Found {
            resolved: decided.resolved.as_ref().map(|resolved| cut(&resolved.to_string()).into()),
            verdict_by: decided.decided_by.as_deref().map(cut),
        }
    }
}

impl<'a> Ended<'a> {
    fn new(summary: &'a Summary) -> Self {
        Ended {
            outcome: &summary.outcome,
            detail: summary.detail.as_deref().map(cut),
            decision: &summary.decision,
            blksize: summary.blksize,
            windowsize: summary.windowsize,
            blocks: summary.blocks,
            decision_us: summary.decided.decision_us,
            first_block_us: summary.first_block_us,
            duration_us: summary.duration_us,
            retransmissions: summary.retransmissions,
            duplicates: summary.duplicates,
            timeouts: summary.timeouts,
            rtt_us: summary.rtt_us,
        }
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT)]
}
