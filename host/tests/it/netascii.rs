//! Netascii (RFC 764): LF is CR LF on the wire, a bare CR is CR NUL, and block edges may split pairs.

use crate::harness::{
    Answer, Client, Options, Peer, SOON, Setup, ack, assert_moved, bytes, data, request, rrq, text,
};
use std::fs::File;
use std::time::{Duration, Instant};

const NETASCII: Options = Options { blksize: None, windowsize: None, timeout: None, netascii: true };

/// Encodes the content independently of the server's code.
fn on_the_wire(content: &[u8]) -> Vec<u8> {
    let pair = |byte: &u8| match byte {
        b'\n' => b"\r\n".to_vec(),
        b'\r' => b"\r\0".to_vec(),
        other => vec![*other],
    };
    content.iter().flat_map(pair).collect()
}

fn both_ways(client: Client) {
    if !client.is_installed() {
        return;
    }
    let mut setup = Setup::new().writable();
    let lengths = [0, 1, 500, 511, 512, 513, 40_000];
    for length in lengths {
        setup = setup.file(&length.to_string(), &text(length));
    }
    let server = setup.start();
    for length in lengths {
        let (name, upload) = (length.to_string(), format!("up-{length}"));
        let wire = on_the_wire(&text(length)).len();
        let got = client.get(server.address(), &name, NETASCII);
        assert_eq!(got.escape_ascii().to_string(), text(length).escape_ascii().to_string(), "{length}");
        assert_moved(&server.outcome(&name), "served", wire, 512, 1);
        client.put(server.address(), &upload, &text(length), NETASCII);
        assert_moved(&server.outcome(&upload), "stored", wire, 512, 1);
        let stored = server.root().read(&upload);
        assert_eq!(stored.escape_ascii().to_string(), text(length).escape_ascii().to_string(), "{length}");
    }
}

#[test]
fn with_tuffet() {
    both_ways(Client::Tuffet);
}

#[test]
fn with_tftp_hpa() {
    both_ways(Client::TftpHpa);
}

#[test]
fn with_atftp() {
    both_ways(Client::Atftp);
}

/// Every block but the last is full, whatever pairs cross the edges, and `tsize` is exact.
#[test]
fn pairs_at_every_block_edge() {
    let mut setup = Setup::new();
    let contents: Vec<Vec<u8>> = (0..10)
        .flat_map(|shift| {
            let letters = b"x".repeat(shift);
            [&b"\n"[..], b"\r", b"\r\n", b"\r\0"].map(|pair| [&letters[..], &pair.repeat(9)].concat())
        })
        .collect();
    for (number, content) in contents.iter().enumerate() {
        setup = setup.file(&number.to_string(), content);
    }
    let server = setup.start();
    for (number, content) in contents.iter().enumerate() {
        let wire = on_the_wire(content);
        let mut peer = Peer::new(server.address());
        let options = [("blksize", "8"), ("tsize", "0")];
        peer.ask(&request(1, number.to_string().as_bytes(), b"NetASCII", &options));
        peer.expect(Answer::Oack(format!("blksize=8 tsize={}", wire.len())));
        peer.send(&ack(0));
        let blocks = wire.len() / 8 + 1;
        for block in 1..=blocks {
            let due = wire[8 * (block - 1)..].iter().take(8).copied().collect();
            peer.expect(Answer::Data(block as u16, due));
            peer.send(&ack(block as u16));
        }
        assert_moved(&server.outcome(&number.to_string()), "served", wire.len(), 8, 1);
    }
}

/// Input of sloppy clients is accepted as well as possible: a lone LF, a CR before a letter, a CR at the end.
#[test]
fn uploads_that_are_no_netascii() {
    let server = Setup::new().writable().start();
    for (number, (wire, stored)) in [
        (&b"a\nb"[..], &b"a\nb"[..]),
        (b"a\rb", b"a\rb"),
        (b"a\r", b"a\r"),
        (b"1234567\r\n", b"1234567\n"),
        (b"1234567\r\0", b"1234567\r"),
        (b"\r\r\n\0", b"\r\n\0"),
    ]
    .into_iter()
    .enumerate()
    {
        let name = number.to_string();
        let mut peer = Peer::new(server.address());
        peer.ask(&request(2, name.as_bytes(), b"netascii", &[("blksize", "8")]));
        peer.expect(Answer::Oack("blksize=8".into()));
        for (block, payload) in (1..).zip(wire.chunks(8)) {
            peer.send(&data(block, payload));
            peer.expect(Answer::Ack(block));
        }
        assert_moved(&server.outcome(&name), "stored", wire.len(), 8, 1);
        assert_eq!(server.root().read(&name).escape_ascii().to_string(), stored.escape_ascii().to_string());
    }
}

/// Nobody counts a file of 1 GiB before it is answered, not for 300 datagrams either; and whoever asks for something
/// else is served meanwhile.
#[test]
fn a_large_file_is_answered_without_counting_it() {
    let setup = Setup::new().sizes(&[2_000]).workers(1);
    File::create(setup.root().0.join("huge")).unwrap().set_len(1 << 30).unwrap();
    let server = setup.start();
    for options in [&[][..], &[("tsize", "0"), ("blksize", "512")]] {
        let ask = request(1, b"huge", b"netascii", options);
        let mut peers: Vec<Peer> = (0..300).map(|_| Peer::new(server.address())).collect();
        peers.iter_mut().for_each(|peer| peer.ask(&ask));
        let began = Instant::now();
        assert!(Peer::new(server.address()).read_plainly("2000") == bytes(2_000));
        // Alone it takes a millisecond; to count the file once takes a second and more.
        assert!(began.elapsed() < Duration::from_secs(10), "served after {:?}", began.elapsed());
        let answer = match options {
            [] => Answer::Data(1, vec![0; 512]),
            // Above 64 MiB the size on the wire is not known.
            _ => Answer::Oack("blksize=512".into()),
        };
        peers.iter_mut().for_each(|peer| peer.expect(answer.clone()));
    }
}

/// A file of more than 64 KiB is counted beside, once, and the next who asks learns its size.
#[test]
fn the_size_of_a_larger_file_is_known_the_next_time() {
    let content = text(300_000);
    let server = Setup::new().file("larger", &content).start();
    let wire = on_the_wire(&content);
    let ask = request(1, b"larger", b"netascii", &[("tsize", "0"), ("blksize", "1400"), ("windowsize", "7")]);
    let end = Instant::now() + SOON;
    let mut first = true;
    loop {
        assert!(Instant::now() < end, "it is never known");
        let mut peer = Peer::new(server.address());
        peer.ask(&ask);
        let Answer::Oack(oack) = peer.receive() else { panic!("OACK was due") };
        if !first && oack.contains("tsize") {
            assert_eq!(oack, format!("blksize=1400 tsize={} windowsize=7", wire.len()));
            break;
        }
        first = false;
        assert_eq!(oack, "blksize=1400 windowsize=7");
        // What was not counted ends where it ends all the same.
        peer.send(&ack(0));
        let mut got = Vec::new();
        while got.len() < wire.len() {
            let Answer::Data(block, payload) = peer.receive() else { panic!("DATA was due") };
            assert_eq!(usize::from(block), got.len() / 1_400 + 1);
            got.extend(payload);
            if block.is_multiple_of(7) || got.len() % 1_400 > 0 {
                peer.send(&ack(block));
            }
        }
        assert!(got == wire);
        let line = server.outcome("larger");
        assert_moved(&line, "served", wire.len(), 1_400, 7);
        assert_eq!(line["size"], wire.len());
    }
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("larger", &[]));
    peer.expect(Answer::Data(1, content[..512].to_vec()));
}
