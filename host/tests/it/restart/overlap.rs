//! The state on disk while two processes of a server run.

use super::{Site, end, fetch};
use crate::harness::{Peer, check_file, wait_until};
use crate::nats::Nats;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

/// Keys, a spool, and a small file that is rotated all the time.
const AUDITED: &str = "
state: state
sinks: { log: { file: out/log, rotate: { size: 2KiB }, spool: {} } }
policy: { observe: [audit] }
plugins:
  audit:
    component: builtin:audit
    grants: [kv, sinks/log]
    settings: { sink: log }
    limits: { time: 20s, wall: 40s }
";

fn audited() -> Site {
    audited_with("")
}

/// With further keys of the configuration.
fn audited_with(more: &str) -> Site {
    let site = Site::new(&format!("{AUDITED}{more}"));
    fs::create_dir(site.folder.path().join("out")).unwrap();
    site
}

/// The lines in all files of the sink, by number.
fn lines(site: &Site) -> Vec<Value> {
    let mut lines: Vec<Value> = Vec::new();
    for entry in fs::read_dir(site.folder.path().join("out")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        // The last line may not be complete.
        lines.extend(text.lines().filter_map(|line| serde_json::from_str(line).ok()));
    }
    lines.sort_by_key(|line| line["seq"].as_u64());
    lines
}

#[track_caller]
fn assert_one_chain(site: &Site, requests: usize) {
    let lines = lines(site);
    let numbers: Vec<u64> = lines.iter().map(|line| line["seq"].as_u64().unwrap_or_default()).collect();
    assert_eq!(numbers, (1..=requests as u64).collect::<Vec<u64>>());
    for pair in lines.windows(2) {
        assert_eq!(pair[1]["previous"], pair[0]["hash"], "{pair:#?}");
    }
}

fn beside(site: &Site) -> Vec<String> {
    let names = fs::read_dir(site.folder.path().join("state/sinks/log.spool")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("beside")).collect()
}

/// Requests end in both processes, in turns: one chain, and each line once.
#[test]
fn two_processes_write_one_chain_and_lose_no_line() {
    let site = audited();
    let mut first = site.started(&[]);
    let mut readers: Vec<Peer> = (0..10).map(|_| site.begin()).collect();
    let last = site.begin();
    for _ in 0..5 {
        fetch(site.address).unwrap();
    }
    let second = site.started(&["--take-over"]);
    for reader in readers.drain(..) {
        end(reader);
        fetch(site.address).unwrap();
    }
    // Those of the first one, too, while it waits for the last transfer.
    wait_until("all lines are in the file", || lines(&site).len() == 25);
    assert_eq!(beside(&site), ["beside-1"]);
    end(last);
    assert_eq!(first.0.wait().unwrap().code(), Some(0));
    wait_until("the second has the spool", || beside(&site).is_empty());
    fetch(site.address).unwrap();
    second.stop();
    assert_one_chain(&site, 27);
    let log = site.log();
    let mut troubles = log.iter().filter(|line| {
        // On a busy machine the last transfers may wait for long.
        let is_slow = line["message"].as_str().is_some_and(|text| text.starts_with("a transfer is slow"));
        line["level"] == "ERROR" || line["level"] == "WARN" && !is_slow
    });
    assert_eq!(troubles.next(), None, "{log:#?}");
    verify(&site);
}

/// As above, with the keys in a bucket. Each round has a request end in both processes at the same moment, so that both call
/// the observer 200 ms later.
#[test]
fn two_processes_write_one_chain_with_keys_in_a_bucket() {
    const ROUNDS: usize = 20;
    let Some(nats) = Nats::start() else { return };
    let kv = format!("kv: {{ nats: {{ servers: [\"{}\"], bucket: audit, timeout: 10s }} }}\n", nats.url());
    let site = audited_with(&kv);
    let mut first = site.started(&[]);
    let readers: Vec<Peer> = (0..ROUNDS).map(|_| site.begin()).collect();
    let second = site.started(&["--take-over"]);
    for (round, reader) in (1..).zip(readers) {
        thread::scope(|scope| {
            scope.spawn(|| end(reader));
            scope.spawn(|| fetch(site.address).unwrap());
        });
        wait_until("the lines of both are in the file", || lines(&site).len() == 2 * round);
    }
    assert_eq!(first.0.wait().unwrap().code(), Some(0));
    second.stop();
    assert_one_chain(&site, 2 * ROUNDS);
    verify(&site);
}

/// An observer with keys in a bucket needs the folder of `state` all the same. Without it the server works.
#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let Some(nats) = Nats::start() else { return };
    let kv = format!("kv: {{ nats: {{ servers: [\"{}\"], bucket: audit }} }}\n", nats.url());
    let site = audited_with(&kv);
    // No folder can be made below a file.
    fs::write(site.folder.path().join("state"), b"").unwrap();
    let yaml = AUDITED.replace("spool: {}", "");
    site.configure(&format!("{yaml}{kv}"));
    let ran = check_file(site.yaml());
    ran.assert_good();
    let told = String::from_utf8(ran.stdout.clone()).unwrap() + &ran.stderr;
    assert!(told.contains("two processes call its hook `observe` at a time"), "{told}");
    let server = site.started(&[]);
    fetch(site.address).unwrap();
    server.stop();
    assert_one_chain(&site, 1);
}

/// As an operator would, who names the files by age.
fn verify(site: &Site) {
    if Command::new("python3").arg("--version").output().is_err() {
        return crate::harness::skipped("python3 is not installed: plugins/audit/verify.py is not tested");
    }
    let out = site.folder.path().join("out");
    let mut files: Vec<_> = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().path()).collect();
    // The current one, whose name is the shortest, is the newest.
    files.sort();
    files.rotate_left(1);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins/audit/verify.py");
    crate::harness::run(Command::new("python3").arg(script).args(files)).assert_good();
}

/// Each process may be killed while both run: the next start finds all lines.
#[test]
fn a_start_after_both_were_killed_takes_all_lines_over() {
    let site = audited();
    let first = site.started(&[]);
    let reader = site.begin();
    fetch(site.address).unwrap();
    let second = site.started(&["--take-over"]);
    fetch(site.address).unwrap();
    wait_until("both lines are there", || lines(&site).len() == 2);
    drop((second, first));
    drop(reader);
    let third = site.started(&[]);
    wait_until("it has the spool", || beside(&site).is_empty());
    fetch(site.address).unwrap();
    third.stop();
    assert_one_chain(&site, 3);
}

/// A next server that cannot start leaves the state to the one before.
#[test]
fn a_server_that_cannot_be_replaced_keeps_its_state() {
    let site = audited();
    let first = site.started(&[]);
    fetch(site.address).unwrap();
    site.configure(&format!("{AUDITED}admin: {{ address: \"192.0.2.1:1\" }}\n"));
    let mut next = site.start(&["--take-over"]);
    assert_ne!(next.0.wait().unwrap().code(), Some(0));
    for _ in 0..3 {
        fetch(site.address).unwrap();
    }
    first.stop();
    assert_one_chain(&site, 4);
    assert!(beside(&site).is_empty());
}
