//! Counters and gauges of plugins' own.

use super::probe;
use crate::harness::{Client, Options, Server, Setup};
use crate::telemetry::exposition::Exposition;
use crate::telemetry::fake_collector::{FakeCollector, Manner};
use crate::telemetry::prometheus::{OWN, listed};

fn server(grants: &str, commands: &[&str], more: &str) -> Server {
    setup("", grants, commands, more).start()
}

fn setup(beside: &str, grants: &str, commands: &[&str], more: &str) -> Setup {
    let yaml = format!(
        "{beside}roots: [{{ name: boot, path: root }}]\nstate: state\nsinks: {{ out: {{ file: out.jsonl }} }}\npolicy: {{ resolve: \
         [it], time-limit: 40s }}\nplugins:\n  it:\n    component: {:?}\n    grants: [kv, files/boot, sinks/out{grants}]\n    \
         limits: {{ time: 20s, wall: 40s }}\n    settings: {{ run: {}, {more} }}\n",
        probe(),
        serde_json::to_string(commands).unwrap()
    );
    Setup::new().yaml(&yaml)
}

fn ask(server: &Server) -> Vec<String> {
    let content = Client::Tuffet.get(server.address(), "ask", Options::default());
    String::from_utf8(content).unwrap().lines().map(str::to_owned).collect()
}

fn counter(server: &Server, labels: &[(&str, &str)]) -> f64 {
    let labels = [&[("plugin", "it")], labels].concat();
    Exposition::read(&server.metrics()).value("tuffet_plugin_counter_total", &labels)
}

#[test]
fn what_a_plugin_counts_is_among_the_metrics() {
    let commands = [
        "add hits site b",
        "add hits site a",
        "add hits site b",
        "add plain",
        "gauge size -1.5",
        "gauge size 2.25",
    ];
    let server = server(", metrics", &commands, "");
    assert!(!server.metrics().contains("tuffet_plugin_counter_total"), "nothing is counted yet");
    assert_eq!(ask(&server), ["()"; 6]);
    assert_eq!(counter(&server, &[("name", "hits"), ("site", "a")]), 2.0);
    assert_eq!(counter(&server, &[("name", "hits"), ("site", "b")]), 4.0);
    let gauge = Exposition::read(&server.metrics());
    assert_eq!(gauge.value("tuffet_plugin_gauge", &[("plugin", "it"), ("name", "size")]), 2.25);
    // A reload goes on counting.
    let file = server.outside().path("tuffet.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("time: 20s", "time: 19s")).unwrap();
    server.ask("reload").assert_good();
    assert_eq!(ask(&server), ["()"; 6]);
    assert_eq!(counter(&server, &[("name", "plain")]), 2.0);
}

#[test]
fn a_collector_gets_them_too() {
    let collector = FakeCollector::start(Manner::Good);
    let telemetry = format!(
        "telemetry: {{ endpoint: \"{}\", traces: {{ enabled: false }}, logs: false }}\n",
        collector.endpoint()
    );
    let commands = ["add hits site a", "gauge size 2.25"];
    let server = setup(&telemetry, ", metrics", &commands, "").variable("NO_PROXY", "127.0.0.1").start();
    assert_eq!(ask(&server), ["()"; 2]);
    // The last export is one of everything.
    server.stop();
    let received = collector.metrics();
    for name in ["tuffet.plugin.counter", "tuffet.plugin.gauge", "tuffet.plugin.series.refused"] {
        assert!(received.contains(name), "{name}: {received:?}");
    }
}

#[test]
fn series_are_bounded_and_those_beyond_are_counted() {
    let server =
        server(", metrics", &["gauge size 1", "series 63", "add hits", "series 63", "series 64"], "");
    let full = "quota: the plugin has as many series as it may have";
    assert_eq!(ask(&server), ["()", "()", full, "()", full]);
    let read = Exposition::read(&server.metrics());
    let listed = listed();
    let there = OWN.iter().filter(|name| read.kinds.contains_key(**name) && listed.contains(**name));
    assert_eq!(there.collect::<Vec<_>>(), OWN.iter().collect::<Vec<_>>(), "docs/metrics.md");
    assert_eq!(read.value("tuffet_plugin_series_refused_total", &[("plugin", "it")]), 2.0);
    assert_eq!(counter(&server, &[("name", "many"), ("value", "62")]), 3.0);
}

#[test]
fn names_values_and_grants_are_checked() {
    let commands = [
        "add a-b",
        "add a plugin x",
        "add a __x y",
        "gauge size NaN",
        "add hits",
        "gauge hits 1",
        "add hits",
    ];
    let server = server(", metrics", &commands, "configure: [add early]");
    let said = ask(&server);
    assert_eq!(said[0], "wrong-phase: not in `configure`, which must have no effects");
    for refused in [&said[1], &said[2], &said[3], &said[4], &said[6]] {
        assert!(refused.starts_with("bad-argument: "), "{said:?}");
    }
    assert_eq!((&*said[5], &*said[7]), ("()", "()"));
    assert_eq!(counter(&server, &[("name", "hits")]), 2.0);

    let server = self::server("", &["add hits"], "");
    assert_eq!(ask(&server), ["not-granted: the grant `metrics` is not given"]);
    assert!(!server.metrics().contains("tuffet_plugin_counter_total"));
}
