//! `tuffet status --live`: one source for all views.

use crate::harness::{Answer, Client, Options, Peer, Setup, ack, bytes, error, rrq, wrq};
use serde_json::Value;

/// Returns the number of requests with this operation and outcome.
fn ended(live: &Value, operation: &str, outcome: &str) -> u64 {
    let rows = live["totals"]["ended"].as_array().unwrap();
    let row = rows.iter().find(|row| row["operation"] == operation && row["outcome"] == outcome);
    row.unwrap()["count"].as_u64().unwrap()
}

fn dropped(live: &Value, reason: &str) -> u64 {
    let rows = live["totals"]["dropped"].as_array().unwrap();
    rows.iter().find(|row| row["reason"] == reason).unwrap()["count"].as_u64().unwrap()
}

fn count(distribution: &Value) -> u64 {
    distribution["buckets"].as_array().unwrap().iter().filter_map(Value::as_u64).sum()
}

/// A transfer is visible from its grant on, and its bytes before its end.
#[test]
fn a_transfer_is_seen_while_it_runs() {
    let content = bytes(512 * 40);
    let server = Setup::new().file("long", &content).start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("long", &[]));
    for block in 1..=20 {
        assert!(matches!(peer.receive(), Answer::Data(..)));
        peer.send(&ack(block));
    }
    let live = server.live_until("its progress", |live| {
        live["active"][0]["bytes"] == 20 * 512 && live["totals"]["bytes"]["read"] == 20 * 512
    });
    let row = &live["active"][0];
    for (key, due) in [("path", "long"), ("operation", "read"), ("class", "plain"), ("resolved", "root:long")]
    {
        assert_eq!(row[key], due, "{row:#}");
    }
    assert_eq!(row["size"], 512 * 40, "{row:#}");
    assert_eq!((&live["totals"]["active"], &live["totals"]["admitted"]), (&1.into(), &1.into()));
    assert_eq!(count(&live["totals"]["decision"]), 1, "it is decided");
    assert_eq!(ended(&live, "read", "served"), 0);

    peer.read_on(21);
    let line = server.outcome("long");
    let live = server.live_until("its end", |live| live["totals"]["active"] == 0);
    let last = &live["finished"][0];
    for key in
        ["id", "client", "class", "outcome", "bytes", "blocks", "blksize", "duration_us", "first_block_us"]
    {
        assert_eq!(last[key], line[key], "{key}");
    }
    assert_eq!((ended(&live, "read", "served"), &live["active"]), (1, &serde_json::json!([])));
    let totals = &live["totals"];
    assert_eq!((&totals["bytes"]["read"], &totals["blocks"]["read"]), (&(512 * 40).into(), &41.into()));
    assert_eq!((count(&totals["duration"]["read"]), count(&totals["duration"]["write"])), (1, 0));
    assert_eq!((count(&totals["first_block"]), count(&totals["rtt"])), (1, 1));
    assert_eq!(totals["queues"]["decisions"], 0);
    assert_eq!(server.stop(), [] as [Value; 0]);
}

#[test]
fn requests_are_counted_by_what_came_of_them() {
    let server = Setup::new().file("small", b"content").writable().start();
    for _ in 0..3 {
        Client::Tuffet.get(server.address(), "small", Options::default());
    }
    Client::Tuffet.put(server.address(), "new", b"xy", Options::default());
    let mut peer = Peer::new(server.address());
    for name in ["missing", "../out"] {
        peer.ask(&rrq(name, &[]));
        assert!(matches!(peer.receive(), Answer::Error(..)));
    }
    peer.ask(&rrq("small", &[("tsize", "0")]));
    peer.expect(Answer::Oack("tsize=7".into()));
    peer.send(&error(8, "size"));
    for _ in 0..7 {
        server.any_outcome();
    }
    // Neither is a request: one belongs to no transfer, the other is malformed.
    peer.ask(&ack(7));
    peer.ask(b"\0\x01name");
    peer.expect_error(4);
    let live = server.live_until("what was dropped", |live| dropped(live, "malformed") == 1);
    let due = [
        ("read", "served", 3),
        ("write", "stored", 1),
        ("read", "not-found", 1),
        ("read", "denied", 1),
        ("read", "probed", 1),
        ("write", "failed", 0),
    ];
    for (operation, outcome, count) in due {
        assert_eq!(ended(&live, operation, outcome), count, "{operation} {outcome}");
    }
    assert_eq!((dropped(&live, "stray"), dropped(&live, "limit-transfers")), (1, 0));
    assert_eq!((&live["totals"]["admitted"], count(&live["totals"]["decision"])), (&7.into(), 7));
    assert_eq!(count(&live["totals"]["duration"]["read"]), 4, "of those that were granted");
    assert_eq!(live["totals"]["bytes"], serde_json::json!({ "read": 21, "write": 2 }));
    let sampled = server.live_until("the second of them", |live| {
        let samples = live["samples"].as_array().unwrap();
        let sum =
            |index: usize| samples.iter().filter_map(|sample| sample["ended"][index].as_u64()).sum::<u64>();
        [sum(0), sum(1), sum(2), sum(4), sum(5)] == [3, 1, 1, 1, 1]
    });
    assert!(sampled["samples"][0]["unix_ms"].as_u64() > sampled["started_unix_ms"].as_u64());
    drop(peer);
    assert_eq!(server.stop(), [] as [Value; 0]);
}

/// A request over the limit is dropped and counted; a pending one is visible.
#[test]
fn what_is_dropped_at_a_limit_is_counted() {
    let server = Setup::new()
        .file("long", &bytes(5000))
        .rest_of_yaml("workers: 1\nlimits: { transfers: 1 }\n")
        .start();
    let mut first = Peer::new(server.address());
    first.ask(&rrq("long", &[]));
    first.expect(Answer::Data(1, bytes(5000)[..512].to_vec()));
    // A client that has answered keeps its place.
    first.send(&ack(1));
    first.expect(Answer::Data(2, bytes(5000)[512..1024].to_vec()));
    // From another address, so that the limit per client is not reached.
    let mut second = Peer::from([127, 201, 0, 1], server.address());
    second.ask(&wrq("long", &[]));
    server.live_until("the request over the limit", |live| dropped(live, "limit-transfers") == 1);
    first.send(&error(0, "enough"));
    assert_eq!(server.outcome("long")["outcome"], "probed");
    assert_eq!(server.stop(), [] as [Value; 0]);
}

/// Without reuse, each request calls the plugin.
#[test]
fn plugins_and_hot_files_are_counted() {
    let server = Setup::new()
        .file("a", b"content")
        .rest_of_yaml(
            "policy: { authorize: [acl] }\nplugins: { acl: { component: \"builtin:acl\", reuse: { calls: 1 }, settings: { allow: [{ names: [\"**\"] }] } } }\n",
        )
        .start();
    for _ in 0..3 {
        Client::Tuffet.get(server.address(), "a", Options::default());
        assert_eq!(server.outcome("a")["verdict_by"], "acl");
    }
    let totals = &server.live()["totals"];
    let plugin = &totals["plugins"][0];
    assert_eq!(
        (&plugin["plugin"], &plugin["loaded"], &plugin["calls"]),
        (&"acl".into(), &true.into(), &3.into())
    );
    assert_eq!((&plugin["breaker_open"], &plugin["running"]), (&false.into(), &0.into()));
    assert_eq!((&plugin["durations"][0][0], count(&plugin["durations"][0][1])), (&"authorize".into(), 3));
    let cache = &totals["file_cache"];
    assert_eq!(cache["hits"].as_u64().unwrap() + cache["misses"].as_u64().unwrap(), 3);
    assert_eq!(cache["capacity"], 256 << 20);
}

/// Without traces: each call of a plugin, and the options of a transfer that still runs.
#[test]
fn a_request_has_its_plugin_calls_and_options() {
    let settings =
        |rule: &str| format!("component: \"builtin:acl\", settings: {{ {rule}: [{{ names: [\"**\"] }}] }}");
    let yaml = format!(
        "policy: {{ authorize: [quiet, trial, acl] }}\nplugins: {{ quiet: {{ component: \"builtin:acl\" }}, trial: {{ {}, mode: \
         monitor }}, acl: {{ {} }} }}\n",
        settings("deny"),
        settings("allow")
    );
    let server = Setup::new().file("long", &bytes(1000 * 40)).rest_of_yaml(&yaml).start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("long", &[("blksize", "1000"), ("timeout", "9"), ("windowsize", "0"), ("private", "1")]));
    peer.expect(Answer::Oack("blksize=1000 timeout=9".into()));
    let calls = |row: &Value| {
        let word = |call: &Value, key: &str| call[key].as_str().unwrap().to_owned();
        let mut calls: Vec<_> = row["plugins"]
            .as_array()
            .unwrap()
            .iter()
            .map(|call| {
                assert!(call["took_us"].as_u64().unwrap() > 0 && call["failure"].is_null(), "{call}");
                (word(call, "plugin"), word(call, "hook"), word(call, "verdict"), call["monitored"] == true)
            })
            .collect();
        calls.sort();
        calls
    };
    let call = |plugin: &str, verdict: &str, monitored| {
        (plugin.to_owned(), "authorize".to_owned(), verdict.to_owned(), monitored)
    };
    let due = [call("acl", "allow", false), call("quiet", "abstain", false), call("trial", "deny", true)];
    // The monitored plugin runs beside the chain.
    let live = server.live_until("its calls", |live| {
        live["active"][0]["plugins"].as_array().is_some_and(|calls| calls.len() == 3)
    });
    let row = &live["active"][0];
    assert_eq!((calls(row).as_slice(), &row["plugin_calls"]), (&due[..], &2.into()), "{row:#}");
    let granted = serde_json::json!([["blksize", "1000"], ["timeout", "9"]]);
    assert_eq!(row["options"], granted, "{row:#}");

    peer.send(&error(0, "enough"));
    server.outcome("long");
    let live = server.live_until("its end", |live| live["totals"]["active"] == 0);
    let row = &live["finished"][0];
    assert_eq!((calls(row).as_slice(), &row["options"]), (&due[..], &granted), "{row:#}");
}
