//! What happened.

use serde::Serialize;
use tuffet_sdk::{Event, Happening, Level, Observe, Outcome, log, sinks};

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
            let Happening::Finished(summary) = &event.what else { continue };
            if summary.outcome != Outcome::Served {
                continue;
            }
            let resolved = summary.resolved.as_deref().unwrap_or_default();
            let line = Download {
                client: &summary.request.client.address,
                path: &summary.request.path,
                bytes: summary.bytes,
                current: resolved.ends_with(&self.current),
            };
            if let Err(error) = sinks::emit_json(&self.sink, &line) {
                log(Level::Warn, format!("a download was not told: {error}"));
            }
        }
    }
}
