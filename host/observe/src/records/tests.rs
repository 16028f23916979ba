//! The fields of a line about a request, which programs read.

use super::event::NAMES;
use super::log;
use crate::dialect::COMPATIBLE;
use parking_lot::Mutex;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tuffet_request::events::{Answered, DecisionRecord, Outcome, Summary};
use tuffet_request::{Request, SpanId, TraceId, Traced};

struct Collected(Arc<Mutex<Vec<Value>>>);

impl<S: Subscriber> Layer<S> for Collected {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = Fields(Map::new());
        event.record(&mut fields);
        let about = event.metadata();
        fields.0.insert("level".into(), about.level().as_str().into());
        fields.0.insert("target".into(), about.target().into());
        self.0.lock().push(fields.0.into());
    }
}

struct Fields(Map<String, Value>);

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().into(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().into(), value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().into(), format!("{value:?}").into());
    }
}

/// The page explains exactly the fields that a line can have.
#[test]
fn the_page_about_logs_has_all_fields() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/logs.md");
    let page = fs::read_to_string(page).unwrap();
    let table = page.split("\n## Fields\n").nth(1).unwrap().split("\n\nTwo kinds").next().unwrap();
    let cells = table.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    let explained: BTreeSet<&str> = cells.flat_map(|cell| cell.trim_end_matches('`').split("`, `")).collect();
    let unexplained = ["message", COMPATIBLE];
    let all: BTreeSet<&str> = NAMES.into_iter().filter(|name| !unexplained.contains(name)).collect();
    assert_eq!(explained, all);
}

/// Returns the fields of the line about a request.
fn logged(summary: &Summary, traced: Option<Traced>) -> Value {
    let lines = Arc::default();
    let subscriber = tracing_subscriber::registry().with(Collected(Arc::clone(&lines)));
    tracing::subscriber::with_default(subscriber, || log(summary, traced, None));
    let mut lines = lines.lock();
    assert_eq!(lines.len(), 1);
    lines.remove(0)
}

fn fields(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

#[test]
fn a_line_has_each_fact_under_its_name() {
    let traced = Traced { trace: TraceId(10), span: SpanId(11) };
    let expected = fields(
        r#"{
        "level": "WARN",
        "target": "tuffet::transfer",
        "message": "transfer",
        "id": "0000000000000001",
        "outcome": "timed-out",
        "client": "192.0.2.1:2000",
        "mac": "02:00:5e:10:00:01",
        "mac_source": "neighbour-table",
        "class": "u-boot",
        "operation": "read",
        "protocol": "http",
        "certificate": "0a1b",
        "path": "b/pxelinux.0",
        "shim_folder": "efi",
        "requested": "..\\B\\PXELINUX.0",
        "raw_name": "2fe9",
        "resolved": "boot:elsewhere",
        "group": "239.1.2.3:1758",
        "detail": "silent after block 3",
        "tried": "[\"boot:a\", \"boot:b\"]",
        "tried_by": "mac-map",
        "other_case": "[\"boot:A\"]",
        "hint": "the path drops large datagrams",
        "decision": "granted",
        "verdict_by": "acl",
        "plugin_calls": 1,
        "labels": "acl=canary",
        "listener": "lan",
        "bytes": 4284,
        "blocks": 3,
        "size": 9000,
        "rate": 2048,
        "asked": "blksize=1468",
        "blksize": 1428,
        "windowsize": 8,
        "timeout_option": 6,
        "tsize": 9001,
        "retransmissions": 10,
        "duplicates": 11,
        "timeouts": 12,
        "needless_timeouts": 13,
        "rtt_us": 14000,
        "decision_us": 12000,
        "first_block_us": 15000,
        "duration_us": 16500000,
        "trace_id": "0000000000000000000000000000000a",
        "span_id": "000000000000000b"
    }"#,
    );
    assert_eq!(logged(&Summary::sample(), Some(traced)), expected);
}

#[test]
fn a_fact_that_is_not_known_has_no_field() {
    let record = DecisionRecord::new(Arc::new(Request::sample("a")), Instant::now());
    let expected = fields(
        r#"{
        "level": "INFO",
        "target": "tuffet::transfer",
        "message": "transfer",
        "id": "0000000000000001",
        "outcome": "served",
        "client": "192.0.2.1:2000",
        "class": "unknown",
        "operation": "read",
        "path": "a",
        "decision": "granted",
        "plugin_calls": 0,
        "listener": "lan",
        "bytes": 0,
        "blocks": 0,
        "blksize": 512,
        "windowsize": 1,
        "retransmissions": 0,
        "duplicates": 0,
        "timeouts": 0,
        "duration_us": 0
    }"#,
    );
    assert_eq!(logged(&Summary::new(record, Outcome::Served, Answered::Granted), None), expected);
}
