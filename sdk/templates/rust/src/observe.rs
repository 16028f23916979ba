//! What happened.

use serde::Serialize;
use tuffet_sdk::{Event, EventKind, Level, Observe, Resolved, log, outcome, sinks};

use crate::Policy;

/// A line in the sink.
#[derive(Serialize)]
struct Download<'a> {
    client: &'a str,
    path: &'a str,
    bytes: u64,
    /// Whether it was the current version.
    current: bool,
}

impl Observe for Policy {
    /// Tells of each file that was served.
    fn observe(&self, events: &[Event]) {
        for event in events {
            let EventKind::Finished(summary) = &event.kind else { continue };
            if summary.outcome != outcome::SERVED {
                continue;
            }
            let (request, resolved) = (&summary.decided.request, &summary.decided.resolved);
            let line = Download {
                client: &request.client.address,
                path: &request.path,
                bytes: summary.transferred,
                current: matches!(resolved, Some(Resolved::File(file)) if file.path == self.current),
            };
            if let Err(error) = sinks::emit_json(&self.sink, &line) {
                log(Level::Warn, format!("a download was not told: {error}"));
            }
        }
    }
}
