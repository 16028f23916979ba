//! Labels that plugins give requests, wherever people look.

use crate::harness::{Peer, Setup, run};
use crate::telemetry::exposition::Exposition;
use serde_json::json;
use std::process::Command;

#[test]
fn a_label_is_seen_wherever_people_look() {
    let guest = tuffet_test_guests::component("reference");
    let plugin = |label: &str| {
        format!(
            "{{ component: {guest:?}, settings: {{ rules: [{{ hook: authorize, path: \"*\", answer: abstain, label: {label} }}] }} }}"
        )
    };
    let (first, trial) =
        (plugin("canary"), plugin("no-effect").replace("{ component", "{ mode: monitor, component"));
    let server = Setup::new()
        .file("a", b"content")
        .rest_of_yaml(&format!(
            "policy: {{ authorize: [first, trial, second] }}\nplugins:\n  first: {first}\n  trial: {trial}\n  second: {}\n",
            plugin("v1.2")
        ))
        .start();
    for _ in 0..2 {
        assert_eq!(Peer::new(server.address()).read_plainly("a"), b"content");
        assert_eq!(server.outcome("a")["labels"], "first=canary second=v1.2");
    }
    let live = server.live_until("two ends", |live| live["finished"].as_array().unwrap().len() == 2);
    assert_eq!(live["finished"][0]["facts"], json!({ "labels": "first=canary second=v1.2" }));
    let read = Exposition::read(&server.metrics());
    for (plugin, label) in [("first", "canary"), ("second", "v1.2")] {
        let labels = [("plugin", plugin), ("label", label)];
        assert_eq!(read.value("tuffet_requests_labelled_total", &labels), 2.0);
    }
    assert!(!server.metrics().contains("no-effect"));
    let socket = server.outside().path("control");
    let mut explain = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    let explained = run(explain.args(["explain", "a", "--live", "--control"]).arg(socket));
    let text = String::from_utf8_lossy(&explained.stdout);
    assert!(text.contains("first: abstain") && text.contains(", label canary"), "{text}");
}
