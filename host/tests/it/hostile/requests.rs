//! Datagrams to the listening port that are not requests, or broken ones.

use super::{GOOD, assert_silent_then_served, assert_still_serves, server, setup};
use crate::harness::{Answer, Peer, ack, data, error, oack, request, rrq};

#[test]
fn what_is_no_request_is_not_answered() {
    let server = setup().workers(1).start();
    let mut cases: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"\0".to_vec(),
        b"\x01".to_vec(),
        b"\0\x03".to_vec(),
        b"\0\x03\0".to_vec(),
        b"\0\x04".to_vec(),
        b"\0\x04\0".to_vec(),
        b"\0\x05".to_vec(),
        b"\0\x05\0".to_vec(),
        b"\0\x06".to_vec(),
        // Packets of a transfer.
        data(1, b"x"),
        data(0, &[0; 60_000]),
        ack(0),
        ack(1),
        ack(65_535),
        error(0, "error"),
        error(5, "unknown transfer ID"),
        error(65_535, ""),
        b"\0\x05\0\x01no NUL".to_vec(),
        oack(&[]),
        oack(&[("blksize", "512")]),
        b"\0\x06blksize".to_vec(),
        vec![0; 65_507],
        vec![0xff; 65_507],
    ];
    for opcode in [0_u16, 7, 8, 15, 255, 256, 257, 512, 0x0100, 0x7fff, 0xffff] {
        cases.push([&opcode.to_be_bytes()[..], b"good\0octet\0"].concat());
    }
    for case in &cases {
        let mut peer = Peer::new(server.address());
        peer.ask(case);
        assert_silent_then_served(&mut peer);
        server.outcome("good");
    }
    assert_eq!(server.stop(), [] as [serde_json::Value; 0]);
}

#[test]
fn broken_requests_are_told_so() {
    let server = setup().writable().start();
    let long = "m".repeat(1000);
    let cases: &[(&[u8], &str)] = &[
        (b"", "without a file name"),
        (b"good", "without a file name"),
        (b"\0", "without a file name"),
        (b"\0octet\0", "without a file name"),
        (b"good\0", "without a mode"),
        (b"good\0octe", "neither octet nor netascii"),
        (b"good\0\0", "without a mode"),
        (b"good\0mail\0", "neither octet nor netascii"),
        (b"good\0octe\0", "neither octet nor netascii"),
        (b"good\0octets\0", "neither octet nor netascii"),
        (b"good\0oc\xfftet\0", "neither octet nor netascii"),
        (&[b"good\0", long.as_bytes(), b"\0"].concat(), "neither octet nor netascii"),
        // An embedded NUL ends the name.
        (b"good\0.txt\0octet\0", "neither octet nor netascii"),
        (&[&[b'n'; 60_000][..], b"\0octet\0"].concat(), "longer than 2048 bytes"),
        (&[&[b'n'; 60_000][..]].concat(), "without a file name"),
        (&[&b"good\0octet\0"[..], &[b'o'; 60_000], b"\0"].concat(), "longer than 2048 bytes"),
        (&[&b"good\0octet\0"[..], &b"a\0b\0".repeat(10_000)].concat(), "longer than 2048 bytes"),
    ];
    for (opcode, (rest, words)) in
        [1, 2].into_iter().flat_map(|opcode| cases.iter().map(move |case| (opcode, case)))
    {
        let mut peer = Peer::new(server.address());
        peer.ask(&[&[0, opcode], *rest].concat());
        let text = peer.expect_error(4);
        assert!(text.contains(words), "{}: {text}", rest.escape_ascii());
    }
    assert_eq!(server.root().names(), ["good"]);
    assert_still_serves(&server);
}

/// RFC 2347 allows 512 bytes for a request; some clients send more, and pad.
#[test]
fn odd_requests_that_are_served() {
    let server = server();
    let plain = rrq("good", &[]);
    let many: Vec<(String, String)> = (0..150).map(|n| (format!("o{n}"), n.to_string())).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let cases = [
        request(1, b"good", b"OCTET", &[]),
        request(1, b"good", b"binary", &[]),
        request(1, b"good\xff", b"octet", &[]),
        request(1, b"good\xff\xff", b"octet", &[]),
        request(1, b"/good", b"octet", &[]),
        request(1, b"\\good", b"octet", &[]),
        request(1, b"//.//good/", b"octet", &[]),
        // DHCP option 67, copied with its NUL.
        b"\0\x01good\0\0octet\0".to_vec(),
        // Without the last NUL.
        b"\0\x01good\0octet".to_vec(),
        // Padding, a name without a value.
        [&plain[..], &[0; 400]].concat(),
        [&plain[..], b"blksize"].concat(),
        [&plain[..], b"blksize\0"].concat(),
        [&plain[..], b"\0blksize\x001024\0"].concat(),
        rrq("good", &many),
        rrq("good", &[("x", &"y".repeat(1900))]),
    ];
    for case in cases {
        let mut peer = Peer::new(server.address());
        peer.ask(&case);
        assert_eq!(peer.receive(), Answer::Data(1, GOOD.to_vec()), "{}", case.escape_ascii());
        peer.send(&ack(1));
        let line = server.outcome("good");
        assert_eq!(line["outcome"], "served", "{line:#}");
    }
}

/// Random bytes after a valid opcode, and valid packets with one byte changed: the server must survive.
#[test]
fn noise() {
    let server = server();
    let mut random = fastrand::Rng::with_seed(69);
    let peer = Peer::new(server.address());
    let seeds = [
        rrq("good", &[("blksize", "1024"), ("tsize", "0"), ("windowsize", "4")]),
        request(2, b"good", b"netascii", &[("timeout", "1")]),
        data(1, b"payload"),
        error(1, "text"),
        oack(&[("blksize", "8")]),
    ];
    for _ in 0..3000 {
        let mut packet = seeds[random.usize(..seeds.len())].clone();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(..packet.len());
            packet[at] = random.u8(..);
        }
        packet.truncate(random.usize(..=packet.len()));
        peer.ask_meanwhile(&packet);
    }
    assert_still_serves(&server);
}
