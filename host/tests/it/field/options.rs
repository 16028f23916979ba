//! Options as scripts and old ROMs write them.

use crate::harness::{Answer, Client, Options, Peer, Setup, ack, rrq, wrq};
use crate::import::beside::{Named, Pair, Started, compare, read_with};

const HPA: Started = Started {
    name: "in.tftpd -s",
    program: "in.tftpd",
    package: "tftpd-hpa",
    server: "tftpd-hpa",
    variable: None,
    import: &[],
    flags: "-l -a ADDR:69 -s HERE",
    foreground: "-L",
    code: 0,
};

/// Firmware and old PXELINUX ask for the size of an empty file and need the answer; curl alone takes it for an error.
#[test]
fn the_size_of_an_empty_file_is_answered() {
    let server = Setup::new().file("empty", b"").file("SEP001122334455.cnf.xml", b"").start();
    let shapes: [&[(&str, &str)]; 8] = [
        &[("tsize", "0")],
        &[("tsize", "0"), ("blksize", "1408")],
        &[("tsize", "0"), ("blksize", "1468"), ("windowsize", "4")],
        &[("blksize", "1432"), ("tsize", "0")],
        &[("blksize", "1024"), ("tsize", "0")],
        &[("timeout", "5"), ("tsize", "0"), ("blksize", "1468")],
        &[("tsize", "0"), ("timeout", "3"), ("blksize", "1428")],
        &[("tsize", "0"), ("x", "1")],
    ];
    for options in shapes {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq("empty", options));
        let Answer::Oack(granted) = peer.receive() else { panic!("{options:?}: no OACK") };
        assert!(granted.split(' ').any(|option| option == "tsize=0"), "{options:?}: {granted}");
        peer.send(&ack(0));
        peer.expect(Answer::Data(1, Vec::new()));
        peer.send(&ack(1));
        assert_eq!(server.outcome("empty")["outcome"], "served", "{options:?}");
    }
    // The shape of curl's requests, whatever file it asks for.
    for name in ["empty", "SEP001122334455.cnf.xml"] {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq(name, &[("tsize", "0"), ("blksize", "512"), ("timeout", "6")]));
        peer.expect(Answer::Oack("blksize=512 timeout=6".into()));
    }
    for client in Client::installed() {
        assert_eq!(client.get(server.address(), "empty", Options::default()), b"", "{client}");
    }
}

/// `blksize` above 65464, blanks and a sign are those of scripts; the rest is left out, as ever.
#[test]
fn values_out_of_range_are_lowered_and_read_leniently() {
    let server = Setup::new().file("f", &[1; 3000]).writable().start();
    for (name, value, granted) in [
        ("blksize", "65500", "blksize=65464"),
        ("blksize", "65536", "blksize=65464"),
        ("blksize", "4294967296", "blksize=65464"),
        ("blksize", " 1468", "blksize=1468"),
        ("blksize", "+1468", "blksize=1468"),
        ("blksize", "\t +1468", "blksize=1468"),
        ("windowsize", "65536", "windowsize=64"),
        ("windowsize", "100000", "windowsize=64"),
        ("windowsize", " 4", "windowsize=4"),
        ("timeout", "+3", "timeout=3"),
        ("tsize", " 0", "tsize=3000"),
    ] {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq("f", &[(name, value)]));
        assert_eq!(peer.receive(), Answer::Oack(granted.into()), "{name}={value:?}");
    }
    for (name, value) in [
        ("blksize", "0"),
        ("blksize", "7"),
        ("blksize", "-1"),
        ("blksize", "1468 "),
        ("blksize", "1468x"),
        ("blksize", "0x400"),
        ("blksize", "18446744073709551616"),
        ("windowsize", "0"),
        ("timeout", "0"),
        ("timeout", "256"),
        ("tsize", "+ 0"),
    ] {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq("f", &[(name, value)]));
        assert_eq!(peer.receive(), Answer::Data(1, vec![1; 512]), "{name}={value:?}");
    }
    // Blocks of the lowered size arrive whole.
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("up", &[("blksize", "65500")]));
    peer.expect(Answer::Oack("blksize=65464".into()));
    peer.write_on(&[5; 70_000], 65_464);
    assert_eq!(server.root().read("up"), [5; 70_000]);
}

#[test]
fn in_tftpd_reads_values_in_the_same_way() {
    let Some(pair) = Pair::start(HPA, |_| {}) else { return };
    let values = [
        "65464",
        "65465",
        "65500",
        "65536",
        "70000",
        "4294967296",
        "18446744073709551615",
        "18446744073709551616",
        "1468",
        " 1468",
        "+1468",
        "\t \u{b}1468",
        " +1468",
        "++1468",
        "+ 1468",
        "1468 ",
        "1468x",
        "0x400",
        "010",
        "",
    ];
    let asked: Vec<_> = values.iter().map(|value| read_with("f", "octet", &[("blksize", value)])).collect();
    compare(&pair, &asked, &[]);
    let invalid = Named {
        reason: "options with invalid values are left out",
        differences: &[
            ("read f octet blksize=0", "ERROR 8", "13 bytes"),
            ("read f octet blksize=+3", "ERROR 8", "13 bytes"),
            ("read f octet blksize=-1", "[blksize=65464]", "13 bytes"),
            ("read f octet timeout=0", "ERROR 8", "13 bytes"),
        ],
    };
    let asked = [("blksize", "0"), ("blksize", "+3"), ("blksize", "-1"), ("timeout", "0"), ("timeout", " 3")];
    compare(&pair, &asked.map(|(name, value)| read_with("f", "octet", &[(name, value)])), &[invalid]);
}

#[test]
fn in_tftpd_answers_the_size_of_an_empty_file() {
    let Some(pair) = Pair::start(HPA, |_| {}) else { return };
    let shapes: [&[(&str, &str)]; 3] =
        [&[("tsize", "0")], &[("tsize", "0"), ("blksize", "1408")], &[("blksize", "1432"), ("tsize", "0")]];
    compare(&pair, &shapes.map(|options| read_with("sizes/0", "octet", options)), &[]);
}
