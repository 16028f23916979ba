//! The hook `observe`: events, exactly once for each request, whatever its outcome.

use super::{misbehave, probe};
use crate::harness::{
    Answer, Client, Endpoint, HttpAnswer, Options, Peer, SOON, Server, Setup, ack, bytes, data, error, rrq,
    wait_until, wrq,
};
use serde_json::Value;
use std::collections::HashMap;
use std::time::{Duration, Instant};

fn server(more: &str, chains: &str, dawdle: u32) -> Server {
    let component = probe();
    Setup::new()
        .file("a", b"content")
        .file("long", &bytes(512 * 40))
        .yaml(&format!(
            r#"
roots: [{{ name: boot, path: root, writable: true }}]
state: state
sinks: {{ out: {{ file: out.jsonl, queue: 100000 }} }}
policy: {{ observe: [probe], {chains} }}
plugins:
  probe:
    component: "{component}"
    grants: [kv, files/boot, sinks/out]
    limits: {{ time: 20s, wall: 40s }}
    settings: {{ observe: out, dawdle: {dawdle} }}
{more}"#
        ))
        .start()
}

/// Returns the observer's events, after the server has stopped.
fn told(server: &Server) -> Vec<Value> {
    server.stop();
    lines(server)
}

fn lines(server: &Server) -> Vec<Value> {
    let text = std::fs::read_to_string(server.outside().path("out.jsonl")).unwrap_or_default();
    // The last line may be incomplete.
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[test]
fn each_request_has_one_finish_and_each_grant_one_start_before_it() {
    let bad = misbehave();
    let server = server(
        &format!(
            "  bad:\n    component: \"{bad}\"\n    settings: {{ do: deny, when: \"no/**\" }}\n  dropping:\n    component: \
             \"{bad}\"\n    settings: {{ do: drop, when: \"drop/**\" }}\n"
        ),
        "authorize: [bad, dropping]",
        0,
    );
    for _ in 0..20 {
        assert_eq!(Client::Tuffet.get(server.address(), "a", Options::default()), b"content");
    }
    Client::Tuffet.put(server.address(), "up", b"new", Options::default());
    for name in ["missing", "no/way", "../out"] {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq(name, &[]));
        assert!(matches!(peer.receive(), Answer::Error(..)));
    }
    Peer::new(server.address()).ask(&rrq("drop/it", &[]));
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("long", &[]));
    assert!(matches!(peer.receive(), Answer::Data(1, _)));
    peer.send(&error(3, "enough"));
    assert_eq!(server.outcome("drop/it")["outcome"], "denied");
    assert_eq!(server.outcome("long")["outcome"], "aborted");

    let (mut started, mut finished) = (HashMap::new(), HashMap::new());
    for line in told(&server) {
        if let Some(id) = line["started"].as_str() {
            assert!(line["ms"].as_u64().unwrap() > 1_600_000_000_000 && line["macs"] == 0, "{line}");
            assert!(started.insert(id.to_owned(), line.clone()).is_none(), "started twice: {line}");
            assert!(!finished.contains_key(id), "finished before it started: {line}");
        }
        if let Some(id) = line["finished"].as_str() {
            assert!(finished.insert(id.to_owned(), line.clone()).is_none(), "finished twice: {line}");
        }
    }
    let mut outcomes: Vec<(String, String, bool)> = finished
        .iter()
        .map(|(id, line)| {
            let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
            (text("path"), text("outcome"), started.contains_key(id))
        })
        .collect();
    outcomes.sort();
    outcomes.dedup();
    let outcome = |path: &str, outcome: &str, started| (path.to_owned(), outcome.to_owned(), started);
    assert_eq!(
        outcomes,
        [
            outcome("../out", "denied", false),
            outcome("a", "served", true),
            outcome("drop/it", "denied", false),
            outcome("long", "aborted", true),
            outcome("missing", "not-found", false),
            outcome("no/way", "denied", false),
            outcome("up", "stored", true),
        ]
    );
    assert_eq!((finished.len(), started.len()), (26, 22));
}

/// A slow transfer is reported while it is active.
#[test]
fn progress_is_sampled() {
    let server = server("", "", 0);
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("long", &[]));
    let end = Instant::now() + Duration::from_secs(60);
    let mut moved = 0;
    let progress = loop {
        if moved < 30 {
            assert!(matches!(peer.receive(), Answer::Data(..)));
            moved += 1;
            peer.send(&ack(moved));
        } else {
            std::thread::sleep(Duration::from_millis(20));
        }
        if let Some(line) = lines(&server).into_iter().find(|line| line["progressed"].is_string()) {
            break line;
        }
        assert!(Instant::now() < end, "no progress was told:\n{}", server.log());
    };
    let bytes = progress["bytes"].as_u64().unwrap();
    assert!(bytes > 0 && bytes <= 30 * 512 && bytes % 512 == 0, "{progress}");
}

/// A slow observer: its events wait, transfers do not, and in the end it has received all.
#[test]
fn a_slow_observer_is_not_waited_for() {
    let server = server("", "", 400);
    let mut peers: Vec<Peer> = (0..10).map(|_| Peer::new(server.address())).collect();
    for peer in &mut peers {
        peer.ask(&rrq("long", &[]));
        assert!(matches!(peer.receive(), Answer::Data(1, _)));
    }
    // The observer sleeps over the first start while all of these end.
    for peer in &mut peers {
        peer.send(&ack(1));
        peer.read_on(2);
    }
    for _ in &peers {
        assert_eq!(server.outcome("long")["outcome"], "served");
    }
    let all = told(&server);
    let count = |key: &str| all.iter().filter(|line| line[key].is_string()).count();
    assert_eq!((count("started"), count("finished")), (10, 10));
}

/// A stuck observer and a full queue: new requests wait, active transfers do not, and when the observer
/// continues it receives every end once.
#[test]
fn a_full_queue_holds_up_new_requests_alone() {
    let endpoint = Endpoint::new(&[HttpAnswer::Hold]);
    let server = Setup::new()
        .file("a", b"content")
        .file("long", &bytes(512 * 200))
        .yaml(&format!(
            r#"
roots: [{{ name: boot, path: root }}]
limits: {{ transfers: 1000, events: 4 }}
policy: {{ observe: [publish] }}
plugins:
  publish:
    component: builtin:publish
    grants: [http/{}]
    limits: {{ time: 40s, wall: 60s }}
    settings: {{ url: "{}", events: [started, finished] }}
"#,
            endpoint.authority(),
            endpoint.url(),
        ))
        .start();
    let mut long = Peer::new(server.address());
    long.ask(&rrq("long", &[]));
    assert!(matches!(long.receive(), Answer::Data(1, _)));
    wait_until("the observer is asked", || !endpoint.posts().is_empty());
    let end = Instant::now() + SOON;
    // The observer holds the first start, which keeps its place meanwhile; three more events have one.
    let mut waiting: Vec<Peer> = (0..12).map(|_| Peer::new(server.address())).collect();
    waiting.iter_mut().for_each(|peer| peer.ask(&rrq("a", &[])));
    let mut held: Vec<&mut Peer> = waiting.iter_mut().collect();
    while held.len() > 12 - 3 {
        held.retain_mut(|peer| peer.receive_within(Duration::from_millis(5)).is_none());
        assert!(Instant::now() < end, "as many as there are places for are answered");
    }
    held.retain_mut(|peer| peer.receive_within(Duration::from_millis(50)).is_none());
    assert_eq!(held.len(), 12 - 3, "and no more");
    // Meanwhile blocks move.
    for block in 1..150 {
        long.send(&ack(block));
        assert!(matches!(long.receive(), Answer::Data(next, _) if next == block + 1));
    }
    assert_eq!(endpoint.posts().len(), 1, "the observer is still held");
    let mut late = Peer::new(server.address());
    late.ask(&rrq("a", &[]));
    assert_eq!(late.receive_within(Duration::from_millis(200)), None, "it waits");

    endpoint.release();
    // The held requests are answered now; a waiting client repeats its request on its own schedule.
    assert!(matches!(late.receive(), Answer::Data(1, _)));
    for peer in waiting.iter_mut().chain([&mut late]) {
        // Ends each granted transfer, whenever it was granted.
        while peer.receive_within(Duration::from_millis(50)).is_some() {}
        peer.send(&ack(1));
    }
    long.send(&ack(150));
    long.read_on(151);
    assert_eq!(server.outcome("long")["outcome"], "served");
    for _ in 0..13 {
        assert_eq!(server.outcome("a")["outcome"], "served");
    }
    server.stop();
    let told: Vec<Value> = endpoint
        .posts()
        .iter()
        .flat_map(|(post, _)| serde_json::from_str::<Vec<Value>>(&post.body).unwrap())
        .collect();
    for kind in ["started", "finished"] {
        let mut ids: Vec<&str> = told
            .iter()
            .filter(|event| event["event"] == kind)
            .map(|event| event["id"].as_str().unwrap())
            .collect();
        assert_eq!(ids.len(), 14, "{kind}: {told:#?}");
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 14, "{kind} is told once of each");
    }
}

#[test]
fn an_observer_that_fails_costs_nobody_anything() {
    let component = probe();
    // The sink is not granted, so every call of the hook traps.
    let server = Setup::new()
        .file("a", b"content")
        .yaml(&format!(
            r#"
roots: [{{ name: boot, path: root, writable: true }}]
state: state
sinks: {{ out: {{ file: out.jsonl }} }}
policy: {{ observe: [probe] }}
plugins:
  probe:
    component: "{component}"
    grants: [kv, files/boot, sinks/out]
    settings: {{ observe: elsewhere }}
"#
        ))
        .start();
    for _ in 0..5 {
        assert_eq!(Client::Tuffet.get(server.address(), "a", Options::default()), b"content");
        assert_eq!(server.outcome("a")["outcome"], "served");
    }
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("up", &[]));
    peer.expect(Answer::Ack(0));
    peer.send(&data(1, b"x"));
    assert_eq!(peer.receive(), Answer::Ack(1));
    server.stop();
    assert!(server.log().contains("its events are delivered again"), "{}", server.log());
    assert!(server.log().contains("its events are lost"), "{}", server.log());
    let totals = server.log().lines().find(|line| line.contains("plugin totals")).unwrap().to_owned();
    // Five starts and ends, and those of the upload.
    assert!(totals.contains(r#""events_lost":12"#), "{totals}");
}

/// The events of a failed call are delivered again, completely: nothing is lost, and some arrive twice.
#[test]
fn an_observer_that_stumbles_hears_of_all() {
    let component = probe();
    let server = Setup::new()
        .file("a", b"content")
        .yaml(&format!(
            r#"
roots: [{{ name: boot, path: root }}]
state: state
sinks: {{ out: {{ file: out.jsonl }} }}
policy: {{ observe: [probe] }}
plugins:
  probe:
    component: "{component}"
    grants: [kv, files/boot, sinks/out]
    limits: {{ time: 20s, wall: 40s }}
    settings: {{ observe: out, stumble: 2 }}
"#
        ))
        .start();
    assert_eq!(Client::Tuffet.get(server.address(), "a", Options::default()), b"content");
    let id = server.outcome("a")["id"].as_str().unwrap().to_owned();
    let all = told(&server);
    let count = |key: &str| all.iter().filter(|line| line[key] == id.as_str()).count();
    // The first event of the batch was sent before each failure.
    assert_eq!((count("started"), count("finished")), (3, 1), "{all:#?}");
    let told_again = server.log().lines().filter(|line| line.contains("are delivered again")).count();
    assert_eq!(told_again, 2, "{}", server.log());
    assert!(!server.log().contains("its events are lost"), "{}", server.log());
}
