//! An event as JSON.

use serde::Serialize;
use tuffet_sdk::{Event, Happening, Mac, Request, Summary};

use crate::settings::Kind;

/// Length in bytes of text that a client or another plugin chose, so that a message fits a sink (32 KiB)
/// however it is escaped.
const MAX_TEXT: usize = 1000;

/// The fields that all events share, and the fields of each kind.
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
    source: &'static str,
}

/// The decision.
#[derive(Serialize)]
struct Found<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict_by: Option<&'a str>,
}

/// The outcome.
#[derive(Serialize)]
struct Ended<'a> {
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
    decision: &'static str,
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
    pub fn new(topic: &'a str, event: &'a Event) -> Message<'a> {
        let empty = Message {
            topic,
            event: Kind::of(event),
            unix_ms: event.unix_ms,
            id: "",
            request: None,
            found: None,
            size: None,
            bytes: None,
            ended: None,
        };
        match &event.what {
            Happening::Started(start) => Message {
                id: &start.request.id,
                request: Some(Asked::new(&start.request)),
                found: Some(Found::new(start.resolved.as_deref(), start.verdict_by.as_deref())),
                size: start.size,
                ..empty
            },
            Happening::Progressed(progress) => {
                Message { id: &progress.id, size: progress.size, bytes: Some(progress.bytes), ..empty }
            }
            Happening::Finished(summary) => Message {
                id: &summary.request.id,
                request: Some(Asked::new(&summary.request)),
                found: Some(Found::new(summary.resolved.as_deref(), summary.verdict_by.as_deref())),
                size: summary.size,
                bytes: Some(summary.bytes),
                ended: Some(Ended::new(summary)),
                ..empty
            },
        }
    }
}

impl<'a> Asked<'a> {
    fn new(request: &'a Request) -> Self {
        Asked {
            listener: cut(&request.listener),
            address: &request.client.address,
            port: request.client.port,
            macs: request.client.macs.iter().take(8).map(Known::new).collect(),
            class: cut(&request.client.class),
            operation: request.operation.name(),
            path: cut(&request.path),
        }
    }
}

impl<'a> Known<'a> {
    fn new(mac: &'a Mac) -> Self {
        Known { address: &mac.address, source: mac.source.name() }
    }
}

impl<'a> Found<'a> {
    fn new(resolved: Option<&'a str>, verdict_by: Option<&'a str>) -> Self {
        Found { resolved: resolved.map(cut), verdict_by: verdict_by.map(cut) }
    }
}

impl<'a> Ended<'a> {
    fn new(summary: &'a Summary) -> Self {
        Ended {
            outcome: summary.outcome.name(),
            detail: summary.detail.as_deref().map(cut),
            decision: summary.decision.name(),
            blksize: summary.blksize,
            windowsize: summary.windowsize,
            blocks: summary.blocks,
            decision_us: summary.decision_us,
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
