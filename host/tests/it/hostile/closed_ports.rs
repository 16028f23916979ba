//! Clients that are gone, which their hosts report by ICMP; and reports that others forge.

use super::{assert_still_serves, setup};
use crate::harness::{Answer, Raw, Server, ack, bytes, rrq, wrq};
use serde_json::Value;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::time::Duration;

/// A server that gives up on nobody while a test runs.
fn patient(single_port: bool) -> Server {
    let setup = setup().sizes(&[500_000]).yaml(
        "roots: [{ name: boot, path: root, writable: true }]\nworkers: 1\n\
         transfer: { retransmit: { floor: 100ms, initial: 200ms, cap: 1s, give-up: 10m } }",
    );
    if single_port { setup.single_port() } else { setup }.start()
}

fn client(address: Ipv4Addr) -> UdpSocket {
    let socket = UdpSocket::bind((address, 0)).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    socket
}

fn receive(socket: &UdpSocket) -> (Answer, SocketAddr) {
    let mut room = [0; 2_000];
    let (length, from) = socket.recv_from(&mut room).unwrap();
    (Answer::read(&room[..length]), from)
}

#[track_caller]
fn assert_closed(line: &Value, outcome: &str) {
    let detail = line["detail"].as_str().unwrap_or_default();
    assert_eq!(line["outcome"], outcome, "{line:#}");
    assert!(detail.starts_with("the client has closed its port"), "{line:#}");
    assert!(detail.contains("(ICMP port unreachable)"), "{line:#}");
}

#[test]
fn a_transfer_ends_when_its_client_is_gone() {
    for single_port in [false, true] {
        let server = patient(single_port);
        // Before it has answered anything.
        for (request, path) in [
            (rrq("500000", &[]), "500000"),
            (rrq("500000", &[("windowsize", "8")]), "500000"),
            (wrq("upload", &[]), "upload"),
            (wrq("upload", &[("blksize", "1000")]), "upload"),
        ] {
            client(Ipv4Addr::LOCALHOST).send_to(&request, server.address()).unwrap();
            // A monitor reads so.
            let outcome = if path == "upload" { "timed-out" } else { "probed" };
            let line = server.outcome(path);
            assert_closed(&line, outcome);
            // Answers from TID ports alone may end so at a mapping of ports.
            let names_mappings = line["detail"].as_str().unwrap().contains("needs `single-port`");
            assert_eq!(names_mappings, outcome == "probed" && !single_port, "{line:#}");
        }
        // In the middle.
        let socket = client(Ipv4Addr::LOCALHOST);
        socket.send_to(&rrq("500000", &[("windowsize", "8")]), server.address()).unwrap();
        let (answer, tid) = receive(&socket);
        assert_eq!(answer, Answer::Oack("windowsize=8".into()));
        socket.send_to(&ack(0), tid).unwrap();
        assert!(matches!(receive(&socket).0, Answer::Data(..)));
        socket.send_to(&ack(8), tid).unwrap();
        drop(socket);
        let line = server.outcome("500000");
        assert_closed(&line, "timed-out");
        assert_eq!(line["bytes"], 8 * 512);
        assert_still_serves(&server);
        assert_eq!(server.stop().len(), 0);
        assert_eq!(server.root().names(), ["500000", "good"], "nothing is left of uploads");
    }
}

/// Reports by others than the client's host, and of what is not on its way.
#[test]
fn forged_reports_end_nothing() {
    let address = Ipv4Addr::new(127, 0, 0, 8);
    let (Some(stranger), Some(its_host)) = (Raw::icmp(Ipv4Addr::new(127, 0, 0, 9)), Raw::icmp(address))
    else {
        return;
    };
    let server = patient(false);
    let socket = client(address);
    let peer = socket.local_addr().unwrap();
    socket.send_to(&rrq("500000", &[("windowsize", "8")]), server.address()).unwrap();
    let tid = receive(&socket).1;
    let mut content = Vec::new();
    stranger.unreachable(tid, peer, b"\0\x06windowsize");
    socket.send_to(&ack(0), tid).unwrap();
    let mut block = 1_u16;
    while content.len() < 500_000 {
        let (answer, _) = receive(&socket);
        let Answer::Data(number, payload) = answer else { panic!("{answer:?}") };
        if number != block {
            continue;
        }
        content.extend(payload);
        if block.is_multiple_of(8) || content.len() == 500_000 {
            // What is on its way now, reported by somebody else; and by its host, what is not.
            let [high, low] = (block + 1).to_be_bytes();
            stranger.unreachable(tid, peer, &[0, 3, high, low]);
            let [high, low] = (block + 1_000).to_be_bytes();
            its_host.unreachable(tid, peer, &[0, 3, high, low]);
            its_host.unreachable(tid, peer, b"");
            socket.send_to(&ack(block), tid).unwrap();
        }
        block += 1;
    }
    assert!(content == bytes(500_000));
    assert_eq!(server.outcome("500000")["outcome"], "served");
}
