//! Limits on concurrency.

use super::{GREEDY, HONEST, acknowledge_one, assert_served, reading, server, until_dropped, yaml};
use crate::harness::Setup;
use crate::harness::{Answer, Peer, ack, assert_ended, bytes, data, error, rrq, wait_until, wrq};
use std::time::Duration;

/// Packets sent before the server's last message have arrived.
const NOW: Duration = Duration::from_millis(1);
use crate::policy::misbehave;

/// One address has its share, whichever workers its ports reach, and gets no more until it gives some back.
#[test]
fn one_client_has_so_many_transfers() {
    let server = server("transfers: 100, per-client: { transfers: 5 }");
    let taken: Vec<Peer> = (0..5).map(|_| reading(GREEDY, &server)).collect();
    let mut more: Vec<Peer> = (0..15).map(|_| Peer::from(GREEDY, server.address())).collect();
    more.iter_mut().for_each(|peer| peer.ask(&rrq("5000", &[])));
    until_dropped(&server, "limit-client-transfers", 15);
    assert_served(HONEST, &server);
    assert_eq!(server.outcome("5000")["outcome"], "served");
    taken[0].send(&error(0, "enough"));
    assert_eq!(server.outcome("5000")["outcome"], "probed");
    more[0].ask(&rrq("5000", &[]));
    acknowledge_one(&mut more[0]);
    let metrics = server.metrics();
    let line = "tuffet_datagrams_dropped_total{reason=\"limit-client-transfers\"} 15";
    assert!(metrics.contains(line), "{metrics}");
}

/// Slow decisions of one client leave room for those of others.
#[test]
fn one_client_has_so_many_pending() {
    let bad = misbehave();
    let server = Setup::new()
        .sizes(&[5000])
        .file("slow", b"content")
        .rest_of_yaml(&format!(
            "workers: 2\nlimits: {{ per-client: {{ pending: 2 }} }}\n\
             policy: {{ authorize: [sleeps], time-limit: 30s }}\nplugins:\n  sleeps: {{ component: \"{bad}\", limits: \
             {{ wall: 5s }}, settings: {{ do: sleep, when: slow }} }}\n"
        ))
        .start();
    let mut peers: Vec<Peer> = (0..6).map(|_| Peer::from(GREEDY, server.address())).collect();
    peers.iter_mut().for_each(|peer| peer.ask(&rrq("slow", &[])));
    until_dropped(&server, "limit-client-pending", 4);
    assert_served(HONEST, &server);
    // After their decisions, there is room again.
    for _ in 0..2 {
        server.outcome("slow");
    }
    assert_served(GREEDY, &server);
}

/// Clients that answer keep their places, however many requests come; a place given back goes to the next
/// request.
#[test]
fn all_have_so_many_transfers() {
    let server = server("transfers: 10, half-open: 10");
    // Each worker has half of the places, and gets more requests than that.
    let mut peers: Vec<Peer> =
        (1..=40).map(|last| Peer::from([127, 201, 1, last], server.address())).collect();
    peers.iter_mut().for_each(|peer| peer.ask(&rrq("5000", &[])));
    until_dropped(&server, "limit-transfers", 30);
    let (mut taken, mut waiting) = (Vec::new(), peers);
    wait_until("ten transfers have begun", || {
        for mut peer in std::mem::take(&mut waiting) {
            if peer.receive_within(NOW).is_some() { &mut taken } else { &mut waiting }.push(peer);
        }
        taken.len() >= 10
    });
    assert_eq!(taken.len(), 10);
    for peer in &mut taken {
        peer.send(&ack(1));
        peer.expect(Answer::Data(2, bytes(5000)[512..1024].to_vec()));
    }
    let mut peer = Peer::from(HONEST, server.address());
    peer.ask(&rrq("5000", &[]));
    until_dropped(&server, "limit-transfers", 31);
    taken.iter().for_each(|peer| peer.send(&error(0, "enough")));
    for _ in &taken {
        assert_eq!(server.outcome("5000")["outcome"], "probed");
    }
    assert_served(HONEST, &server);
}

/// Slow decisions for many clients: requests over the limit are dropped, and clients that repeat them are
/// served when there is room.
#[test]
fn all_have_so_many_pending() {
    let bad = misbehave();
    let server = Setup::new()
        .sizes(&[5000])
        .file("slow", b"content")
        .rest_of_yaml(&format!(
            "workers: 1\nlimits: {{ pending: 3 }}\npolicy: {{ authorize: [sleeps], time-limit: 30s }}\nplugins:\n  \
             sleeps: {{ component: \"{bad}\", limits: {{ wall: 5s }}, settings: {{ do: sleep, when: slow }} }}\n"
        ))
        .start();
    let mut peers: Vec<Peer> =
        (1..=8).map(|last| Peer::from([127, 201, 1, last], server.address())).collect();
    peers.iter_mut().for_each(|peer| peer.ask(&rrq("slow", &[])));
    until_dropped(&server, "limit-pending", 5);
    let mut peer = Peer::from(HONEST, server.address());
    peer.ask(&rrq("5000", &[]));
    until_dropped(&server, "limit-pending", 6);
    for _ in 0..3 {
        server.outcome("slow");
    }
    assert_served(HONEST, &server);
    let metrics = server.metrics();
    let line = "tuffet_datagrams_dropped_total{reason=\"limit-pending\"} 6";
    assert!(metrics.contains(line), "{metrics}");
}

/// A limit is tightened without a restart, and active transfers stay counted.
#[test]
fn a_reload_tightens_and_loosens() {
    let server = server("transfers: 100");
    let _taken: Vec<Peer> = (0..5).map(|_| reading(GREEDY, &server)).collect();
    server.rewrite(&yaml("transfers: 100, per-client: { transfers: 5 }"));
    server.ask("reload").assert_good();
    let mut peer = Peer::from(GREEDY, server.address());
    peer.ask(&rrq("5000", &[]));
    until_dropped(&server, "limit-client-transfers", 1);
    server.rewrite(&yaml("transfers: 100, per-client: { transfers: 6 }"));
    server.ask("reload").assert_good();
    peer.ask(&rrq("5000", &[]));
    acknowledge_one(&mut peer);
}

/// The places of clients that never answer go to those that do: at their own limit, and if there are no other
/// places.
#[test]
fn the_oldest_who_has_not_answered_makes_room() {
    let server = server("transfers: 100, half-open: 4");
    // Each worker has half of the places, and gets more requests than that.
    let mut silent: Vec<Peer> = (0..40).map(|_| Peer::from(GREEDY, server.address())).collect();
    silent.iter_mut().for_each(|peer| peer.ask(&rrq("5000", &[])));
    for _ in 0..36 {
        let line = server.outcome("5000");
        assert_eq!((&line["outcome"], &line["bytes"]), (&"timed-out".into(), &0.into()), "{line:#}");
        assert!(line["detail"].as_str().unwrap().contains("`limits.half-open`"), "{line:#}");
    }
    let live = server.live_until("those who wait", |live| live["totals"]["half_open"] == 4);
    assert_eq!(live["totals"]["gave_way"], 36);
    let _answered: Vec<Peer> = (0..20).map(|_| reading(HONEST, &server)).collect();
    assert_served(HONEST, &server);
    let metrics = server.metrics();
    assert!(metrics.contains("tuffet_transfers_half_open"), "{metrics}");
    assert!(metrics.contains("tuffet_transfers_gave_way_total"), "{metrics}");
}

/// Concurrent uploads to one name, each with a file of its own. One address gets its share of the places, and silence
/// beyond it; others get theirs, and another name is free.
#[test]
fn uploads_to_one_name() {
    let server = server("transfers: 100, half-open: 100, uploads-per-name: 3");
    let mut peers: Vec<Peer> = (0..30).map(|_| Peer::from(GREEDY, server.address())).collect();
    let mut writing = Vec::new();
    let share = "2 uploads of this client to this name are running, its share of `limits.uploads-per-name`";
    for mut peer in peers.drain(..) {
        peer.ask(&wrq("same", &[]));
        if writing.len() < 2 {
            peer.expect(Answer::Ack(0));
            writing.push(peer);
            continue;
        }
        let line = server.outcome("same");
        assert_ended(&line, "denied", share);
        assert_eq!(
            (&line["decision"], line["client"].as_str().is_some_and(|its| its.starts_with("127.201.0.1"))),
            (&"dropped".into(), true)
        );
        assert_eq!(peer.receive_within(NOW), None);
    }
    let parts = || server.root().names().iter().filter(|name| name.ends_with(".part")).count();
    assert_eq!(parts(), 2);
    let mut honest = Peer::from(HONEST, server.address());
    honest.ask(&wrq("same", &[]));
    honest.expect(Answer::Ack(0));
    assert_eq!(parts(), 3);
    honest.write_on(b"its own", 512);
    assert_eq!(server.outcome("same")["outcome"], "stored");
    let mut other = Peer::from(HONEST, server.address());
    other.ask(&wrq("other", &[]));
    other.expect(Answer::Ack(0));
    other.write_on(b"content", 512);
    let mut last = writing.pop().unwrap();
    last.send(&data(1, b"whole"));
    last.expect(Answer::Ack(1));
    other.ask(&wrq("same", &[]));
    other.expect(Answer::Ack(0));
}
