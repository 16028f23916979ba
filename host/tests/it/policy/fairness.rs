//! One client whose calls fail or take long leaves others alone.

use super::misbehave;
use crate::harness::{Answer, Peer, Server, Setup, ack, rrq, run};
use std::net::{IpAddr, Ipv4Addr};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

fn server(misdeed: &str, more: &str) -> Server {
    let component = misbehave();
    Setup::new()
        .file("a", b"content")
        .rest_of_yaml(&format!(
            "policy: {{ authorize: [bad] }}\nplugins:\n  bad:\n    component: \"{component}\"\n    settings: {{ do: \
             {misdeed}, when: \"evil\" }}\n{more}"
        ))
        .start()
}

fn client(number: u8, server: &Server) -> Peer {
    Peer::from(IpAddr::from(Ipv4Addr::new(127, 0, 9, number)), server.address())
}

/// Asks for the file `a` until it comes, and again after each second of silence. An ERROR ends it.
fn is_served(peer: &mut Peer) -> Result<(), Answer> {
    for _ in 0..10 {
        peer.ask(&rrq("a", &[]));
        match peer.receive_within(Duration::from_secs(1)) {
            Some(Answer::Data(1, payload)) => {
                assert_eq!(payload, b"content");
                peer.send(&ack(1));
                return Ok(());
            }
            Some(other) => return Err(other),
            None => {}
        }
    }
    panic!("no answer in ten seconds");
}

/// 64 calls of one client loop until their time is over, and others ask meanwhile.
fn others_are_served_beside_loops(server: &Server) {
    let mut looping: Vec<Peer> = (0..64).map(|_| client(1, server)).collect();
    looping.iter_mut().for_each(|peer| peer.ask(&rrq("evil", &[])));
    for number in 2..22 {
        let served = is_served(&mut client(number, server));
        assert_eq!(served, Ok(()), "client {number}: {}", server.log());
    }
}

#[test]
fn looping_calls_of_one_client_leave_instances_for_others() {
    others_are_served_beside_loops(&server("loop", ""));
}

/// Each loop costs an instance.
#[test]
fn looping_calls_of_one_client_leave_reused_instances_for_others() {
    others_are_served_beside_loops(&server("loop", "    reuse: {}\n"));
}

/// A template that renders until its time is over, for one name.
fn server_with_an_endless_template() -> Server {
    let template = b"{% for a in range(9999) %}{% for b in range(9999) %}{{ a * b }}{% endfor %}{% endfor %}";
    let setup = Setup::new().file("a", b"content");
    setup.outside().write("own/inventory.yaml", b"devices: { loop: { names: [evil] } }");
    setup.outside().write("own/loop.j2", template);
    let yaml = "roots: [{ name: boot, path: root }, { name: own, path: own, private: true }]\npolicy: { resolve: [template] \
                }\nplugins:\n  template:\n    component: builtin:template\n    grants: [files/own, client-mac]\n    settings: { \
                root: own, inventory: inventory.yaml, rules: [{ match: evil, template: loop.j2 }] }\n";
    setup.yaml(yaml).start()
}

/// On one core, calls that compute to their limit come faster than the core can take them, and each costs an instance.
#[test]
fn looping_calls_of_one_client_leave_cpu_time_and_instances_for_others() {
    let server = server_with_an_endless_template();
    let mut pin = Command::new("taskset");
    pin.args(["--all-tasks", "--cpu-list", "--pid", "0", &server.id().to_string()]);
    run(&mut pin).assert_good();
    let over = AtomicBool::new(false);
    let mut took = thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Relaxed) {
                client(1, &server).ask(&rrq("evil", &[]));
                thread::sleep(Duration::from_millis(10));
            }
        });
        thread::sleep(Duration::from_secs(1));
        let others: Vec<_> = (0..200)
            .map(|number| {
                thread::sleep(Duration::from_millis(10));
                let mut peer = client(2, &server);
                scope.spawn(move || {
                    let began = Instant::now();
                    assert_eq!(is_served(&mut peer), Ok(()), "client {number}");
                    began.elapsed()
                })
            })
            .collect();
        let took: Vec<Duration> = others.into_iter().map(|other| other.join().unwrap()).collect();
        over.store(true, Relaxed);
        took
    });
    took.sort();
    assert!(took[took.len() / 2] < Duration::from_millis(500), "{took:?}");
}

/// What fails for one client, again and again, is called for others as before.
#[test]
fn a_name_that_fails_for_one_client_does_not_open_the_breaker() {
    let server = server("trap", "");
    let mut one = client(1, &server);
    for number in 2..6 {
        for _ in 0..15 {
            one.ask(&rrq("evil", &[]));
            one.expect_error(0);
        }
        assert_eq!(is_served(&mut client(number, &server)), Ok(()), "client {number}");
    }
}

/// It opened because the plugin failed for several clients. One of them goes on asking for the name that fails, more
/// often than all others; the back-off ends for them all the same.
#[test]
fn no_single_client_keeps_the_breaker_open() {
    let server = server("trap", "    breaker: { failures: 3, back-off: 500ms, cap: 1h }\n");
    for number in 1..4 {
        let mut peer = client(number, &server);
        peer.ask(&rrq("evil", &[]));
        peer.expect_error(0);
    }
    let opened = Instant::now();
    server.log_line("a plugin failed for too many clients in a row");
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut one = client(1, &server);
            while !over.load(Relaxed) {
                one.ask(&rrq("evil", &[]));
                one.expect_error(0);
            }
        });
        let mut other = client(9, &server);
        while is_served(&mut other).is_err() && opened.elapsed() < Duration::from_secs(20) {}
        over.store(true, Relaxed);
    });
    server.logged("a plugin works again and is called as before");
    // The first round of probes, and at most one more.
    assert!(opened.elapsed() < Duration::from_secs(5), "it took {:?}", opened.elapsed());
}

/// As many calls as may wait do, and the next is not an error: its client asks again.
#[test]
fn overload_is_answered_with_silence_and_told_once() {
    let server = server("sleep", "    limits: { instances: 2, queue: 0 }\n    on-error: deny\n");
    let mut sleeping: Vec<Peer> = (1..3).map(|number| client(number, &server)).collect();
    sleeping.iter_mut().for_each(|peer| peer.ask(&rrq("evil", &[])));
    let mut other: Vec<Peer> = (3..13).map(|number| client(number, &server)).collect();
    other.iter_mut().for_each(|peer| peer.ask(&rrq("evil", &[])));
    let line = server.log_line("a plugin is overloaded; the request gets no answer");
    assert_eq!((&line["plugin"], &line["cause"]), (&"bad".into(), &"busy".into()));
    let (mut failed, mut dropped) = (0, 0);
    for _ in 0..12 {
        let line = server.outcome("evil");
        match line["decision"].as_str() {
            Some("dropped") => dropped += 1,
            _ => failed += 1,
        }
        let detail = line["detail"].as_str().unwrap_or_default().to_owned();
        assert!(
            detail.contains("bad failed in authorize: ")
                || detail.contains("bad is overloaded in authorize: ")
        );
    }
    assert!(dropped >= 9 && failed <= 3, "{failed} failed, {dropped} dropped: {}", server.log());
    for peer in &mut other {
        assert!(!matches!(peer.receive_within(Duration::from_millis(1)), Some(Answer::Data(..))));
    }
    assert!(server.metrics().contains("cause=\"busy\""), "{}", server.metrics());
    let overloaded = "a plugin is overloaded; the request gets no answer";
    server.wait_for_log(overloaded);
    let lines = server.log().matches(overloaded).count();
    assert_eq!(lines, 1, "one line, and then sums");
}
