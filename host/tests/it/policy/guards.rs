//! The guards around the calls of a plugin: the breaker, the mode `monitor`, the decision cache, the time
//! limit of a chain; as clients and the log see them.

use super::misbehave;
use crate::harness::{Answer, Peer, Server, Setup, ack, assert_ended, rrq};
use serde_json::Value;

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
    let outcome = server.outcome("a");
    assert_eq!((&outcome["verdict_by"], &outcome["plugin_calls"]), (&Value::Null, &0.into()));
    assert_eq!(totals(&server)["monitored"], 1);
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
