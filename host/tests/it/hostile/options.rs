//! Options that are invalid, unknown, duplicated, or too large.

use super::{GOOD, assert_still_serves, server, setup};
use crate::harness::{Answer, Peer, rrq, wrq};

/// An invalid value is left out, as if it had not been requested.
#[test]
fn invalid_values_are_left_out() {
    let server = server();
    let cases: [(&str, &[&str]); 4] = [
        (
            "blksize",
            &["", "0", "7", "-1", "512 ", "512x", "0x200", "++512", "1e3", "99999999999999999999999999"],
        ),
        ("windowsize", &["", "0", "-1", "1.5", "99999999999999999999999999"]),
        ("timeout", &["", "0", "256", "-1", "0.5"]),
        ("multicast", &["", "224.0.0.1,1758,1"]),
    ];
    for (name, value) in cases.iter().flat_map(|(name, values)| values.iter().map(move |value| (name, value)))
    {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq("good", &[(name, value)]));
        assert_eq!(peer.receive(), Answer::Data(1, GOOD.to_vec()), "{name}={value:?} alone");
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq("good", &[(name, value), ("tsize", "0")]));
        assert_eq!(peer.receive(), Answer::Oack("tsize=12".into()), "{name}={value:?} and tsize");
    }
    for value in ["-1", "18446744073709551616", "", "x"] {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq("good", &[("tsize", value), ("blksize", "600")]));
        assert_eq!(peer.receive(), Answer::Oack("blksize=600".into()), "tsize={value:?}");
    }
    assert_still_serves(&server);
}

#[test]
fn only_what_was_asked_is_answered_and_never_more() {
    let server = server();
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[("blksize", "8")], "blksize=8"),
        (&[("blksize", "65464")], "blksize=65464"),
        (&[("windowsize", "65535")], "windowsize=64"),
        // Above the range; with blanks and a sign.
        (&[("windowsize", "65536")], "windowsize=64"),
        (&[("blksize", "65465")], "blksize=65464"),
        (&[("blksize", "1000000000")], "blksize=65464"),
        (&[("blksize", " 512")], "blksize=512"),
        (&[("blksize", "+512")], "blksize=512"),
        (&[("windowsize", "1")], "windowsize=1"),
        (&[("timeout", "255")], "timeout=255"),
        (&[("TSIZE", "0")], "tsize=12"),
        (&[("tsize", "99")], "tsize=12"),
        (&[("blksize", "512"), ("blksize", "1024")], "blksize=512"),
        (&[("blksize", "600"), ("BLKSIZE", "1024"), ("windowsize", "2")], "blksize=600 windowsize=2"),
        // The first one counts, though it is invalid.
        (&[("blksize", "0"), ("blksize", "1024"), ("tsize", "0")], "tsize=12"),
        (&[("blksize2", "1024"), ("utimeout", "100000"), ("rollover", "1"), ("tsize", "0")], "tsize=12"),
        (&[("msftwindow", "31416"), ("tsize", "0")], "tsize=12"),
        (&[("%n%n%n%n", "%s%s%s"), ("tsize", "0")], "tsize=12"),
        (&[("checkpoint", &"9".repeat(900)), ("tsize", "0")], "tsize=12"),
    ];
    for (asked, granted) in cases {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq("good", asked));
        assert_eq!(peer.receive(), Answer::Oack((*granted).into()), "{asked:?}");
    }
    assert_still_serves(&server);
}

/// Nothing is reserved for an announced size.
#[test]
fn an_announced_size_costs_nothing() {
    let server = setup().writable().start();
    let mut peer = Peer::new(server.address());
    // One GiB, the default limit.
    peer.ask(&wrq("up", &[("tsize", "1073741824")]));
    peer.expect(Answer::Oack("tsize=1073741824".into()));
    let root = server.root();
    let temporary = root.names().into_iter().find(|name| name != "good").expect("the unfinished upload");
    let found = std::fs::metadata(root.path(&temporary)).unwrap();
    let blocks = std::os::unix::fs::MetadataExt::blocks(&found);
    assert_eq!((found.len(), blocks), (0, 0));
}
