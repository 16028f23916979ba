//! Datagrams from port 0: nothing can be sent there, and nothing is to be learnt from trying.

use super::setup;
use crate::harness::{Answer, Raw, Server, ack, bytes, rrq};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::os::fd::AsFd;
use std::time::Duration;
use tuffet_udp::{BindOptions, ReceiveBatch, Socket};

const SIZE: usize = 100_000;

/// The most datagrams of a transfer that came in one buffer (UDP_GRO): over loopback these are the segments of one
/// message, as the server handed it to the kernel.
fn segments_at_once(server: &Server) -> usize {
    let options = BindOptions { gro: true, ..BindOptions::default() };
    let socket = Socket::bind("127.0.0.1:0".parse().unwrap(), options).unwrap();
    let sender = UdpSocket::from(socket.as_fd().try_clone_to_owned().unwrap());
    let name = SIZE.to_string();
    sender.send_to(&rrq(&name, &[("blksize", "1000"), ("windowsize", "16")]), server.address()).unwrap();
    let (mut batch, mut most, mut content) = (ReceiveBatch::new(), 0, Vec::new());
    while content.len() < SIZE {
        wait(&socket);
        batch.fill(&socket).unwrap();
        for received in (0..batch.len()).filter_map(|index| batch.get(index)) {
            most = most.max(received.datagrams().count());
            for datagram in received.datagrams() {
                match Answer::read(datagram) {
                    Answer::Oack(_) => drop(sender.send_to(&ack(0), received.peer).unwrap()),
                    Answer::Data(block, payload) => {
                        content.extend(payload);
                        if block % 16 == 0 || content.len() == SIZE {
                            sender.send_to(&ack(block), received.peer).unwrap();
                        }
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
    }
    assert!(content == bytes(SIZE));
    server.outcome(&name);
    most
}

fn wait(socket: &Socket) {
    let mut ready = [rustix::event::PollFd::new(socket, rustix::event::PollFlags::IN)];
    let patience = rustix::event::Timespec { tv_sec: 60, tv_nsec: 0 };
    assert_eq!(rustix::event::poll(&mut ready, Some(&patience)), Ok(1), "no answer");
}

#[test]
fn they_are_dropped_and_counted_and_change_nothing() {
    let Some(raw) = Raw::udp(Ipv4Addr::LOCALHOST) else { return };
    // No block is sent twice.
    let times = "transfer: { retransmit: { floor: 20s, initial: 20s, cap: 20s, give-up: 5m } }\n";
    let server = setup().sizes(&[SIZE]).workers(1).rest_of_yaml(times).start();
    assert!(segments_at_once(&server) > 1);
    let count = 32;
    for number in 0..count {
        let request = if number % 2 == 0 { rrq("good", &[]) } else { b"garbage".to_vec() };
        raw.send_from(0, server.address(), &request);
    }
    let from_port_0 = |live: &serde_json::Value| {
        let rows = live["totals"]["dropped"].as_array().unwrap();
        let row = rows.iter().find(|row| row["reason"] == "port-0");
        row.map_or(0, |row| row["count"].as_u64().unwrap())
    };
    server.live_until("all of them", |live| from_port_0(live) == count);
    assert!(segments_at_once(&server) > 1, "windows still go out as one message");
    assert_eq!(server.stop().len(), 0, "none of them began a transfer");
}

/// The port of the datagram is what counts, not where it came in.
#[test]
fn also_on_tid_ports() {
    let Some(raw) = Raw::udp(Ipv4Addr::LOCALHOST) else { return };
    let server = setup().start();
    let peer = UdpSocket::bind("127.0.0.1:0").unwrap();
    peer.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    peer.send_to(&rrq("good", &[]), server.address()).unwrap();
    let mut room = [0; 600];
    let (_, tid): (usize, SocketAddr) = peer.recv_from(&mut room).unwrap();
    raw.send_from(0, tid, &ack(1));
    peer.send_to(&ack(1), tid).unwrap();
    assert_eq!(server.outcome("good")["outcome"], "served");
    server.live_until("it is counted", |live| {
        live["totals"]["dropped"]
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row["reason"] == "port-0" && row["count"] == 1)
    });
}
