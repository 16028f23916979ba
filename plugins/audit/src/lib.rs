//! An audit log: one JSON line in a sink for each request that has ended. Hashes chain the lines, which
//! reveals a line that was changed, removed or inserted later. README.md shows the settings and the line.
//!
//! The head of the chain is in `kv`, because each call gets a fresh instance and the chain continues across
//! restarts. It is stored before the lines are sent. If lines are then lost, `verify.py` reports a gap; in
//! the opposite order, a crash would produce two lines with one number. Lines that the sink does not accept
//! are kept in `kv` and sent first in a later call, if need be one without events. If `kv` fails, lines are
//! sent all the same, outside the chain.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod chain;
mod kept;
mod line;
#[cfg(test)]
mod tests;

use serde::Deserialize;
use tuffet_sdk::{Event, EventKind, Level, Observe, Plugin, Problems, Summary, code, kv, log, sinks};

use chain::{Head, unchained};
use kept::{Keep, store};
use line::Line;

/// The settings of the plugin; README.md explains each key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    sink: String,
    witness: Option<String>,
}

/// The configured plugin.
pub struct Audit {
    settings: Settings,
    /// The key of the chain's head in `kv`.
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
        let finished = events.iter().filter_map(|event| match &event.kind {
            EventKind::Finished(summary) => Some((event.unix_ms, summary)),
            _ => None,
        });
        let finished: Vec<(u64, &Summary)> = finished.collect();
        if finished.is_empty() {
            // A call without events: a sink that was full may have room.
            if events.is_empty()
                && let Err(error) = self.send_kept()
            {
                log(Level::Error, format!("the lines that wait for the sink cannot be read: {error}"));
            }
            return;
        }
        if let Err(error) = self.write(&finished) {
            log(Level::Error, format!("the head of the chain cannot be read: {error}"));
            self.write_unchained(&finished, &error);
        }
    }
}

impl Audit {
    /// Sends lines that the sink refused earlier.
    fn send_kept(&self) -> Result<(), String> {
        let mut head = self.head()?;
        Keep { sink: &self.settings.sink, key: &self.key }.send(&mut head).map(drop)
    }

    /// Returns an error if none of these lines was written.
    fn write(&self, finished: &[(u64, &Summary)]) -> Result<(), String> {
        let keep = Keep { sink: &self.settings.sink, key: &self.key };
        let mut head = self.head()?;
        let may_follow = keep.send(&mut head)?;
        let before = head.clone();
        // Each line, and the head of the chain after it.
        let (mut lines, mut after) = (Vec::new(), Vec::new());
        for (unix_ms, summary) in finished {
            lines.push(head.append(&Line::new(*unix_ms, summary)));
            after.push(head.clone());
        }
        let mut written = 0;
        if may_follow {
            store(&self.key, &head)?;
            for line in &lines {
                match sinks::emit(&self.settings.sink, line) {
                    Ok(()) => written += 1,
                    Err(error) if error.is(code::FULL) => break,
                    Err(error) => {
                        self.lose(&before, &after, written, &format!("the sink refuses them: {error}"));
                        return Ok(());
                    }
                }
            }
        }
        if written < lines.len() {
            let (kept, failed) = match keep.keep(&mut head, &lines[written..]) {
                Ok(kept) => (kept, None),
                Err((kept, error)) => (kept, Some(error)),
            };
            let bundles = head.kept.clone();
            let in_chain = written + kept;
            let mut last = if in_chain == 0 { before.clone() } else { after[in_chain - 1].clone() };
            last.kept = bundles.clone();
            if let Some(error) = failed {
                let mut after = after.clone();
                after.iter_mut().for_each(|head| head.kept = bundles.clone());
                let before = Head { kept: bundles, ..before };
                self.lose(
                    &before,
                    &after,
                    in_chain,
                    &format!("the sink takes no more, and kv neither: {error}"),
                );
            } else if let Err(error) = store(&self.key, &last) {
                log(Level::Error, format!("{kept} lines that the sink does not take are lost: {error}"));
            }
            head = last;
        }
        if let Some(witness) = &self.settings.witness
            && let Err(error) = sinks::emit(witness, &head.seen())
        {
            log(Level::Warn, format!("the witness was not told of line {}: {error}", head.seq));
        }
        Ok(())
    }

    /// Drops the lines from this one on: the chain continues from the one before, and its next line states
    /// the loss.
    fn lose(&self, before: &Head, after: &[Head], from: usize, why: &str) {
        let lost = after.len() - from;
        let mut last = if from == 0 { before.clone() } else { after[from - 1].clone() };
        last.lost += lost as u64;
        let stored = store(&self.key, &last).err();
        let not_told =
            stored.map(|error| format!(", and the next line cannot tell: {error}")).unwrap_or_default();
        log(Level::Error, format!("{lost} lines are lost{not_told}: {why}"));
    }

    /// The lines themselves matter more than the chain.
    fn write_unchained(&self, finished: &[(u64, &Summary)], why: &str) {
        let emit = |(unix_ms, summary): &(u64, &Summary)| {
            sinks::emit(&self.settings.sink, &unchained(&Line::new(*unix_ms, summary), why)).err()
        };
        let errors: Vec<sinks::Error> = finished.iter().filter_map(emit).collect();
        if let Some(first) = errors.first() {
            log(Level::Error, format!("{} lines are lost: {first}", errors.len()));
        }
    }

    fn head(&self) -> Result<Head, String> {
        match kv::get(&self.key).map_err(|error| error.to_string())? {
            Some(head) => serde_json::from_slice(&head).map_err(|error| format!("{}: {error}", self.key)),
            None => Ok(Head::default()),
        }
    }
}

tuffet_sdk::manifest! {
    name: "audit",
    version: env!("CARGO_PKG_VERSION"),
    description: "Who did what: a line for each request, chained by hashes",
    grants: [
        ("kv", "remembers the last line's number and hash, from which the next goes on, and keeps lines that the sink does not take"),
        ("sinks", "writes the lines"),
    ],
    optional: [("client-mac", "writes the client's MAC addresses, too")],
    events: ["finished"],
    empty_batches: true,
    reuse: true,
}
tuffet_sdk::export!(Audit: observe);
