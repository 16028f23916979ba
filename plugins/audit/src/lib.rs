//! Who did what: one JSON line for each request that has ended, to a sink, chained by hashes, so that a line
//! that was changed, removed or put in later shows. README.md shows the settings and the line.
//!
//! The head of the chain lies in `kv`, because each call gets a fresh instance and the chain goes on over
//! restarts. It is stored before the lines go out: what is lost after that is a gap, which `verify.py` names;
//! the other way round, a crash would make two lines of one number.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod chain;
mod line;
#[cfg(test)]
mod tests;

use serde::Deserialize;
use tuffet_sdk::{Event, Happening, Level, Observe, Plugin, Problems, Summary, kv, log, sinks};

use chain::Head;
use line::Line;

/// The settings of the plugin; README.md explains each key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    sink: String,
    witness: Option<String>,
}

/// The log, ready to be written.
pub struct Audit {
    settings: Settings,
    /// Where the head of the chain lies in `kv`.
    key: String,
}

impl Plugin for Audit {
    type Settings = Settings;

    fn configure(settings: Settings) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        // A key of `kv` has at most 256 bytes.
        if settings.sink.is_empty() || settings.sink.len() > 200 {
            problems.add("/sink", "write the name of a sink, one of those below `sinks`");
        }
        if settings.witness.as_ref() == Some(&settings.sink) {
            problems.add("/witness", "a witness that lies in the same place sees nothing: name another sink");
        }
        problems.or(Audit { key: format!("head/{}", settings.sink), settings })
    }
}

impl Observe for Audit {
    fn observe(&self, events: &[Event]) {
        let finished = events.iter().filter_map(|event| match &event.what {
            Happening::Finished(summary) => Some((event.unix_ms, summary)),
            _ => None,
        });
        let finished: Vec<(u64, &Summary)> = finished.collect();
        if finished.is_empty() {
            return;
        }
        if let Err(error) = self.write(&finished) {
            let lost = finished.len();
            log(
                Level::Error,
                format!("the head of the chain is not to be had, {lost} lines are lost: {error}"),
            );
        }
    }
}

impl Audit {
    fn write(&self, finished: &[(u64, &Summary)]) -> Result<(), String> {
        let before = self.head()?;
        let mut head = before.clone();
        // Each line with the chain as it is after it.
        let mut lines = Vec::with_capacity(finished.len());
        for (unix_ms, summary) in finished {
            let line = head.append(&Line::new(*unix_ms, summary));
            lines.push((line, head.clone()));
        }
        self.store(&head)?;
        let mut written = before;
        for (at, (line, after)) in lines.into_iter().enumerate() {
            if let Err(error) = sinks::emit(&self.settings.sink, &line) {
                // These never went out: the chain goes on from the last that did, and its next line says so.
                let lost = finished.len() - at;
                written.lost += lost as u64;
                self.store(&written)?;
                log(Level::Error, format!("the sink takes no more, {lost} lines are lost: {error:?}"));
                break;
            }
            written = after;
        }
        if let Some(witness) = &self.settings.witness
            && let Err(error) = sinks::emit(witness, &written.seen())
        {
            log(Level::Warn, format!("the witness was not told of line {}: {error:?}", written.seq));
        }
        Ok(())
    }

    fn head(&self) -> Result<Head, String> {
        match kv::get(&self.key).map_err(|error| format!("{error:?}"))? {
            Some(head) => serde_json::from_slice(&head).map_err(|error| format!("{}: {error}", self.key)),
            None => Ok(Head::default()),
        }
    }

    fn store(&self, head: &Head) -> Result<(), String> {
        let head = serde_json::to_vec(head).map_err(|error| error.to_string())?;
        kv::set(&self.key, head, None).map_err(|error| format!("{error:?}"))
    }
}

tuffet_sdk::manifest! {
    name: "audit",
    version: env!("CARGO_PKG_VERSION"),
    description: "Who did what: a line for each request, chained by hashes",
    grants: [
        ("kv", "remembers the last line's number and hash, from which the next goes on"),
        ("sinks", "writes the lines"),
    ],
    optional: [("client-mac", "writes the client's MAC addresses, too")],
}
tuffet_sdk::export!(Audit: observe);
