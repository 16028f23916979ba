//! Clients of a profile that share a rate: what they get, what others get, and where it is shown.

use crate::harness::{Answer, Peer, Server, Setup, ack, assert_moved, bytes, rrq, run};
use std::net::Ipv4Addr;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

const RATE: u64 = 20 * 1024;
const SIZE: usize = 40 * 1024;
/// The last block, without data, counts as a whole one.
const CHARGED: u64 = SIZE as u64 + 512;

fn yaml(total_rate: &str) -> String {
    format!(
        "roots: [{{ name: root, path: root }}]\nadmin: {{ address: \"127.0.0.1:0\" }}\n\
         profiles: [{{ name: branch, clients: [127.88.0.0/16], total-rate: {total_rate} }}]\n"
    )
}

fn server(total_rate: &str) -> Server {
    // At 20 KiB a second the larger one takes minutes.
    Setup::new()
        .workers(2)
        .file("file", &bytes(SIZE))
        .file("large", &bytes(100 * SIZE))
        .yaml(&yaml(total_rate))
        .start()
}

fn inside(number: u8, server: &Server) -> Peer {
    Peer::from(Ipv4Addr::new(127, 88, 0, number), server.address())
}

/// Reads until `enough`, and ends the transfer with an ERROR. Returns the bytes that it has acknowledged.
fn read_until(enough: &AtomicBool, mut peer: Peer) -> u64 {
    peer.ask(&rrq("large", &[]));
    let mut next = 1;
    loop {
        let Answer::Data(block, _) = peer.receive() else { panic!("block {next} was due") };
        if block == next && next > 1 && enough.load(Relaxed) {
            peer.send(b"\0\x05\0\x03enough\0");
            return 512 * u64::from(next - 1);
        }
        peer.send(&ack(block));
        next += u16::from(block == next);
    }
}

#[test]
fn two_clients_of_a_profile_share_its_rate_and_another_one_does_not() {
    let server = server("20KiB");
    let (began, enough) = (Instant::now(), AtomicBool::new(false));
    let (read, took) = thread::scope(|scope| {
        let clients = [1, 2].map(|number| {
            let (peer, enough) = (inside(number, &server), &enough);
            scope.spawn(move || read_until(enough, peer))
        });
        let at_its_limit = |live: &serde_json::Value| {
            let profile = &live["totals"]["profiles"][0];
            profile["transfers"] == 2 && profile["waiting"].as_u64() >= Some(1)
        };
        let live = server.live_until("that both wait for the rate", at_its_limit);
        let profile = &live["totals"]["profiles"][0];
        assert_eq!((&profile["profile"], &profile["total_rate"]), (&"branch".into(), &RATE.into()));
        let mut outside = Peer::from(Ipv4Addr::new(127, 89, 0, 1), server.address());
        assert!(outside.read_plainly("file") == bytes(SIZE));
        let profile = &server.live()["totals"]["profiles"][0];
        assert_eq!(profile["transfers"], 2, "both still run");
        enough.store(true, Relaxed);
        (clients.map(|client| client.join().unwrap()).iter().sum::<u64>(), began.elapsed())
    });
    let most = RATE as f64 * (took.as_secs_f64() + 0.1) + 512.0;
    assert!(read > 0 && read as f64 <= most, "{read} bytes in {took:?}");
    assert_moved(&server.outcome("file"), "served", SIZE, 512, 1);
    for _ in 0..2 {
        assert_eq!(server.outcome("large")["outcome"], "aborted");
    }
    let metrics = server.metrics();
    let rate = "\ntuffet_profile_total_rate_bytes_per_second{profile=\"branch\"} 20480\n";
    assert!(metrics.contains(rate), "{metrics}");
    assert!(metrics.contains("\ntuffet_profile_transfers_waiting{profile=\"branch\"} 0\n"), "{metrics}");
    let counted = metrics.lines().find_map(|line| {
        line.strip_prefix("tuffet_profile_transferred_bytes_total{profile=\"branch\"} ")?.parse::<u64>().ok()
    });
    // What is sent again counts, too, and the client outside does not.
    assert!(
        counted.is_some_and(|bytes| (read..=most as u64 + 1_024).contains(&bytes)),
        "{counted:?}, {read} read"
    );
}

/// In turns with all of them, each of its 80 blocks would wait for a second.
#[test]
fn two_hundred_transfers_of_one_address_leave_another_one_its_share() {
    let server = server("100KiB");
    let enough = AtomicBool::new(false);
    let (content, took) = thread::scope(|scope| {
        for _ in 0..200 {
            let (peer, enough) = (inside(1, &server), &enough);
            scope.spawn(move || read_until(enough, peer));
        }
        server.live_until("that they wait for the rate", |live| {
            live["totals"]["profiles"][0]["waiting"].as_u64() >= Some(150)
        });
        let began = Instant::now();
        let content = inside(2, &server).read_plainly("file");
        enough.store(true, Relaxed);
        (content, began.elapsed())
    });
    assert!(content == bytes(SIZE));
    assert!(took < Duration::from_secs(20), "{took:?}");
    assert_moved(&server.outcome("file"), "served", SIZE, 512, 1);
}

/// At the rate of before, the transfer would take 40 s.
#[test]
fn a_reload_changes_the_rate_of_running_transfers() {
    let server = server("1KiB");
    let mut peer = inside(1, &server);
    peer.ask(&rrq("file", &[]));
    assert!(matches!(peer.receive(), Answer::Data(1, _)));
    peer.send(&ack(1));
    server.live_until("its first block", |live| live["active"][0]["bytes"] == 512);
    let began = Instant::now();
    server.rewrite(&yaml("1GB"));
    server.ask("reload").assert_good();
    let rest = peer.read_on(2);
    assert!(rest == bytes(SIZE)[512..]);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert_moved(&server.outcome("file"), "served", SIZE, 512, 1);
    let profile = &server.live()["totals"]["profiles"][0];
    assert_eq!(profile["total_rate"], 1_000_000_000);
    assert!(profile["bytes"].as_u64() >= Some(CHARGED), "{profile}");
}

#[test]
fn explain_names_the_profile() {
    let server = server("20KiB");
    let explained = |client| {
        let mut explain = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        explain.args(["explain", "--live", "--control"]).arg(server.outside().0.join("control"));
        explain.args(["--client", client, "--option", "blksize=65464", "--option", "windowsize=64", "file"]);
        let ran = run(&mut explain);
        ran.assert_good();
        String::from_utf8(ran.stdout).unwrap()
    };
    let text = explained("127.88.0.1");
    assert!(
        text.contains("together with all clients of profile branch at most 20480 bytes per second\n"),
        "{text}"
    );
    assert!(text.contains("blksize=1468 windowsize=6"), "half a second for a window\n{text}");
    let text = explained("127.89.0.1");
    assert!(!text.contains("together") && text.contains("blksize=65464"), "{text}");
}
