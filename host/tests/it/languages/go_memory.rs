//! The Go SDK's memory: collections happen in thousands of calls of one instance, and nothing gets lost or mixed up.

use super::go_component;
use crate::harness::{Answer, Peer, Setup, data, wrq};
use serde_json::Value;

/// Requests of each kind. Each is three or four calls of the same instance.
const READS: u64 = 700;
const WRITES: u64 = 20;

#[test]
fn thousands_of_calls_that_allocate_much() {
    let Some(guest) = go_component("churn") else { return };
    let server = Setup::new()
        .file("content", &b"0123456789".repeat(5000))
        .yaml(&format!(
            r#"
workers: 1
roots: [{{ name: boot, path: root, writable: true }}]
state: state
policy: {{ authorize: [it], resolve: [it], accept-upload: [it], observe: [it], time-limit: 60s }}
plugins:
  it:
    component: "{guest}"
    grants: [kv, files/boot]
    reuse: {{ calls: 1000000, idle: 1h }}
    limits: {{ time: 20s, wall: 40s, memory: 64MiB, instances: 1, queue: 1000 }}
"#
        ))
        .start();
    let mut last = Value::Null;
    for number in 0..READS {
        let name = format!("a-name-that-is-not-short/{number}");
        let got = Peer::new(server.address()).read_plainly(&name);
        last = serde_json::from_slice(&got).unwrap();
        assert_eq!(last["path"], name);
    }
    // Two calls for each request: one instance answered all of them.
    assert_eq!(last["calls"], 2 * READS, "{last}");
    assert!(last["collections"].as_u64() > Some(READS / 20), "{last}");
    for number in 0..WRITES {
        let mut peer = Peer::new(server.address());
        peer.ask(&wrq(&format!("up{number}"), &[]));
        peer.expect(Answer::Ack(0));
        peer.send(&data(1, b"ab"));
        peer.expect(Answer::Ack(1));
        assert_eq!(server.root().read(&format!("up{number}.fb8e20fc")), b"ab");
    }
    server.stop();
    let log = server.log();
    assert!(!log.contains(" failed in "), "{log}");
    // Each collection reads it, which is no mistake of the plugin.
    assert!(!log.contains("a plugin has no clock"), "{log}");
}
