//! Labels that plugins give requests, wherever people look.

use crate::harness::{Peer, Setup, tuffet};
use crate::telemetry::exposition::Exposition;
use serde_json::json;

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
    let explained = tuffet(["explain", "a", "--live", "--control", socket.to_str().unwrap()]);
    let text = String::from_utf8_lossy(&explained.stdout);
    assert!(text.contains("first: abstain") && text.contains(", label canary"), "{text}");
}
