//! Honest clients beside a flood.

use super::HONEST;
use crate::harness::{
    Answer, Flood, Peer, SOON, SUMMED, Server, Setup, ack, bytes, data, request, rrq, wait_until, wrq,
};
use std::time::{Duration, Instant};

fn server(limits: &str) -> Server {
    let root = "roots: [{ name: root, path: root, writable: true }]";
    Setup::new()
        .sizes(&[5000])
        .yaml(&format!("{root}\nworkers: 2\nlimits: {{ {limits} }}\n"))
        .flag("--log")
        // The lines for each request of a flood are of no interest.
        .flag("info,tuffet::transfer=error")
        .start()
}

/// A typical client: repeats its request after a while, and answers each block.
fn fetch(server: &Server) -> Vec<u8> {
    let mut peer = Peer::from(HONEST, server.address());
    let end = Instant::now() + SOON;
    let (mut content, mut next) = (Vec::new(), 1);
    peer.ask(&rrq("5000", &[]));
    loop {
        assert!(Instant::now() < end, "not served: {} bytes so far", content.len());
        match peer.receive_within(Duration::from_millis(300)) {
            Some(Answer::Data(block, payload)) if block == next => {
                content.extend_from_slice(&payload);
                peer.send(&ack(block));
                next += 1;
                if payload.len() < 512 {
                    return content;
                }
            }
            Some(Answer::Data(block, _)) => peer.send(&ack(block)),
            Some(other) => panic!("{other:?}"),
            // The request, or its answer, was lost.
            None if next == 1 => peer.ask(&rrq("5000", &[])),
            None => peer.send(&ack(next - 1)),
        }
    }
}

/// Runs honest transfers until the flood has sent at least as many packets as there are places.
#[track_caller]
fn assert_served_beside(server: &Server, flood: &Flood) {
    let mut fetched = 0;
    while fetched < 10 || flood.sent() < 2_000 {
        assert_eq!(fetch(server), bytes(5000));
        fetched += 1;
    }
}

#[test]
fn half_open_from_many_addresses() {
    // A half-open transfer stays for half a second, so that honest clients on a busy machine have time to answer.
    let server = server("transfers: 2000, half-open: 1000, open-time: 60s");
    let before = (threads(&server), server.descriptors());
    let flood = Flood::start(server.address(), rrq("5000", &[]), 2_000, 1 << 20);
    server.live_until("room that was made", |live| live["totals"]["gave_way"].as_u64() > Some(0));
    assert_served_beside(&server, &flood);
    // A socket per possible transfer; files are open only briefly.
    let (threads, descriptors) = (threads(&server), server.descriptors());
    assert!(threads <= before.0 + MOST_THREADS, "{threads} threads, {} before", before.0);
    let most = before.1 + 2 * 2_000 + MOST_THREADS;
    assert!(descriptors <= most, "{descriptors} descriptors, {} before", before.1);
}

/// Threads that decide, and those that open files of a root: where the kernel lets running ones wait, all of them are
/// started, however fast the disk is. Far fewer than requests.
const MOST_THREADS: usize = 64 + 32;

/// The log must not fail next: few lines for many transfers, which are all counted and reported to observers.
#[test]
fn half_open_transfers_of_a_flood_are_summed_up() {
    let server = Setup::new()
        .sizes(&[5000])
        .rest_of_yaml(
            "limits: { transfers: 100, half-open: 20, open-time: 60s }\npolicy: { observe: [audit] }\nplugins: { audit: { component: \
             \"builtin:audit\", settings: { sink: lines }, grants: [kv, sinks/lines] } }\nsinks: { lines: { file: \
             audit.jsonl } }\nstate: state\n",
        )
        .start();
    let flood = Flood::start(server.address(), rrq("5000", &[]), 1_000, 1 << 20);
    server.live_until("a flood", |live| live["totals"]["unanswered"].as_u64() > Some(500));
    drop(flood);
    // A request that is not decided when the server stops has another outcome.
    server.live_until("no pending request", |live| live["totals"]["queues"]["decisions"] == 0);
    let metrics = server.metrics();
    let name = "tuffet_transfers_unanswered_total ";
    let so_far: u64 = metrics.lines().find_map(|line| line.strip_prefix(name)).unwrap().parse().unwrap();
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
    let told = server.unread();
    let of = |message: &str| -> Vec<_> { told.iter().filter(|line| line["message"] == message).collect() };
    let (lines, sums) = (of("transfer"), of(SUMMED));
    let sum = |field: &str| -> u64 { sums.iter().map(|line| line[field].as_u64().unwrap()).sum() };
    let totals = of("totals")[0];
    let counted = totals["unanswered"].as_u64().unwrap();
    // The port of the flood is closed at its end.
    let ended = totals["timed_out"].as_u64().unwrap() + totals["probed"].as_u64().unwrap();
    assert_eq!((&totals["admitted"], ended), (&counted.into(), counted), "{totals:#}");
    assert!((501..=counted).contains(&so_far), "{so_far} of {counted}");
    assert_eq!(lines.len() as u64 + sum("ended"), counted, "{} lines, {} sums", lines.len(), sums.len());
    assert!(sum("ended") > 0 && sum("gave_way") > 0 && sum("gave_way") <= sum("ended"), "{sums:?}");
    let audited = server.outside().read("audit.jsonl");
    let audited = String::from_utf8(audited).unwrap();
    let ended = |line: &&str| line.contains("timed-out") || line.contains("probed");
    assert_eq!(audited.lines().filter(ended).count() as u64, counted);
}

fn threads(server: &Server) -> usize {
    std::fs::read_dir(format!("/proc/{}/task", server.id())).unwrap().count()
}

#[test]
fn uploads_to_one_name_from_many_addresses() {
    let server = server("transfers: 500, half-open: 200, uploads-per-name: 4");
    let flood = Flood::start(server.address(), wrq("same", &[]), 2_000, 1 << 20);
    assert_served_beside(&server, &flood);
    let parts = server.root().names().iter().filter(|name| name.ends_with(".part")).count();
    // The transfer that made room is cleaned up a moment later.
    assert!(parts <= 16, "{parts} files of 4 uploads");
}

#[test]
fn requests_from_one_address() {
    // The flood has 16 ports, and a repeated request of a transfer is no new one: a higher rate takes a fast machine.
    let server = server("transfers: 500, per-client: { transfers: 50, pending: 20, per-second: 1 }");
    let flood = Flood::start(server.address(), rrq("5000", &[]), 8_000, 1);
    assert_served_beside(&server, &flood);
    wait_until("a request of the flood is above the rate of its address", || {
        let metrics = server.metrics();
        let line = metrics.lines().find(|line| line.contains("limit-client-per-second")).unwrap();
        !line.ends_with(" 0")
    });
    drop(flood);
}

/// They take all places with just enough progress to stay: each is ended for that, and waiting clients are
/// served.
#[test]
fn slow_readers_and_endless_uploads() {
    const PLACES: u8 = 40;
    let server = Setup::new()
        .sizes(&[5000])
        .file("long", &bytes(4 << 20))
        .yaml(&format!(
            "roots: [{{ name: root, path: root, writable: true }}]\nworkers: 1\nlimits: {{ transfers: {PLACES}, half-open: {PLACES} }}\n\
             transfer: {{ least-rate: 1MiB, retransmit: {{ floor: 100ms, initial: 500ms, cap: 1s, give-up: 1s }} }}\n"
        ))
        .start();
    let mut slow: Vec<Peer> =
        (1..=PLACES).map(|last| Peer::from([127, 201, 2, last], server.address())).collect();
    for (number, peer) in slow.iter_mut().enumerate() {
        let name = format!("up-{number}");
        peer.ask(&if number % 2 == 0 { rrq("long", &[]) } else { wrq(&name, &[]) });
    }
    std::thread::scope(|scope| {
        let honest = scope.spawn(|| fetch(&server));
        let end = Instant::now() + SOON;
        let mut ended = 0;
        while !slow.is_empty() {
            assert!(Instant::now() < end, "{} of them go on and on", slow.len());
            slow.retain_mut(|peer| match peer.receive_within(Duration::from_millis(1)) {
                Some(Answer::Data(block, _)) => {
                    peer.send(&ack(block));
                    true
                }
                Some(Answer::Ack(block)) => {
                    peer.send(&data(block + 1, &[b'x'; 512]));
                    true
                }
                Some(Answer::Error(0, text)) => {
                    assert_eq!(text, "the transfer is too slow");
                    ended += 1;
                    false
                }
                Some(other) => panic!("{other:?}"),
                None => true,
            });
            // Each of them moves at most 25 KiB per second.
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(ended, PLACES);
        assert_eq!(honest.join().unwrap(), bytes(5000));
    });
    // A client has its ERROR before its file is removed.
    wait_until("nothing is left of the uploads", || server.root().names() == ["5000", "long"]);
    assert_eq!(fetch(&server), bytes(5000));
}

#[test]
fn names_of_64_kilobytes() {
    let server = server("errors-per-second: 10");
    let name = vec![b'n'; 65_507 - b"\0\x01\0octet\0".len()];
    let flood = Flood::start(server.address(), request(1, &name, b"octet", &[]), 2_000, 1 << 16);
    assert_served_beside(&server, &flood);
}
