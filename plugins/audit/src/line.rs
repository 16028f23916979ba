//! The content of a line.

use serde::Serialize;
use tuffet_sdk::{Mac, Summary};

/// Length in bytes of text that a client or another plugin chose, so that a line fits a sink (32 KiB) however
/// it is escaped.
const MAX_TEXT: usize = 1000;

/// The keys in their order; README.md explains them. They are this plugin's own format, for tools such as `verify.py`: a key
/// keeps its name (`bytes`, `verdict_by`), whatever the interface calls the value.
#[derive(Serialize)]
pub(crate) struct Line<'a> {
    unix_ms: u64,
    id: &'a str,
    listener: &'a str,
    client: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    macs: Vec<Known<'a>>,
    class: &'a str,
    operation: &'static str,
    mode: &'static str,
    requested: &'a str,
    path: &'a str,
    resolved: Option<String>,
    decision: &'a str,
    verdict_by: Option<&'a str>,
    outcome: &'a str,
    detail: Option<&'a str>,
    bytes: u64,
    first_block_us: Option<u64>,
    duration_us: u64,
}

/// A MAC address and its source.
#[derive(Serialize)]
struct Known<'a> {
    address: &'a str,
    source: &'a str,
}

impl<'a> Known<'a> {
    fn new(mac: &'a Mac) -> Self {
        Known { address: &mac.address, source: &mac.source }
    }
}

impl<'a> Line<'a> {
    pub fn new(unix_ms: u64, summary: &'a Summary) -> Line<'a> {
        let decided = &summary.decided;
        let request = &decided.request;
        let address = &request.client.address;
        let colons = address.contains(':');
        let client = if colons { format!("[{address}]") } else { address.clone() };
        let macs = request.client.any_macs();
        Line {
            unix_ms,
            id: &request.id,
            listener: cut(&request.listener),
            client: format!("{client}:{}", request.client.port),
            macs: macs.take(8).map(Known::new).collect(),
            class: cut(&request.client.class),
            operation: request.operation.name(),
            mode: request.mode.name(),
            requested: cut(&request.requested),
            path: cut(&request.path),
            resolved: decided.resolved.as_ref().map(|resolved| cut(&resolved.to_string()).into()),
            decision: &summary.decision,
            verdict_by: decided.decided_by.as_deref().map(cut),
            outcome: &summary.outcome,
            detail: summary.detail.as_deref().map(cut),
            bytes: summary.transferred,
            first_block_us: summary.first_block_us,
            duration_us: summary.duration_us,
        }
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT)]
}
