//! Tests of the real binary with a server that is known to be correct, and of its reports.

#![allow(clippy::unwrap_used, clippy::panic)] // tests fail with these, and so do their helpers

mod server;

use serde_json::Value;
use server::{content, serve, serve_patiently};
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::process::Command;

/// Runs the generator; returns its exit code and its report.
fn load(server: SocketAddr, arguments: &[&str]) -> (i32, Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_tuffet-load"))
        .args(["--json", "--server", &server.to_string()])
        .args(arguments)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let report = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code().unwrap(), report)
}

/// A folder with these files, with the server's contents.
fn expected(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        std::fs::write(folder.path().join(name), content(name).unwrap()).unwrap();
    }
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn reads_complete_and_are_compared() {
    let (server, _) = serve_patiently();
    let folder = expected(&["a-0", "b-1024", "c-300000"]);
    let files =
        ["--file", "a-0", "--file", "b-1024", "--file", "c-300000:3", "--expect", text(folder.path())];
    for options in [
        &[][..],
        &["--blksize", "1400", "--windowsize", "16", "--tsize"],
        // The answer to a repeated request would be taken for that to the next one.
        &["--blksize", "1400", "--windowsize", "64", "--gro", "--reuse-sockets", "--client-timeout", "20s"],
        &["--rate", "500", "--adaptive"],
    ] {
        let (code, report) = load(server, &[&files[..], options, &["--transfers", "40"]].concat());
        let all = (code, &report["completed"], &report["errors"]);
        assert_eq!(all, (0, &40.into(), &serde_json::json!({})), "{options:?}: {report}");
        assert!(report["bytes"].as_u64() > Some(300_000), "{options:?}: {report}");
        assert!(report["completion_ms"]["p50"].as_f64() >= report["first_block_ms"]["p50"].as_f64());
        assert!(report["first_block_ms"]["max"].as_f64() >= report["answer_ms"]["p50"].as_f64());
        assert_eq!(report["options"]["blksize"].is_null(), !options.contains(&"--blksize"), "{report}");
    }
}

#[test]
fn wrong_bytes_and_wrong_lengths_are_told() {
    let (server, _) = serve();
    let folder = expected(&["b-5000"]);
    let path = folder.path().join("b-5000");
    let mut wrong = content("b-5000").unwrap();
    wrong[1_500] ^= 1;
    std::fs::write(&path, &wrong).unwrap();
    let run = || load(server, &["--file", "b-5000", "--transfers", "2", "--expect", text(folder.path())]);
    let (code, report) = run();
    assert_eq!((code, &report["wrong_bytes"], &report["completed"]), (1, &2.into(), &0.into()));
    assert_eq!(report["errors"]["wrong bytes: b-5000 differs in the block at 1024"], 2, "{report}");
    wrong[1_500] ^= 1;
    wrong.push(0);
    std::fs::write(&path, &wrong).unwrap();
    let (code, report) = run();
    assert_eq!(code, 1);
    assert_eq!(report["errors"]["wrong bytes: b-5000 came as 5000 bytes instead of 5001"], 2, "{report}");
}

#[test]
fn errors_of_the_server_are_counted_by_text() {
    let (server, _) = serve();
    let (code, report) = load(server, &["--file", "missing", "--transfers", "9"]);
    assert_eq!((code, &report["failed"]), (1, &9.into()));
    assert_eq!(report["errors"]["ERROR 1: no such file here"], 9, "{report}");
}

#[test]
fn writes_arrive_under_names_of_their_own() {
    for options in [&[][..], &["--windowsize", "16"], &["--windowsize", "64", "--gso", "--blksize", "1400"]] {
        let (server, stored) = serve();
        let folder = expected(&["up-100000"]);
        let arguments =
            ["--write", "--file", "up-100000", "--expect", text(folder.path()), "--transfers", "6"];
        let (code, report) = load(server, &[&arguments[..], options].concat());
        assert_eq!((code, &report["completed"]), (0, &6.into()), "{report}");
        let mut stored = std::mem::take(&mut *stored.lock().unwrap());
        stored.sort();
        let names: Vec<&str> = stored.iter().map(|(name, _)| name.as_str()).collect();
        let expected: Vec<String> = (0..6).map(|number| format!("up-100000.w{number}")).collect();
        assert_eq!(names, expected);
        assert!(stored.iter().all(|(_, bytes)| Some(bytes) == content("up-100000").as_ref()), "{options:?}");
    }
}

#[test]
fn a_lossy_path_costs_time_outs_not_bytes() {
    let (server, _) = serve();
    let folder = expected(&["c-60000"]);
    let arguments = ["--file", "c-60000", "--expect", text(folder.path()), "--transfers", "16"];
    let lossy = ["--loss", "5%", "--client-timeout", "50ms", "--seed", "7"];
    let (code, report) = load(server, &[&arguments[..], &lossy].concat());
    assert_eq!((code, &report["completed"]), (0, &16.into()), "{report}");
    assert!(report["lost_in"].as_u64() > Some(20) && report["lost_out"].as_u64() > Some(20), "{report}");
    assert!(report["client_timeouts"].as_u64() > Some(0), "{report}");
}

#[test]
fn a_stalled_client_holds_its_transfer_and_ends_it() {
    let (server, _) = serve();
    let arguments = ["--file", "c-60000", "--transfers", "20", "--concurrency", "20"];
    let stall = ["--stall", "2", "--stall-for", "200ms", "--client-timeout", "20s"];
    let (code, report) = load(server, &[&arguments[..], &stall].concat());
    assert_eq!(
        (code, &report["stalled"], &report["client_timeouts"]),
        (0, &20.into(), &0.into()),
        "{report}"
    );
    assert_eq!(report["bytes"], 20 * 2 * 512);
    assert!(report["seconds"].as_f64() >= Some(0.2), "{report}");
}

#[test]
fn a_silent_server_is_given_up_on() {
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let times = ["--client-timeout", "50ms", "--timeout", "3s"];
    let (code, report) =
        load(silent.local_addr().unwrap(), &[&["--file", "x", "--transfers", "4"][..], &times].concat());
    assert_eq!((code, &report["timed_out"]), (1, &4.into()), "{report}");
    // Sixty intervals of 50 ms: fewer retransmissions if the machine was late.
    let repeats = report["client_timeouts"].as_u64().unwrap();
    assert!((4..=240).contains(&repeats), "{report}");
    let (code, report) = load(
        silent.local_addr().unwrap(),
        &["--file", "x", "--transfers", "1", "--adaptive", "--timeout", "300ms"],
    );
    assert_eq!((code, &report["timed_out"]), (1, &1.into()), "{report}");
}

#[test]
fn the_rate_over_time_adds_up_to_what_was_moved() {
    let (server, _) = serve_patiently();
    let arguments = ["--file", "c-300000", "--transfers", "40", "--concurrency", "2", "--report", "1ms"];
    let (code, report) = load(server, &arguments);
    assert_eq!(code, 0, "{report}");
    let samples = report["over_time"].as_array().unwrap();
    assert!(samples.len() > 1, "{report}");
    let bytes: Vec<u64> = samples.iter().map(|sample| sample["bytes"].as_u64().unwrap()).collect();
    assert!(bytes.is_sorted(), "{bytes:?}");
    assert_eq!(bytes.last(), report["bytes"].as_u64().as_ref());
    let moved: f64 = samples
        .iter()
        .scan(0.0, |before, sample| {
            let now = sample["seconds"].as_f64()?;
            let seconds = now - std::mem::replace(before, now);
            Some(sample["mb_s"].as_f64()? * 1e6 * seconds)
        })
        .sum();
    assert!((moved - 12e6).abs() < 12e4, "{moved}");
}
