//! Netascii (RFC 764): LF is CR LF on the wire, a bare CR is CR NUL, and block edges may split pairs.

use crate::harness::{Answer, Client, Options, Peer, Setup, ack, assert_moved, data, request, text};

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
