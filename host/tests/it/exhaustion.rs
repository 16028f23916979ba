//! Plugins run out of resources: instances, memory, address space. They fail or wait; the rest continues.

use crate::harness::{Answer, Peer, Setup, ack, bytes, rrq};
use crate::policy::misbehave;
use std::time::{Duration, Instant};

/// Creates a plugin that misbehaves for the files below `evil`, and abstains for others.
fn setup(misdeed: &str, plugin: &str) -> Setup {
    let component = misbehave();
    Setup::new().sizes(&[5000]).rest_of_yaml(&format!(
        "policy: {{ authorize: [plugin], time-limit: 1m }}\nplugins:\n  plugin: {{ component: \"{component}\", settings: \
         {{ do: {misdeed}, when: \"evil/*\" }}, breaker: {{ failures: 1000000 }}, {plugin} }}\n"
    ))
}

/// As many calls as there are instances for all plugins, and again as many that wait.
#[test]
fn more_calls_than_instances() {
    let server =
        setup("sleep", "on-error: abstain, limits: { time: 1s, wall: 1s, instances: 128, queue: 512 }")
            .start();
    let mut running = Peer::new(server.address());
    running.ask(&rrq("5000", &[]));
    running.receive();

    let mut many: Vec<Peer> = (0..256).map(|_| Peer::new(server.address())).collect();
    many.iter_mut().enumerate().for_each(|(number, peer)| peer.ask(&rrq(&format!("evil/{number}"), &[])));
    server.live_until("calls that wait", |live| live["totals"]["plugins"][0]["waiting"].as_u64() >= Some(1));
    // An active transfer needs no plugin.
    running.send(&ack(1));
    assert_eq!(running.read_on(2).len(), 5000 - 512);
    // Another client has instances of its own share.
    assert!(Peer::from([127, 0, 0, 2], server.address()).read_plainly("5000") == bytes(5000));
    // A call ends in a second, and then `on-error` answers. What gets no turn gets no answer, and asks again.
    let mut waiting: Vec<_> = many.into_iter().enumerate().collect();
    let end = Instant::now() + Duration::from_secs(30);
    while !waiting.is_empty() {
        let again = Instant::now() + Duration::from_secs(2);
        waiting.retain_mut(|(_, peer)| {
            let patience = again.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
            match peer.receive_within(patience) {
                None => true,
                Some(answer) => {
                    assert_eq!(answer, Answer::Error(1, "file not found".into()));
                    false
                }
            }
        });
        assert!(Instant::now() < end, "{} clients without an answer", waiting.len());
        waiting.iter_mut().for_each(|(number, peer)| peer.ask(&rrq(&format!("evil/{number}"), &[])));
    }
    server.stop();
}

/// All of them take as much memory as they can; it is given back.
#[test]
fn memory_of_many_plugins_at_once() {
    let server =
        setup("hog", "limits: { time: 20s, wall: 1m, memory: 16MiB, instances: 8, queue: 512 }").start();
    assert!(Peer::new(server.address()).read_plainly("5000") == bytes(5000));
    let before = server.memory();
    let mut many: Vec<Peer> = (0..64).map(|_| Peer::new(server.address())).collect();
    many.iter_mut().enumerate().for_each(|(number, peer)| peer.ask(&rrq(&format!("evil/{number}"), &[])));
    let mut most = before;
    for peer in &mut many {
        assert_eq!(peer.expect_error(0), "policy failure");
        most = most.max(server.memory());
    }
    assert!(Peer::new(server.address()).read_plainly("5000") == bytes(5000));
    let after = server.memory();
    assert!(most < before + (200 << 20), "{before} grew to {most}: more than eight instances of 16 MiB");
    assert!(after < before + (64 << 20), "{before} grew to {after}, and stayed so");
    server.stop();
}

/// There is no room for the pool of instances: calls are slower, and continue all the same.
#[test]
fn little_address_space() {
    let limit = ["sh", "-c", "ulimit -v 3000000; exec \"$@\"", "sh"].map(str::to_owned);
    let server =
        setup("trap", "limits: { time: 20s, wall: 20s, memory: 16MiB }").behind(limit.into()).start();
    let line = server.log_line("plugin instances cannot be pooled, so each is allocated separately");
    assert_eq!(line["level"], "WARN");
    for _ in 0..20 {
        let mut bad = Peer::new(server.address());
        bad.ask(&rrq("evil/x", &[]));
        assert_eq!(bad.receive(), Answer::Error(0, "policy failure".into()));
        assert!(server.outcome("evil/x")["detail"].as_str().unwrap().contains("trapped as asked"));
        assert!(Peer::new(server.address()).read_plainly("5000") == bytes(5000));
    }
    server.stop();
}
