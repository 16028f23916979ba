//! Content that a plugin makes in parts while clients read it.

use crate::harness::{Answer, Client, Options, Peer, Server, Setup, ack, rrq};
use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};

/// Clients that ask at once, each from an address of its own.
const CLIENTS: u32 = 20;

/// A server whose plugin makes this of every request; `grants` beside `kv`.
fn server(render: &str, limits: &str, grants: &str) -> Server {
    let guest = tuffet_test_guests::component("reference");
    let yaml = format!(
        "roots: [{{ name: boot, path: root }}]\nworkers: 1\nstate: state\npolicy: {{ resolve: [maker], time-limit: 30s }}\n\
         plugins:\n  maker:\n    component: {guest:?}\n    grants: [kv{grants}]\n    breaker: {{ failures: 100 }}\n    limits: \
         {{ time: 20s, wall: 40s{limits} }}\n    settings:\n      rules: [{{ hook: resolve, path: \"*\", answer: {{ serve: {{ candidates: [{{ rendering: image }}] }} }} }}]\n      renders: {{ image: {render} }}\n"
    );
    Setup::new().file("small", b"small").yaml(&yaml).start()
}

/// What the plugin makes.
fn made(size: usize) -> Vec<u8> {
    (0..size as u64).map(|at| (at % 251) as u8).collect()
}

/// Calls of the plugin so far.
fn calls(server: &Server) -> u64 {
    let metrics = server.metrics();
    let line = metrics.lines().find(|line| line.starts_with("tuffet_plugin_calls_total{"));
    line.and_then(|line| line.rsplit_once(' ')?.1.parse().ok()).unwrap_or_default()
}

#[test]
fn content_larger_than_a_plugin_may_hold() {
    const SIZE: usize = 30_000_000;
    // One part at a time fits.
    let server = server("{ parts: 30000000, name: image }", ", content: 512KiB, memory: 8MiB", "");
    let options = Options { blksize: Some(1428), windowsize: Some(16), ..Options::default() };
    assert!(Client::Tuffet.get(server.address(), "a", options) == made(SIZE));
    let line = server.outcome("a");
    assert_eq!(
        (&line["outcome"], &line["resolved"]),
        (&"served".into(), &"content/image".into()),
        "{line:#}"
    );

    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("b", &[("tsize", "0")]));
    peer.expect(Answer::Oack(format!("tsize={SIZE}")));
}

#[test]
fn netascii_is_encoded_on_the_way() {
    let server = server("{ parts: 2000000 }", "", "");
    let options = Options { netascii: true, ..Options::default() };
    assert!(Client::Tuffet.get(server.address(), "a", options) == made(2_000_000));
}

/// Waits for the plugin to ask for its next part.
fn asked(listener: &TcpListener) -> TcpStream {
    let (stream, _) = listener.accept().unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while line != "\r\n" {
        line.clear();
        assert!(reader.read_line(&mut line).unwrap() > 0);
    }
    reader.into_inner()
}

fn answer(mut stream: TcpStream) {
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
}

#[test]
fn blocks_move_while_the_rest_is_made_and_all_clients_share_it() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let render =
        format!("{{ parts: 1536, part-bytes: 512, each-part: [[get, \"http://127.0.0.1:{port}/\", 9]] }}");
    let server = server(&render, "", &format!(", \"http/127.0.0.1:{port}\""));
    let mut peers: Vec<Peer> = (1..=CLIENTS)
        .map(|number| IpAddr::from(Ipv4Addr::from(0x7f01_0000 + number)))
        .map(|address| Peer::from(address, server.address()))
        .collect();
    peers.iter_mut().for_each(|peer| peer.ask(&rrq("image", &[])));
    let content = made(1536);
    for (number, block) in (1..).zip(content.chunks(512)) {
        answer(asked(&listener));
        for peer in &mut peers {
            peer.expect(Answer::Data(number, block.to_vec()));
            peer.send(&ack(number));
        }
    }
    for peer in &mut peers {
        peer.expect(Answer::Data(4, Vec::new()));
        peer.send(&ack(4));
    }
    for _ in &peers {
        assert_eq!(server.outcome("image")["outcome"], "served");
    }
    assert_eq!(calls(&server), u64::from(CLIENTS) + 1 + 3, "one rendering for all");
}

#[test]
fn a_failure_in_the_middle_is_an_error_and_the_next_client_begins_anew() {
    let server = server("{ parts: 2048, part-bytes: 512, ends-at: 1024 }", "", "");
    for name in ["first", "second"] {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq(name, &[]));
        for (number, block) in (1..=2).zip(made(1024).chunks(512)) {
            peer.expect(Answer::Data(number, block.to_vec()));
            peer.send(&ack(number));
        }
        peer.expect_error(0);
        let line = server.outcome(name);
        assert_eq!(line["outcome"], "failed", "{line:#}");
        let detail = line["detail"].as_str().unwrap_or_default();
        let why = "plugin maker failed in render: it refused the part at byte 1024: on purpose";
        assert!(detail.contains(why), "{line:#}");
        assert!(!server.log().contains("a plugin failed"), "the line of the request is the only one");
    }
}

/// A client that asks again finds room when the others have ended.
#[test]
fn without_room_a_request_gets_no_answer() {
    let server = server("{ parts: 20000, ttl-seconds: 0 }", ", parts: 30000B", "");
    let mut first = Peer::new(server.address());
    first.ask(&rrq("first", &[]));
    first.expect(Answer::Data(1, made(512)));
    let mut second = Peer::new(server.address());
    second.ask(&rrq("second", &[]));
    let line = server.outcome("second");
    assert_eq!(line["outcome"], "failed", "{line:#}");
    assert!(line["detail"].as_str().unwrap_or_default().contains("limits.parts"), "{line:#}");
    first.send(&crate::harness::error(0, "enough"));
    assert_eq!(server.outcome("first")["outcome"], "probed");
    assert!(Client::Tuffet.get(server.address(), "third", Options::default()) == made(20_000));
}
