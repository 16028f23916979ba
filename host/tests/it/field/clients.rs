//! Clients that ask again, acknowledge too little, or leave early.

use crate::harness::{Answer, Peer, SOON, Server, Setup, ack, assert_ended, bytes, data, rrq, wrq};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

/// Loaders that seek read a few blocks, and ask for the same file again from the same port.
#[test]
fn a_loader_that_seeks_is_served_from_the_start_at_once() {
    for setup in [Setup::new(), Setup::new().single_port()] {
        let server = setup.file("kernel", &bytes(20_000)).start();
        let mut loader = Peer::new(server.address());
        for _ in 0..5 {
            let began = Instant::now();
            loader.ask(&rrq("kernel", &[]));
            for block in 1..=3_u16 {
                loader.expect(Answer::Data(
                    block,
                    bytes(20_000)[usize::from(block - 1) * 512..][..512].to_vec(),
                ));
                // Its processor is slower than the copies that networks make.
                std::thread::sleep(Duration::from_millis(15));
                loader.send(&ack(block));
            }
            // It is on its way already, and the loader drops it.
            loader.receive();
            assert!(began.elapsed() < Duration::from_millis(900), "{:?}", began.elapsed());
        }
    }
}

fn with_a_file(size: usize) -> Server {
    Setup::new().file("file", &bytes(size)).start()
}

/// Some boot ROMs have the file when its last block arrives, and never say so. The next request follows from another port.
#[test]
fn a_file_is_served_without_its_last_ack() {
    let server = with_a_file(1_000);
    let mut rom = Peer::strict(server.address());
    rom.ask(&rrq("file", &[]));
    rom.expect(Answer::Data(1, bytes(1_000)[..512].to_vec()));
    rom.send(&ack(1));
    let last = Answer::Data(2, bytes(1_000)[512..].to_vec());
    // The block, and three copies.
    for _ in 0..4 {
        rom.expect(last.clone());
    }
    let line = server.outcome("file");
    assert_ended(&line, "served", "the ACK of the last block is missing");
    assert_eq!(line["level"], "INFO", "{line:#}");
    assert_eq!(line["retransmissions"], 3, "{line:#}");
    assert_eq!(rom.receive_within(Duration::from_millis(100)), None);
    // A ROM that lacks the last block after all learns that it must ask again.
    rom.send(&ack(1));
    assert_eq!(rom.expect_error(5), "the transfer has ended");
}

#[test]
fn a_file_is_served_without_its_last_ack_when_its_client_asks_for_another() {
    let server = Setup::new().file("file", &bytes(1_000)).file("next", b"next").start();
    let mut rom = Peer::new(server.address());
    rom.ask(&rrq("file", &[]));
    rom.expect(Answer::Data(1, bytes(1_000)[..512].to_vec()));
    rom.send(&ack(1));
    rom.expect(Answer::Data(2, bytes(1_000)[512..].to_vec()));
    rom.ask(&rrq("next", &[]));
    rom.expect(Answer::Data(1, b"next".to_vec()));
    assert_ended(&server.outcome("file"), "served", "the ACK of the last block is missing");
}

/// A monitor takes the first packet and closes its port: that is no alarm.
#[test]
fn a_monitor_is_no_failure() {
    for (size, options) in [(100, &[][..]), (5_000, &[]), (5_000, &[("tsize", "0")])] {
        let server = with_a_file(size);
        let mut monitor = Peer::new(server.address());
        monitor.ask(&rrq("file", options));
        monitor.receive();
        drop(monitor);
        let line = server.outcome("file");
        assert_ended(&line, "probed", "closed its port");
        assert_ne!(line["level"], "WARN", "{line:#}");
    }
}

/// A client that goes on after it was given up is told so, for blocks as for ACKs.
#[test]
fn what_comes_after_the_end_is_answered() {
    let hasty = "transfer: { retransmit: { cap: 250ms, give-up: 1s } }\n";
    let server = Setup::new().writable().rest_of_yaml(hasty).file("file", &bytes(5_000)).start();
    let mut reader = Peer::new(server.address());
    reader.ask(&rrq("file", &[]));
    reader.expect(Answer::Data(1, bytes(5_000)[..512].to_vec()));
    reader.send(&ack(1));
    reader.expect(Answer::Data(2, bytes(5_000)[512..1_024].to_vec()));
    assert_ended(&server.outcome("file"), "timed-out", "silent after block 1");
    reader.send(&ack(2));
    assert_eq!(reader.expect_error(5), "the transfer has ended");
    let mut writer = Peer::new(server.address());
    writer.ask(&wrq("up", &[]));
    writer.expect(Answer::Ack(0));
    writer.send(&data(1, &[7; 512]));
    writer.expect(Answer::Ack(1));
    assert_ended(&server.outcome("up"), "timed-out", "silent after block 1");
    writer.send(&data(2, &[7; 512]));
    assert_eq!(writer.expect_error(5), "the transfer has ended");
}

/// A network controller with a ring of two packets, at which its driver looks each 5 ms. The driver may report gaps, and asks
/// again after a second. Returns the file, and the window size that the server granted.
fn with_a_ring_of_two(server: SocketAddr, name: &str, windowsize: u16, reports: bool) -> (Vec<u8>, u16) {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    socket.set_nonblocking(true).unwrap();
    let request = rrq(name, &[("blksize", "512"), ("windowsize", &windowsize.to_string())]);
    socket.send_to(&request, server).unwrap();
    let (mut file, mut granted, mut last, mut unacknowledged) = (Vec::new(), 1, 0_u16, 0);
    let mut from = None;
    let mut heard = Instant::now();
    loop {
        std::thread::sleep(Duration::from_millis(5));
        let mut buffer = [0; 600];
        let mut ring: Vec<Vec<u8>> = Vec::new();
        while let Ok((length, peer)) = socket.recv_from(&mut buffer) {
            from = Some(peer);
            if ring.len() < 2 {
                ring.push(buffer[..length].to_vec());
            }
        }
        for packet in ring {
            let from = from.expect("a packet has come");
            match &packet[..] {
                [0, 6, options @ ..] if last == 0 => {
                    let has_windows = options.windows(11).any(|text| text == b"windowsize\0");
                    granted = if has_windows { windowsize } else { 1 };
                    socket.send_to(&ack(0), from).unwrap();
                }
                [0, 3, high, low, block @ ..] if u16::from_be_bytes([*high, *low]) == last + 1 => {
                    last += 1;
                    unacknowledged += 1;
                    file.extend_from_slice(block);
                    if unacknowledged == granted || block.len() < 512 {
                        socket.send_to(&ack(last), from).unwrap();
                        unacknowledged = 0;
                    }
                    if block.len() < 512 {
                        return (file, granted);
                    }
                }
                [0, 3, ..] if reports => {
                    socket.send_to(&ack(last), from).unwrap();
                    unacknowledged = 0;
                }
                [0, 3 | 6, ..] => continue,
                other => panic!("{other:?}"),
            }
            heard = Instant::now();
        }
        if heard.elapsed() > Duration::from_secs(1) {
            match from {
                Some(from) => socket.send_to(&ack(last), from).unwrap(),
                None => socket.send_to(&request, server).unwrap(),
            };
            (heard, unacknowledged) = (Instant::now(), 0);
        }
    }
}

/// No window of any size ever arrives whole. The client gets the file nevertheless, and the next one without windows.
#[test]
fn a_client_without_room_for_windows_is_served_in_lockstep_from_then_on() {
    for (windowsize, reports) in [(4, false), (16, false), (4, true)] {
        let server = with_a_file(100_000);
        let (file, granted) = with_a_ring_of_two(server.address(), "file", windowsize, reports);
        assert!(file == bytes(100_000));
        assert_eq!(granted, windowsize);
        assert_eq!(server.outcome("file")["outcome"], "served");
        let (file, granted) = with_a_ring_of_two(server.address(), "file", windowsize, reports);
        assert!(file == bytes(100_000));
        // Who reports gaps may keep windows, at a pace that it bears.
        assert!(granted == 1 || reports, "{granted}");
        assert_eq!(server.outcome("file")["outcome"], "served");
    }
}

/// Acknowledges each packet, and needs 2 ms for it. Returns the file, and how many packets came.
fn acknowledging_each_packet(server: SocketAddr, name: &str, windowsize: u16) -> (Vec<u8>, usize) {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    socket.set_read_timeout(Some(SOON)).unwrap();
    let request = rrq(name, &[("blksize", "512"), ("windowsize", &windowsize.to_string())]);
    socket.send_to(&request, server).unwrap();
    let (mut file, mut last, mut packets) = (Vec::new(), 0_u16, 0);
    loop {
        let mut buffer = [0; 600];
        let (length, from) = socket.recv_from(&mut buffer).expect("an answer");
        match &buffer[..length] {
            [0, 6, ..] => drop(socket.send_to(&ack(0), from).unwrap()),
            [0, 3, high, low, block @ ..] => {
                packets += 1;
                std::thread::sleep(Duration::from_millis(2));
                let is_next = u16::from_be_bytes([*high, *low]) == last + 1;
                if is_next {
                    last += 1;
                    file.extend_from_slice(block);
                }
                socket.send_to(&ack(last), from).unwrap();
                if is_next && block.len() < 512 {
                    return (file, packets);
                }
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Its ACKs look like reports of gaps. It gets no more than some windows of copies.
#[test]
fn a_slow_client_that_acknowledges_each_packet_gets_few_copies() {
    let server = with_a_file(200_000);
    for _ in 0..2 {
        let (file, packets) = acknowledging_each_packet(server.address(), "file", 16);
        assert!(file == bytes(200_000));
        assert!(packets < 2 * 391, "{packets} packets for 391 blocks");
        assert_eq!(server.outcome("file")["outcome"], "served");
    }
}
