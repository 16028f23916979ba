//! Sinks: the delivery of plugins' lines, and failures of any part.

mod audit;
mod disk;
mod files;
mod http;
pub mod nats;
mod otlp;
mod relay;
mod syslog;

use crate::harness::{Peer, Server, Setup, rrq, wait_until};
use serde_json::Value;
use std::path::PathBuf;
use tempfile::TempDir;

/// The files that survive a server.
pub struct Kept(TempDir);

impl Kept {
    pub fn new() -> Kept {
        Kept(TempDir::new().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns a server that publishes the end of each request to this sink.
    pub fn setup(&self, sink: &str) -> Setup {
        let at = self.0.path().display();
        Setup::new().file("a", b"content").yaml(&format!(
            r#"
roots: [{{ name: boot, path: root }}]
state: "{at}/state"
sinks: {{ out: {sink} }}
policy: {{ observe: [publish] }}
plugins:
  publish:
    component: builtin:publish
    grants: [sinks/out]
    limits: {{ time: 20s, wall: 40s }}
    settings: {{ sink: out, events: [finished] }}
"#
        ))
    }
}

/// Requests missing files, each by its number.
pub fn ask(server: &Server, numbers: std::ops::Range<u32>) {
    for number in numbers {
        Peer::new(server.address()).ask(&rrq(&format!("n{number}"), &[]));
        server.outcome(&format!("n{number}"));
    }
}

/// Returns the requested numbers, in the order of these lines.
pub fn asked(lines: &[String]) -> Vec<u32> {
    let number = |line: &String| {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        line["path"].as_str().and_then(|path| path.strip_prefix('n')).unwrap().parse().unwrap()
    };
    lines.iter().map(number).collect()
}

/// Removes duplicates.
pub fn first_of_each(numbers: Vec<u32>) -> Vec<u32> {
    let mut seen = std::collections::HashSet::new();
    numbers.into_iter().filter(|number| seen.insert(*number)).collect()
}

/// Waits until the sink has accepted this many lines.
#[track_caller]
pub fn wait_for_queued(server: &Server, lines: u64) {
    wait_until(&format!("{lines} lines were taken"), || server.sink()["queued"] == lines);
}
