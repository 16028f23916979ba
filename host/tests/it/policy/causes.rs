//! The log names the cause of a failed call.

use super::{misbehave, probe};
use crate::harness::{Answer, Peer, Server, Setup, rrq};

/// The detail of the outcome of one request, which is answered with an ERROR.
fn detail(server: &Server) -> String {
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("a", &[]));
    let answer = peer.receive();
    assert!(matches!(answer, Answer::Error(0, _)), "{answer:?}");
    server.outcome("a")["detail"].as_str().unwrap_or_default().to_owned()
}

fn misbehaving(settings: &str, more: &str) -> Server {
    let component = misbehave();
    Setup::new()
        .file("a", b"content")
        .rest_of_yaml(&format!(
            "policy: {{ resolve: [bad], time-limit: 30s }}\nplugins:\n  bad:\n    component: \"{component}\"\n    settings: \
             {{ {settings}, hook: resolve }}\n{more}"
        ))
        .start()
}

/// They were good when the server started.
#[test]
fn settings_that_are_refused_later() {
    for reuse in ["", "    reuse: { calls: 2 }\n"] {
        let server = misbehaving("do: refuse-later", &format!("    grants: [files/boot]\n{reuse}"));
        server.root().write("refuse", b"");
        let mut details = String::new();
        // An instance that was configured before serves its calls.
        for _ in 0..4 {
            let mut peer = Peer::new(server.address());
            peer.ask(&rrq("a", &[]));
            peer.receive();
            // A closed port ends its transfer.
            drop(peer);
            details += &server.outcome("a")["detail"].to_string();
        }
        let expected =
            "plugin bad failed in resolve: settings: it refused its settings: settings/do: refused as asked";
        assert!(details.contains(expected), "{details}");
    }
}

#[test]
fn content_beyond_its_limit() {
    for limit in ["1MiB", "7MiB"] {
        let limits = format!("    limits: {{ content: {limit} }}\n");
        let server = misbehaving("do: too-much-content", &limits);
        let detail = detail(&server);
        assert!(detail.contains("(limits.content)"), "{detail}");
    }
}

#[test]
fn what_a_call_waited_for() {
    let server = misbehaving("do: sleep", "    limits: { time: 100ms, wall: 200ms }\n");
    let slept = detail(&server);
    assert!(slept.ends_with("within 200ms (limits.wall): it waited for its own timer"), "{slept}");

    // Accepts connections, and says nothing.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let (component, port) = (probe(), silent.local_addr().unwrap().port());
    let state = tempfile::TempDir::new().unwrap();
    let server = Setup::new()
        .yaml(&format!(
            "roots: [{{ name: boot, path: root }}]\nstate: {:?}\nsinks: {{ out: {{ file: out.jsonl }} }}\npolicy: {{ resolve: \
             [probe], time-limit: 30s }}\nplugins:\n  probe:\n    component: {component:?}\n    grants: [kv, files/boot, \
             sinks/out, \"http/127.0.0.1:{port}\"]\n    limits: {{ time: 100ms, wall: 500ms }}\n    settings: {{ run: [\"get \
             http://127.0.0.1:{port}/\"] }}\n",
            state.path()
        ))
        .start();
    let waited = detail(&server);
    let expected = format!("within 500ms (limits.wall): it waited for HTTP from 127.0.0.1:{port}");
    assert!(waited.ends_with(&expected), "{waited}");
}
