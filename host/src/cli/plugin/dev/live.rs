//! Requests of the server, as they end: who, what, the outcome, and the answer and time of each plugin.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::say;
use tuffet::watch::{Finished, PluginCall, Snapshot};
use tuffet_daemon::Reply;

/// The pause before the next attempt to reach a server.
const PAUSE: Duration = Duration::from_millis(200);
/// How long a server may be silent; it sends a snapshot every second.
const SILENCE: Duration = Duration::from_secs(10);

/// Shows requests in a thread of its own, from now on or, for a server that is yet to start, from the first.
pub(super) fn show(socket: PathBuf, from_now_on: bool) {
    thread::spawn(move || {
        let mut shown = Shown { requests: HashSet::new(), skip: from_now_on, started: 0 };
        loop {
            // A server that is away is reported where it is started and reloaded.
            let _ = follow(&socket, &mut shown);
            thread::sleep(PAUSE);
        }
    });
}

/// What was shown already.
struct Shown {
    /// The requests of the last snapshot.
    requests: HashSet<String>,
    /// Whether the next snapshot is of the time before.
    skip: bool,
    /// The start of the server, in milliseconds since 1970.
    started: u64,
}

fn follow(socket: &Path, shown: &mut Shown) -> io::Result<()> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(SILENCE))?;
    stream.write_all(b"watch\n")?;
    for line in BufReader::new(stream).lines() {
        if let Reply::Live(snapshot) = serde_json::from_str(&line?)? {
            super::super::print(&news(&snapshot, shown));
        }
    }
    Ok(())
}

/// The lines about requests that the snapshot before did not have, oldest first.
fn news(snapshot: &Snapshot, shown: &mut Shown) -> String {
    if snapshot.started_unix_ms != shown.started {
        shown.started = snapshot.started_unix_ms;
        for listener in &snapshot.listeners {
            say(&format!("listener {} at {}", listener.listener, listener.address));
        }
    }
    let skip = std::mem::take(&mut shown.skip);
    let new = snapshot.finished.iter().rev().filter(|its| !skip && !shown.requests.contains(&its.who.id));
    let lines = new.map(line).collect();
    shown.requests = snapshot.finished.iter().map(|its| its.who.id.clone()).collect();
    lines
}

fn line(request: &Finished) -> String {
    let who = &request.who;
    let mut line = format!("{} {} {} {:?}: {}", who.id, who.client, who.operation, who.path, request.outcome);
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
