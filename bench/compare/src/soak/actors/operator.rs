//! Actions of an operator: valid and broken reloads, pauses, too few descriptors, monitoring.

use super::Stage;
use rustix::process::Signal;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Reloads valid and broken configurations in turn, with SIGHUP and through the control socket.
pub(super) fn reloads(stage: &Stage<'_>) {
    for number in 0.. {
        let broken = number % 3 == 2;
        let yaml = if broken { stage.site.broken(number / 3) } else { stage.site.good(number) };
        if let Err(error) = stage.site.configure(&yaml) {
            return stage.wrong(format!("the configuration cannot be written: {error}"));
        }
        if number % 2 == 0 {
            stage.server.signal(Signal::HUP);
        } else {
            ask(stage, &["reload"]);
        }
        stage.count(if broken { "reloads with a broken configuration" } else { "reloads" }, 1);
        if !stage.wait(Duration::from_secs(2)) {
            return;
        }
    }
}

/// Stops the process for two seconds, and takes its descriptors for three.
pub(super) fn pauses_and_descriptors(stage: &Stage<'_>) {
    while stage.wait(Duration::from_secs(13)) {
        stage.server.signal(Signal::STOP);
        stage.wait(Duration::from_secs(2));
        stage.server.signal(Signal::CONT);
        stage.count("pauses of two seconds", 1);
        if !stage.wait(Duration::from_secs(13)) {
            return;
        }
        // The limit is below the open descriptors, so no further one can be opened.
        stage.server.limit_descriptors(Some(3));
        stage.wait(Duration::from_secs(3));
        stage.server.limit_descriptors(None);
        stage.count("times out of descriptors, for three seconds", 1);
    }
}

/// Reads the live view and the metrics, and closes a view.
pub(super) fn watchers(stage: &Stage<'_>) {
    while stage.wait(Duration::from_secs(1)) {
        ask(stage, &["status", "--live"]);
        ask(stage, &["status", "--metrics"]);
        ask(stage, &["top", "--once"]);
        stage.count("looks at the server", 3);
    }
}

/// Ignores the answer: the server may be paused, or have no descriptor.
fn ask(stage: &Stage<'_>, words: &[&str]) {
    let mut command = Command::new(&stage.programs.tuffet);
    command.args(words).arg("--control").arg(stage.site.control());
    let ran = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    if let Err(error) = ran {
        stage.wrong(format!("tuffet cannot be started: {error}"));
    }
}
