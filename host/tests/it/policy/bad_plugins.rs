//! A plugin that loops, hogs memory or traps harms only its own requests.

use super::misbehave;
use crate::harness::{
    Answer, Client, Options, Peer, Server, Setup, ack, assert_ended, assert_moved, bytes, rrq,
};

const SIZE: usize = 512 * 3000 + 17;

/// Starts a server with a plugin that does this for `evil/**`. No time-out comes sooner than in two seconds,
/// so a transfer without one proves that nothing delayed it that long.
fn server(misdeed: &str, on_error: &str) -> Server {
    let component = misbehave();
    // A loop is stopped by its time limit; a memory hog must reach its limit before the time limit.
    let time = if misdeed == "loop" { "100ms" } else { "20s" };
    Setup::new()
        .sizes(&[SIZE])
        .file("evil/file", b"served all the same")
        .rest_of_yaml(&format!(
            r#"
workers: 1
transfer: {{ retransmit: {{ floor: 2s, initial: 2s, cap: 4s, give-up: 30s }} }}
policy: {{ authorize: [bad], time-limit: 30s }}
plugins:
  bad:
    component: "{component}"
    on-error: {on_error}
    limits: {{ time: {time}, wall: 30s, memory: 16MiB }}
    settings: {{ do: {misdeed}, when: "evil/**" }}
"#
        ))
        .start()
}

/// Makes many bad calls during a transfer.
fn assert_undisturbed(misdeed: &str, why: &str) {
    let server = server(misdeed, "deny");
    let name = SIZE.to_string();
    let mut good = Peer::strict(server.address());
    good.ask(&rrq(&name, &[]));
    let mut content = Vec::new();
    let mut bad: Vec<Peer> = (0..8).map(|_| Peer::new(server.address())).collect();
    for next in 1..=SIZE / 512 + 1 {
        if next == 100 {
            bad.iter_mut().for_each(|peer| peer.ask(&rrq("evil/file", &[])));
        }
        let Answer::Data(block, payload) = good.receive() else { panic!("DATA {next} was due") };
        assert_eq!(usize::from(block), next, "no block came twice");
        good.send(&ack(block));
        content.extend_from_slice(&payload);
    }
    assert!(content == bytes(SIZE));
    let line = server.outcome(&name);
    assert_moved(&line, "served", SIZE, 512, 1);
    assert_eq!((&line["timeouts"], &line["retransmissions"]), (&0.into(), &0.into()), "{line:#}");

    for peer in &mut bad {
        assert_eq!(peer.expect_error(0), "policy failure");
        let line = server.outcome("evil/file");
        assert_eq!(line["verdict_by"], "bad");
        assert_ended(&line, "denied", "plugin bad failed in authorize");
        assert_ended(&line, "denied", why);
    }
    // It still serves.
    assert!(Client::Tuffet.get(server.address(), &name, Options::default()) == bytes(SIZE));
}

#[test]
fn an_endless_loop_is_stopped() {
    assert_undisturbed("loop", "computed for more than 100ms");
}

#[test]
fn a_memory_hog_is_stopped() {
    assert_undisturbed("hog", "more than 16777216 bytes of memory");
}

#[test]
fn a_trap_is_contained() {
    assert_undisturbed("trap", "trapped as asked");
}

/// Blocks of an active transfer arrive before the loop is stopped: nothing waits for it.
#[test]
fn blocks_move_while_a_plugin_loops() {
    let server = server("loop", "deny");
    let mut good = Peer::new(server.address());
    good.ask(&rrq(&SIZE.to_string(), &[]));
    let mut bad = Peer::new(server.address());
    bad.ask(&rrq("evil/file", &[]));
    let mut moved = 0;
    while bad.receive_within(std::time::Duration::from_millis(1)).is_none() {
        for _ in 0..10 {
            let Answer::Data(block, _) = good.receive() else { panic!("DATA was due") };
            good.send(&ack(block));
            moved += 1;
        }
    }
    assert!(moved > 10, "{moved} blocks");
}

#[test]
fn on_error_abstain_serves() {
    for misdeed in ["loop", "hog", "trap"] {
        let server = server(misdeed, "abstain");
        let got = Client::Tuffet.get(server.address(), "evil/file", Options::default());
        assert_eq!(got, b"served all the same");
        let line = server.outcome("evil/file");
        assert_moved(&line, "served", got.len(), 512, 1);
        assert_eq!((&line["verdict_by"], &line["plugin_calls"]), (&serde_json::Value::Null, &1.into()));
    }
}

/// The client repeats its request during the call: one call, one outcome.
#[test]
fn a_request_that_is_repeated_meanwhile_is_decided_once() {
    let server = server("loop", "abstain");
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("evil/file", &[]));
    for _ in 0..5 {
        peer.ask_meanwhile(&rrq("evil/file", &[]));
    }
    peer.expect(Answer::Data(1, b"served all the same".to_vec()));
    peer.send(&ack(1));
    let line = server.outcome("evil/file");
    assert_eq!((&line["outcome"], &line["plugin_calls"]), (&"served".into(), &1.into()));
    assert_eq!(server.stop(), [] as [serde_json::Value; 0]);
}

#[test]
fn a_dropped_request_is_not_answered() {
    let server = server("drop", "deny");
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("evil/file", &[]));
    assert_ended(&server.outcome("evil/file"), "denied", "dropped by policy");
    // The next packet answers the next request.
    peer.ask(&rrq("missing", &[]));
    peer.expect_error(1);
}

/// Answers that are invalid for any plugin.
#[test]
fn answers_that_are_none() {
    for (misdeed, detail) in [
        ("traversal", ".."),
        ("unknown-root", "no-such-root"),
        ("too-much-content", "more than it may"),
        ("no-files", "neither a candidate"),
        ("many-files", "more than it may"),
    ] {
        let component = misbehave();
        let server = Setup::new()
            .file("a", b"x")
            .rest_of_yaml(&format!(
                "policy: {{ resolve: [bad], time-limit: 40s }}\nplugins: {{ bad: {{ component: \"{component}\", limits: \
                 {{ time: 20s, wall: 40s }}, settings: {{ do: {misdeed}, hook: resolve }} }} }}\n"
            ))
            .start();
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq("a", &[]));
        let Answer::Error(_, text) = peer.receive() else { panic!("an ERROR was due") };
        assert!(!text.contains("passwd") && !text.contains("root"), "{misdeed}: {text}");
        let line = server.outcome("a");
        let said = line["detail"].as_str().unwrap_or_default();
        assert!(said.contains(detail), "{misdeed}: {line:#}");
    }
}

#[test]
fn content_is_served_like_a_file() {
    let component = misbehave();
    let server = Setup::new()
        .rest_of_yaml(&format!(
            "policy: {{ resolve: [good] }}\nplugins: {{ good: {{ component: \"{component}\", settings: \
             {{ do: content, hook: resolve }} }} }}\n"
        ))
        .start();
    for client in Client::installed() {
        assert_eq!(client.get(server.address(), "any", Options::default()), b"0123456789");
        let line = server.outcome("any");
        assert_moved(&line, "served", 10, 512, 1);
        assert_eq!((&line["resolved"], &line["verdict_by"]), (&"content".into(), &"good".into()));
    }
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("any", &[("blksize", "8"), ("tsize", "0")]));
    peer.expect(Answer::Oack("blksize=8 tsize=10".into()));
    peer.send(&ack(0));
    peer.expect(Answer::Data(1, b"01234567".to_vec()));
    peer.send(&ack(1));
    peer.expect(Answer::Data(2, b"89".to_vec()));
}
