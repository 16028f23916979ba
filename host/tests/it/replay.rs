//! `tuffet plugin replay`: earlier requests, decided by a changed configuration.

use crate::capture::Capturing;
use crate::harness::{Peer, Ran, Server, Setup, is_root, rrq, tuffet};
use serde_json::{Value, json};

fn server() -> Server {
    let user = if is_root() { "privileges: { user: root }\n" } else { "" };
    let server = Setup::new()
        .file("a", b"content")
        .file("other", b"content")
        .whole_yaml(1, &format!(
            "listeners: [{{ address: \"127.0.0.1:0\" }}]\nroots: [{{ name: boot, path: root }}]\npolicy: {{ authorize: [acl], observe: [audit] }}\nplugins:\n  acl: {{ component: \"builtin:acl\", settings: {{ deny: [{{ \
             names: [secret] }}] }} }}\n  audit: {{ component: \"builtin:audit\", settings: {{ sink: lines }}, grants: \
             [sinks/lines, kv] }}\nsinks: {{ lines: {{ file: audit.jsonl }} }}\nstate: state\n{user}"
        ))
        .start();
    for name in ["a", "a", "other"] {
        assert_eq!(Peer::new(server.address()).read_plainly(name), b"content");
    }
    for (name, code) in [("secret", 2), ("none", 1)] {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq(name, &[("blksize", "1000")]));
        peer.expect_error(code);
    }
    server.live_until("five ends", |live| {
        let ended = live["totals"]["ended"].as_array().unwrap();
        ended.iter().filter_map(|its| its["count"].as_u64()).sum::<u64>() == 5
    });
    server
}

/// Writes the configuration of the server with other denied names, and replays.
fn replay(server: &Server, denied: &str, arguments: &[&str]) -> Ran {
    let yaml = std::fs::read_to_string(server.outside().path("tuffet.yaml")).unwrap();
    let changed = yaml.replace("names: [secret]", &format!("names: [{denied}]"));
    assert!(denied == "secret" || changed != yaml, "{yaml}");
    let file = server.outside().path("changed.yaml");
    std::fs::write(&file, changed).unwrap();
    tuffet([&["plugin", "replay", "--config", file.to_str().unwrap()], arguments].concat())
}

fn text(ran: &Ran) -> String {
    String::from_utf8(ran.stdout.clone()).unwrap()
}

#[test]
fn the_last_requests_of_a_server_are_decided_by_a_changed_configuration() {
    let server = server();
    let socket = server.outside().path("control");
    let live = ["--control", socket.to_str().unwrap()];
    let same = replay(&server, "secret", &live);
    same.assert_good();
    assert_eq!(text(&same), "0 of 5 requests would get another answer\n");
    let other = replay(&server, "a", &live);
    assert_eq!(other.code(), 1, "{other:?}");
    let lines = text(&other);
    let lines: Vec<&str> = lines.lines().map(str::trim_start).collect();
    let expected = [
        "REQUESTS",
        "2  read \"a\" from 127.0.0.1: was granted \"boot:a\", would be denied by acl \"deny rule 1\"",
        "1  read \"secret\" from 127.0.0.1: was denied by acl, would be not-found \"no such file\"",
        "3 of 5 requests would get another answer",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn logs_and_audits_are_replayed() {
    let server = server();
    server.terminate();
    server.wait();
    let log = server.outside().path("server.log");
    std::fs::write(&log, server.log()).unwrap();
    let audit = server.outside().path("audit.jsonl");
    for file in [log, audit] {
        let ran = replay(&server, "other", &["--json", file.to_str().unwrap()]);
        assert_eq!(ran.code(), 1, "{ran:?}");
        let mut told: Vec<Value> =
            text(&ran).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        told.sort_by_key(|told| told["request"]["name"].to_string());
        let short: Vec<Value> = told
            .iter()
            .map(|told| {
                json!([
                    told["request"]["name"],
                    told["requests"],
                    told["was"]["answer"],
                    told["would"]["answer"]
                ])
            })
            .collect();
        let expected =
            [json!(["other", 1, "granted", "denied"]), json!(["secret", 1, "denied", "not-found"])];
        assert_eq!(short, expected, "{}", file.display());
        let counted = text(&replay(&server, "secret", &[file.to_str().unwrap()]));
        assert!(counted.starts_with("0 of 5 requests would get another answer"), "{counted}");
    }
    replay(&server, "secret", &["absent.log"]).assert_fails(66, &["absent.log: ", "No such file"]);
    replay(&server, "secret", &[]).assert_fails(69, &["no server answers", "or name its log"]);
    replay(&server, "[", &[]).assert_fails(64, &["changed.yaml"]);
}

/// A capture tells what clients got, and not which file.
#[test]
fn a_capture_is_replayed() {
    let server = server();
    let file = server.outside().path("requests.pcapng");
    // Of each request: the request, its answer, and of one that is granted the ACK.
    let capturing = Capturing::start(&server, &file, &["--count", "7"]);
    assert_eq!(Peer::new(server.address()).read_plainly("a"), b"content");
    for (name, code) in [("secret", 2), ("none", 1)] {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq(name, &[]));
        peer.expect_error(code);
    }
    let (code, said) = capturing.end();
    assert_eq!(code, 0, "{said}");
    let file = file.to_str().unwrap();
    assert_eq!(text(&replay(&server, "secret", &[file])), "0 of 3 requests would get another answer\n");
    let other = replay(&server, "a", &[file]);
    assert_eq!(other.code(), 1, "{other:?}");
    let lines = text(&other);
    assert!(lines.contains("read \"a\" from 127.0.0.1: was granted, would be denied by acl"), "{lines}");
    assert!(lines.contains("was refused, would be not-found"), "{lines}");
    std::fs::write(server.outside().path("cut"), &std::fs::read(file).unwrap()[..200]).unwrap();
    let cut = server.outside().path("cut");
    replay(&server, "a", &[cut.to_str().unwrap()]).assert_fails(66, &["cut: the capture is damaged"]);
}
