//! Shows ended requests of the server: client, path, outcome, and the answer and time of each plugin.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use super::control::{self, PluginCall, Request, Snapshot};
use super::output::say;
use tuffet_terminal::print;

/// The pause before the next attempt to reach a server.
const PAUSE: Duration = Duration::from_millis(200);

/// Shows requests from a new thread: from now on or, if the server has not started yet, from the first.
pub(super) fn show(socket: PathBuf, from_now_on: bool) {
    thread::spawn(move || {
        let mut shown = AlreadyShown { requests: HashSet::new(), skip: from_now_on, started: 0 };
        loop {
            // Start and reload report a server that is not there.
            let _ = control::watch(&socket, |snapshot| print(&news(snapshot, &mut shown)));
            thread::sleep(PAUSE);
        }
    });
}

/// The output so far.
struct AlreadyShown {
    /// The requests of the last snapshot.
    requests: HashSet<String>,
    /// Whether the requests of the next snapshot are from before the start of this command.
    skip: bool,
    /// The start of the server, in milliseconds since 1970.
    started: u64,
}

/// Returns the lines for requests that are not in the previous snapshot, oldest first.
fn news(snapshot: &Snapshot, shown: &mut AlreadyShown) -> String {
    if snapshot.started_unix_ms != shown.started {
        shown.started = snapshot.started_unix_ms;
        for listener in &snapshot.listeners {
            say(&format!("listener {} at {}", listener.name, listener.address));
        }
    }
    let skip = std::mem::take(&mut shown.skip);
    let new = snapshot.finished.iter().rev().filter(|its| !skip && !shown.requests.contains(&its.id));
    let lines = new.map(line).collect();
    shown.requests = snapshot.finished.iter().map(|its| its.id.clone()).collect();
    lines
}

fn line(request: &Request) -> String {
    let Request { id, client, operation, path, outcome, .. } = request;
    let mut line = format!("{id} {client} {operation} {path:?}: {outcome}");
    // Writing to a string cannot fail.
    if let Some(detail) = &request.detail {
        let _ = write!(line, ", {detail:?}");
    }
    if let Some(resolved) = &request.resolved {
        let _ = write!(line, ", {resolved:?}");
    }
    line.push('\n');
    for call in &request.plugins {
        let _ = writeln!(line, "    {}", answer(call));
    }
    line
}

fn answer(call: &PluginCall) -> String {
    let mut shown = format!("{} {}: {}", call.plugin, call.hook, call.verdict);
    if let Some(failure) = &call.failure {
        let _ = write!(shown, " ({failure})");
    }
    let _ = write!(shown, ", {} µs", call.took_us);
    if call.cached {
        shown.push_str(", cached");
    }
    if call.monitored {
        shown.push_str(", monitored");
    }
    shown
}
