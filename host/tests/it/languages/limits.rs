//! Exceeds each limit on purpose, in every language: the request that did it is denied, the log names the
//! limit, and other requests are served.

use super::each_language;
use crate::harness::{Client, Options, Peer, Server, Setup, assert_ended, rrq};
use serde_json::Value;

fn server(guest: &str, policy: &str, limits: &str, rules: &str) -> Server {
    Setup::new()
        .file("good", b"served all the same")
        .yaml(&format!(
            r#"
workers: 1
roots: [{{ name: boot, path: root }}]
state: state
sinks: {{ out: {{ file: out.jsonl }} }}
policy: {{ resolve: [it], {policy} }}
plugins:
  it:
    component: "{guest}"
    grants: [kv, files/boot, sinks/out]
    breaker: {{ failures: 100 }}
    limits: {{ {limits} }}
    settings:
      rules:
{rules}
"#
        ))
        .start()
}

fn rule(path: &str, command: &str) -> String {
    format!("        - {{ hook: resolve, path: {path}, do: [{command}], answer: tell }}\n")
}

fn assert_serves(server: &Server) {
    assert_eq!(Client::Tuffet.get(server.address(), "good", Options::default()), b"served all the same");
}

/// Requests something bad; the log names the cause.
fn assert_stopped(server: &Server, path: &str, why: &str) {
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq(path, &[]));
    assert_eq!(peer.expect_error(0), "policy failure");
    let line = server.outcome(path);
    assert_ended(&line, "denied", &format!("plugin it failed in resolve: {why}"));
    assert_serves(server);
}

/// Returns the results of commands.
fn told(server: &Server, path: &str) -> Value {
    serde_json::from_slice(&Client::Tuffet.get(server.address(), path, Options::default())).unwrap()
}

each_language!(time_memory_and_failures);

fn time_memory_and_failures(guest: &str) {
    let rules = [
        rule("loop", "[loop]"),
        rule("hog", "[hog]"),
        rule("recurse", "[recurse]"),
        rule("exit", "[exit, 0]"),
        rule("fail", "[fail, failed as asked]"),
        "        - { hook: resolve, path: content, answer: { serve: { candidates: [{ bytes: 1025 }] } } }\n".into(),
        "        - { hook: resolve, path: much-content, answer: { serve: { candidates: [{ bytes: 1048576 }] } } }\n".into(),
    ];
    let limits = "time: 2s, wall: 60s, memory: 32MiB, content: 1KiB";
    let server = server(guest, "time-limit: 1m", limits, &rules.concat());
    assert_serves(&server);
    assert_stopped(&server, "loop", "time: it computed for more than 2s (limits.time)");
    assert_stopped(&server, "hog", "memory: it wanted more than 33554432 bytes of memory (limits.memory)");
    // What JavaScript throws is a failure that the guest answers with. Its engine ends a recursion so, and has no way to
    // end itself.
    let throws = guest.contains("/js/");
    assert_stopped(&server, "recurse", if throws { "error: " } else { "trap: " });
    let exit = if throws { "error: " } else { "trap: it ended itself with exit code 0" };
    assert_stopped(&server, "exit", exit);
    assert_stopped(&server, "fail", "error: ");
    assert_stopped(
        &server,
        "content",
        "bad answer: its content has 1025 bytes: 1024 are allowed (limits.content)",
    );
    assert_stopped(&server, "much-content", "bad answer: it handed over more than it may");
    server.wait_for_log("failed as asked");
}

each_language!(waiting);

fn waiting(guest: &str) {
    let sleep = rule("sleep", "[sleep, 3600]");
    let server = server(guest, "time-limit: 1m", "time: 1s, wall: 1s", &sleep);
    assert_stopped(&server, "sleep", "time: it gave no answer within 1s (limits.wall)");
}

each_language!(the_time_of_the_chain);

fn the_time_of_the_chain(guest: &str) {
    let sleep = rule("sleep", "[sleep, 3600]");
    let server = server(guest, "time-limit: 1s", "time: 20s, wall: 60s", &sleep);
    assert_stopped(
        &server,
        "sleep",
        "chain: it gave no answer before the chains had taken 1s (policy.time-limit)",
    );
}

each_language!(instances_and_queue);

/// One instance, one place in the queue: of three concurrent calls, one is rejected.
fn instances_and_queue(guest: &str) {
    let sleep = rule("sleep*", "[sleep, 3600]");
    let limits = "time: 4s, wall: 4s, instances: 1, queue: 1";
    let server = server(guest, "time-limit: 1m", limits, &sleep);
    let mut peers: Vec<Peer> = (0..3).map(|_| Peer::new(server.address())).collect();
    for (number, peer) in peers.iter_mut().enumerate() {
        peer.ask(&rrq(&format!("sleep{number}"), &[]));
    }
    let mut causes: Vec<String> = Vec::new();
    for _ in &peers {
        let line = server.any_outcome();
        let detail = line["detail"].as_str().unwrap_or_default();
        causes.push(detail.rsplit("in resolve: ").next().unwrap_or_default().to_owned());
    }
    assert!(causes.iter().any(|cause| cause.starts_with("1 calls wait for an instance, ")), "{causes:?}");
    assert!(causes.iter().any(|cause| cause.starts_with("time: it gave no answer within 4s")), "{causes:?}");
    assert_serves(&server);
}

each_language!(what_a_call_may_take);

/// Keys, files, lines to sinks and to the log: the guest gets an error, and the excess is rejected.
fn what_a_call_may_take(guest: &str) {
    let rules = [
        rule("keys", "[kv-sets, 100]"),
        rule("bytes", "[kv-fill, 10, 60000]"),
        rule("read", "[reads, boot, big, 30]"),
        rule("calls", "[reads, boot, good, 2000]"),
        rule("emit", "[emits, out, 2000]"),
        rule("log", "[logs, 1000]"),
    ];
    let limits = "time: 30s, wall: 60s, memory: 96MiB, kv-keys: 20, kv-bytes: 50KiB";
    let server = server(guest, "time-limit: 1m", limits, &rules.concat());
    server.root().write("big", &vec![b'x'; 3 << 20]);
    assert_eq!(told(&server, "bytes"), serde_json::json!([{ "error": "quota" }]));
    assert_eq!(told(&server, "keys"), serde_json::json!([[20, "quota"]]));
    assert_eq!(told(&server, "read"), serde_json::json!([[21, "too-large"]]), "64 MiB in a call");
    assert_eq!(told(&server, "calls"), serde_json::json!([[1024, "exhausted"]]));
    assert_eq!(told(&server, "emit"), serde_json::json!([[1024, "exhausted"]]));
    assert_eq!(told(&server, "log"), serde_json::json!([[1000, null]]));
    server.logged("968 log lines of one call were dropped: the limit is 32");
    let log = server.log();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("\"line ")).collect();
    assert_eq!(lines.len(), 32, "{lines:#?}");
    assert!(lines.iter().all(|line| line.len() < 1024 + 300), "lines are cut");
    assert_serves(&server);
}
