//! Content with a name, and renderings: content that a plugin makes once for all requests with the same key.

use crate::harness::{Answer, Client, Options, Peer, Server, Setup, ack, request, rrq, run};
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr};
use std::process::Command;

/// Clients that ask at once, each from an address of its own.
const CLIENTS: u32 = 60;

/// The plugin counts what it renders: `[1]` is the content of the first rendering, and the keys outlive a reload.
const YAML: &str = r#"
listeners: [{ name: lan, address: "127.0.0.1:0" }]
roots: [{ name: boot, path: root, writable: true }]
sinks: { out: { file: events.jsonl } }
state: state
policy: { resolve: [maker], observe: [maker], time-limit: 30s }
plugins:
  maker:
    component: "GUEST"
    grants: [kv, sinks/out]
    limits: { time: 20s, wall: 40s, renderings: ROOM }
    breaker: { failures: 100 }
    settings:
      observe: out
      rules:
        - { hook: resolve, path: named, answer: { serve: { candidates: [{ content: "plain", name: "menu: a" }] } } }
        - { hook: resolve, path: unnamed, answer: { serve: { candidates: [{ content: "plain" }] } } }
        - { hook: resolve, path: long, answer: { serve: { candidates: [{ content: "plain", name: NAME }] } } }
        - { hook: resolve, path: "short/*", answer: { serve: { candidates: [{ rendering: "short" }] } } }
        - { hook: resolve, path: "large/*", answer: { serve: { candidates: [{ rendering: "{path}" }] } } }
        - { hook: resolve, path: "bad/*", answer: { serve: { candidates: [{ rendering: "bad" }] } } }
        - { hook: resolve, path: "fail/*", answer: { serve: { candidates: [{ rendering: "fail" }] } } }
        - { hook: resolve, path: nothing, answer: { serve: { candidates: [{ rendering: "" }] } } }
        - { hook: resolve, path: upload, answer: { serve: { candidates: [{ rendering: "all" }] } } }
        - { hook: resolve, path: "*", answer: { serve: { candidates: [{ rendering: "all" }] } } }
      renders:
        all: { do: [[kv-add, null, renders, 1]], name: "menu for all" }
        short: { do: [[kv-add, null, short, 1]], ttl-seconds: 1 }
        bad: { do: [[kv-add, null, bad, 1]], deny: { code: access-violation, message: "no such branch", reason: "of render" } }
        fail: { do: [[kv-add, null, fail, 1], [fail, "on purpose"]] }
        "*": { bytes: 100000 }
"#;

fn server(room: &str) -> Server {
    let guest = tuffet_test_guests::component("reference");
    let name = "n".repeat(201);
    Setup::new().yaml(&YAML.replace("GUEST", &guest).replace("ROOM", room).replace("NAME", &name)).start()
}

fn get(server: &Server, path: &str) -> String {
    String::from_utf8(Client::Tuffet.get(server.address(), path, Options::default())).unwrap()
}

fn refused(server: &Server, path: &str) -> (u16, String) {
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq(path, &[]));
    match peer.receive() {
        Answer::Error(code, text) => (code, text),
        other => panic!("an ERROR was due for {path}, not {other:?}"),
    }
}

/// All clients ask before any of them reads an answer.
fn ask_at_once(server: &Server, packet: &[u8]) -> Vec<Answer> {
    let mut peers: Vec<Peer> = (1..=CLIENTS)
        .map(|number| IpAddr::from(Ipv4Addr::from(0x7f01_0000 + number)))
        .map(|address| Peer::from(address, server.address()))
        .collect();
    peers.iter_mut().for_each(|peer| peer.ask(packet));
    let answers = peers.iter_mut().map(|peer| {
        let answer = peer.receive();
        if let Answer::Data(..) = answer {
            peer.send(&ack(1));
        }
        answer
    });
    answers.collect()
}

/// Explains in the running server.
fn explained(server: &Server, path: &str) -> Value {
    let socket = server.outside().path("control");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    command.args(["explain", "--json", "--live", "--control"]).arg(socket).arg(path);
    let ran = run(&mut command);
    serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

#[test]
fn the_name_of_content_is_in_the_log_and_with_observers() {
    let server = server("1MiB");
    for (path, resolved) in
        [("named", "content/menu: a"), ("unnamed", "content"), ("x", "content/menu for all")]
    {
        get(&server, path);
        assert_eq!(server.outcome(path)["resolved"], resolved);
    }
    assert_eq!(refused(&server, "long").1, "policy failure");
    server.stop();
    let events = String::from_utf8(server.outside().read("events.jsonl")).unwrap();
    assert!(events.contains(r#""resolved":{"content":"menu: a"}"#), "{events}");
    assert!(events.contains(r#""resolved":{"content":"menu for all"}"#), "{events}");
}

#[test]
fn one_rendering_serves_all_requests_with_its_key() {
    let server = server("1MiB");
    let all = ask_at_once(&server, &rrq("a", &[]));
    assert!(all.iter().all(|answer| *answer == Answer::Data(1, b"[1]".to_vec())), "{all:?}");
    let netascii = ask_at_once(&server, &request(1, b"b", b"netascii", &[]));
    assert!(netascii.iter().all(|answer| *answer == Answer::Data(1, b"[1]".to_vec())), "{netascii:?}");
    // A reload begins with no rendering.
    server.hang_up();
    server.logged("reloaded");
    assert_eq!(get(&server, "c"), "[2]");
}

#[test]
fn a_failed_rendering_fails_those_that_wait_and_is_not_kept() {
    let server = server("1MiB");
    for (path, code, text) in [("bad/a", 2, "no such branch"), ("fail/a", 0, "policy failure")] {
        let all = ask_at_once(&server, &rrq(path, &[]));
        assert!(all.iter().all(|answer| *answer == Answer::Error(code, text.into())), "{all:?}");
        assert_eq!(refused(&server, path), (code, text.into()), "asked again");
    }
    assert_eq!(refused(&server, "nothing").1, "policy failure", "an empty key");
    let mut peer = Peer::new(server.address());
    peer.ask(&request(2, b"upload", b"octet", &[]));
    assert_eq!(peer.expect_error(0), "policy failure", "an upload");
}

#[test]
fn a_rendering_is_made_anew_when_its_time_is_over() {
    let server = server("1MiB");
    let first = get(&server, "short/a");
    assert_eq!(first, "[1]");
    let began = std::time::Instant::now();
    while get(&server, "short/b") == first {
        assert!(began.elapsed().as_secs() < 20, "it is never made anew");
    }
}

#[test]
fn what_has_no_room_is_made_each_time_and_served_all_the_same() {
    let server = server("50KiB");
    for path in ["large/a", "large/b", "large/a"] {
        assert_eq!(get_bytes(&server, path), 100_000);
    }
}

fn get_bytes(server: &Server, path: &str) -> usize {
    Client::Tuffet.get(server.address(), path, Options::default()).len()
}

#[test]
fn explain_shows_the_rendering_and_keeps_none() {
    let server = server("1MiB");
    for _ in 0..2 {
        let shown = explained(&server, "a");
        assert_eq!(
            (&shown["policy"][0]["verdict"], &shown["policy"][0]["detail"]),
            (&json!("rendered"), &json!("all"))
        );
        assert_eq!(
            (&shown["policy"][1]["hook"], &shown["policy"][1]["verdict"]),
            (&json!("render"), &json!("content"))
        );
        let detail = shown["policy"][1]["detail"].as_str().unwrap_or_default();
        assert!(detail.ends_with(" bytes, menu for all"), "{detail}");
        let outcome = &shown["outcome"];
        assert_eq!(
            (&outcome["decision"], &outcome["resolved"]),
            (&json!("granted"), &json!("content/menu for all"))
        );
    }
    assert_eq!(get(&server, "a"), "[1]", "no rehearsal counts");
    let known = explained(&server, "b");
    assert_eq!(known["policy"][1]["remembered"], json!(true), "{known:#}");
}
