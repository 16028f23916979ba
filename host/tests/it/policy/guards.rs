//! The guards around the calls of a plugin: the breaker, the mode `monitor`, the decision cache, the time
//! limit of a chain; as clients and the log see them.

use super::misbehave;
use crate::harness::{Answer, Peer, Server, Setup, ack, assert_ended, rrq};
use serde_json::{Value, json};

fn server(policy: &str, plugins: &[(&str, &str)]) -> Server {
    let component = misbehave();
    let plugins: String = plugins
        .iter()
        .map(|(name, rest)| format!("  {name}: {{ component: \"{component}\", {rest} }}\n"))
        .collect();
    Setup::new()
        .file("a", b"content")
        .file("evil", b"served all the same")
        .rest_of_yaml(&format!("policy: {{ {policy} }}\nplugins:\n{plugins}"))
        .start()
}

fn ask(server: &Server, name: &str) -> Answer {
    ask_as(1, server, name)
}

/// As this client.
fn ask_as(client: u8, server: &Server, name: &str) -> Answer {
    let mut peer = Peer::from(std::net::Ipv4Addr::new(127, 0, 0, client), server.address());
    peer.ask(&rrq(name, &[]));
    let answer = peer.receive();
    if let Answer::Data(block, _) = answer {
        peer.send(&ack(block));
    }
    answer
}

/// Stops the server and returns the counters of its plugin.
fn totals(server: &Server) -> Value {
    server.terminate();
    server.logged("plugin totals")
}

#[test]
fn a_plugin_that_fails_again_and_again_is_left_alone() {
    let breaker = "breaker: { failures: 3, back-off: 1h, cap: 1h }, settings: { do: trap, when: evil }";
    let server = server("authorize: [bad], time-limit: 30s", &[("bad", breaker)]);
    assert_eq!(ask(&server, "a"), Answer::Data(1, b"content".to_vec()));
    for client in 1..4 {
        assert_eq!(ask_as(client, &server, "evil"), Answer::Error(0, "policy failure".into()));
        assert_ended(&server.outcome("evil"), "denied", "trapped as asked");
    }
    let line = server
        .logged("a plugin failed for too many clients in a row: it is not called for 3600s, then tried with single calls");
    assert_eq!((&line["plugin"], &line["failure"]), (&"bad".into(), &"repeated".into()));
    for name in ["evil", "b"] {
        assert_eq!(ask(&server, name), Answer::Error(0, "policy failure".into()));
        assert_ended(&server.outcome(name), "denied", "repeated: it failed for 3 clients in a row");
    }
    let totals = totals(&server);
    assert_eq!((&totals["calls"], &totals["opened"]), (&6.into(), &1.into()), "{totals:#}");
    assert_eq!(totals["failures"], "trap=3 repeated=2");
}

#[test]
fn a_monitored_plugin_changes_nothing() {
    let server = server("authorize: [new]", &[("new", "mode: monitor, settings: { do: deny }")]);
    assert_eq!(ask(&server, "a"), Answer::Data(1, b"content".to_vec()));
    let line = server.logged("monitored");
    assert_eq!((&line["plugin"], &line["hook"]), (&"new".into(), &"authorize".into()));
    assert_eq!((&line["would"], &line["path"]), (&"deny: macs: []".into(), &"a".into()));
    assert_eq!((&line["did"], &line["did_by"]), (&"allow".into(), &Value::Null));
    let outcome = server.outcome("a");
    assert_eq!((&outcome["verdict_by"], &outcome["plugin_calls"]), (&Value::Null, &0.into()));
    let totals = totals(&server);
    assert_eq!((&totals["monitored"], &totals["differing"]), (&1.into(), &1.into()));
}

/// A new version behind the one in use is asked although that one ends the chain, and only differences are told.
#[test]
fn a_monitored_plugin_tells_the_difference() {
    let next = r#"component: "builtin:acl", mode: monitor, settings: { deny: [{ names: [both, new] }] }"#;
    let server = Setup::new()
        .file("free", b"content")
        .file("new", b"content")
        .rest_of_yaml(&format!(
            "policy: {{ authorize: [current, next] }}\nplugins:\n  current: {{ component: \"builtin:acl\", settings: {{ deny: \
             [{{ names: [both, old] }}] }} }}\n  next: {{ {next} }}\n"
        ))
        .start();
    let mut peer = Peer::new(server.address());
    for (name, is_denied) in [("free", false), ("both", true), ("new", false), ("old", true)] {
        peer.ask(&rrq(name, &[]));
        if is_denied {
            peer.expect_error(2);
        } else {
            assert_eq!(peer.receive(), Answer::Data(1, b"content".to_vec()));
            peer.send(&ack(1));
        }
    }
    server.live_until("four answers", |live| {
        let plugins = live["totals"]["plugins"].as_array().unwrap();
        plugins.iter().any(|plugin| plugin["plugin"] == "next" && plugin["monitored"] == 4)
    });
    server.terminate();
    server.wait();
    let mut lines = server.unread();
    lines.retain(|line| line["message"] == "monitored");
    let mut told: Vec<_> = lines
        .iter()
        .map(|line| ["path", "would", "did", "did_by"].map(|field| line[field].clone()))
        .collect();
    told.sort_by_key(|line| line[0].to_string());
    let expected = [
        json!(["new", "deny: deny rule 1", "allow", null]),
        json!(["old", "abstain", "deny: deny rule 1", "current"]),
    ];
    assert_eq!(json!(told), json!(expected));
}

/// Requests that come faster than it answers are answered, and no line says otherwise.
#[test]
fn a_monitored_plugin_that_is_slow_holds_up_nobody() {
    let plugin = "mode: monitor, limits: { wall: 10s, instances: 1, queue: 1 }, settings: { do: sleep }";
    let server = server("authorize: [slow]", &[("slow", plugin)]);
    for _ in 0..20 {
        assert_eq!(ask(&server, "a"), Answer::Data(1, b"content".to_vec()));
    }
    server.live_until("calls without a turn", |live| {
        let failures = live["totals"]["plugins"][0]["failures"].as_array().unwrap();
        failures.iter().any(|its| its[0] == "busy" && its[1].as_u64() >= Some(18))
    });
    server.stop();
    assert!(!server.log().contains("a plugin is overloaded"), "{}", server.log());
}

#[test]
fn a_monitored_plugin_writes_nothing_unless_it_may() {
    for (effects, written) in [("", 0), ("effects: true, ", 1)] {
        let server = Setup::new()
            .file("a", b"content")
            .rest_of_yaml(&format!(
                "policy: {{ observe: [audit] }}\nplugins: {{ audit: {{ component: \"builtin:audit\", mode: monitor, {effects}\
                 settings: {{ sink: lines }}, grants: [kv, sinks/lines] }} }}\nsinks: {{ lines: {{ file: audit.jsonl }} }}\n\
                 state: state\n"
            ))
            .start();
        assert_eq!(Peer::new(server.address()).read_plainly("a"), b"content");
        server.stop();
        let lines = std::fs::read_to_string(server.outside().path("audit.jsonl")).unwrap_or_default();
        assert_eq!(lines.lines().count(), written, "{lines}");
    }
}

#[test]
fn a_decision_is_remembered() {
    let plugin = "cache: { ttl: 1h, key: [path] }, reuse: {}, settings: { do: count }";
    let server = server("authorize: [count]", &[("count", plugin)]);
    for (name, call) in [("a", "call 1"), ("evil", "call 2"), ("a", "call 1")] {
        assert_eq!(ask(&server, name), Answer::Error(2, "counted".into()));
        assert_ended(&server.outcome(name), "denied", call);
    }
    let totals = totals(&server);
    assert_eq!((&totals["cache_hits"], &totals["cache_misses"]), (&1.into(), &2.into()), "{totals:#}");
}

#[test]
fn a_chain_ends_in_time() {
    let slow = "limits: { wall: 1m }, settings: { do: sleep, when: evil }, on-error: abstain";
    let server = server("authorize: [slow], time-limit: 200ms", &[("slow", slow)]);
    assert_eq!(ask(&server, "evil"), Answer::Data(1, b"served all the same".to_vec()));
    let totals = totals(&server);
    assert_eq!(totals["failures"], "chain=1", "{totals:#}");
}
