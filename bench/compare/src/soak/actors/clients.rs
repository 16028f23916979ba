//! Clients of `tuffet-load`: honest ones, killed ones, and ones on a lossy path.

use super::Stage;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Readers at a constant rate; none may fail.
pub(super) fn readers(stage: &Stage<'_>) {
    let rate = stage.rate.to_string();
    let files = ["--file", "small:20", "--file", "medium:4", "--file", "large:1", "--windowsize", "8"];
    while stage.goes_on() {
        let more = ["--blksize", "1428", "--rate", &rate, "--duration", "5s"];
        honest(stage, "reads", &mut load(stage, stage.site.address, &[&files[..], &more].concat()));
    }
}

/// Readers that lose one percent of the datagrams in each direction.
pub(super) fn lossy(stage: &Stage<'_>) {
    while stage.goes_on() {
        let flags = ["--file", "medium", "--windowsize", "16", "--blksize", "1024", "--loss", "1%"];
        let more = ["--adaptive", "--transfers", "20", "--concurrency", "4"];
        honest(
            stage,
            "reads over a lossy path",
            &mut load(stage, stage.site.address, &[&flags[..], &more].concat()),
        );
        stage.wait(Duration::from_millis(500));
    }
}

pub(super) fn writers(stage: &Stage<'_>) {
    let mut number = 0_u64;
    while stage.goes_on() {
        number += 1;
        let tag = format!("n{}-", number % 4);
        let flags = ["--write", "--file", "file", "--size", "200KiB", "--tag", &tag];
        let more = ["--transfers", "20", "--concurrency", "4", "--windowsize", "4"];
        honest(stage, "writes", &mut load(stage, stage.site.address, &[&flags[..], &more].concat()));
        stage.wait(Duration::from_secs(1));
    }
    let running = stage.site.unfinished();
    stage.count("temporary files of uploads when all clients stopped", running as u64);
}

/// Readers and writers that are killed in the middle of their transfers.
pub(super) fn killed(stage: &Stage<'_>) {
    for number in 0_u64.. {
        let common = ["--transfers", "30", "--concurrency", "30"];
        let kinds: [&[&str]; 2] =
            [&["--file", "large", "--windowsize", "4"], &["--write", "--file", "cut", "--size", "5MiB"]];
        let flags = [kinds[number as usize % 2], &common].concat();
        let child =
            load(stage, stage.site.address, &flags).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        match child {
            Ok(mut child) => {
                stage.wait(Duration::from_millis(100 + fastrand::u64(..400)));
                let _ = child.kill();
                let _ = child.wait();
                stage.count("clients killed", 30);
            }
            Err(error) => stage.wrong(format!("tuffet-load cannot be started: {error}")),
        }
        if !stage.wait(Duration::from_secs(5)) {
            return;
        }
    }
}

/// Runs clients that must all complete.
pub(super) fn honest(stage: &Stage<'_>, what: &'static str, load: &mut Command) {
    let report = match load.stderr(Stdio::inherit()).output() {
        Ok(ran) => serde_json::from_slice::<serde_json::Value>(&ran.stdout).unwrap_or_default(),
        Err(error) => return stage.wrong(format!("tuffet-load cannot be started: {error}")),
    };
    let number = |key: &str| report[key].as_u64().unwrap_or(0);
    stage.count(what, number("completed"));
    if report.is_null() || number("completed") < number("transfers") {
        let keys = ["transfers", "completed", "failed", "timed_out", "wrong_bytes", "errors"];
        let shown: Vec<String> = keys.iter().map(|key| format!("{key} {}", report[*key])).collect();
        stage.wrong(format!("{what}: {}", shown.join(", ")));
    }
}

pub(super) fn load(stage: &Stage<'_>, server: SocketAddr, flags: &[&str]) -> Command {
    let mut load = Command::new(&stage.programs.load);
    load.args(["--json", "--timeout", "60s", "--server", &server.to_string()]).args(flags);
    let files: &Path = &stage.site.folder.join("files");
    if !flags.contains(&"--write") {
        load.arg("--expect").arg(files);
    }
    load.stdin(Stdio::null());
    load
}
