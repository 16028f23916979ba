//! Uploads: complete or not at all, within the rules of their root.

use crate::harness::{Answer, Options, Peer, Server, Setup, assert_ended, assert_moved, bytes};
use crate::harness::{Client, data, each_client, error, wrq};

/// Starts a server with one writable root.
fn server(rules: &str, rest: &str) -> Server {
    let root = format!("{{ name: in, path: root, writable: true, {rules} }}");
    Setup::new().file("there", b"old").yaml(&format!("roots: [{root}]\n{rest}")).start()
}

/// Gives up on silent clients soon.
const HASTY: &str = "transfer: { retransmit: { floor: 5ms, initial: 20ms, cap: 40ms, give-up: 8s } }";

each_client!(overwrite_rule);
fn overwrite_rule(client: Client) {
    let keeping = server("overwrite: false", "");
    client.try_put(keeping.address(), "there", b"new", Options::default());
    assert_ended(&keeping.outcome("there"), "denied", "`overwrite: false`");
    assert_eq!(keeping.root().read("there"), b"old");

    let replacing = server("overwrite: true", "");
    client.put(replacing.address(), "there", b"new", Options::default());
    assert_moved(&replacing.outcome("there"), "stored", 3, 512, 1);
    assert_eq!(replacing.root().read("there"), b"new");
}

#[test]
fn a_file_that_is_there_is_error_6() {
    let server = server("overwrite: false", "");
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("there", &[("tsize", "3")]));
    assert_eq!(peer.expect_error(6), "file exists");
}

#[test]
fn an_announced_size_over_the_limit_is_refused_at_once() {
    let server = server("max-upload: 1000", "");
    for size in ["1001", "18446744073709551615"] {
        let mut peer = Peer::new(server.address());
        peer.ask(&wrq("big", &[("tsize", size), ("blksize", "1428")]));
        assert_eq!(peer.expect_error(3), "file too large");
        assert_ended(&server.outcome("big"), "denied", "limit of 1000 bytes");
    }
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("fits", &[("tsize", "1000")]));
    peer.expect(Answer::Oack("tsize=1000".into()));
    peer.write_on(&bytes(1000), 512);
    assert_moved(&server.outcome("fits"), "stored", 1000, 512, 1);
}

/// The limit holds when it is reached, whatever size was announced.
#[test]
fn a_limit_that_is_passed_on_the_way() {
    let server = server("max-upload: 1000", "");
    for options in [&[][..], &[("tsize", "10")]] {
        let mut peer = Peer::new(server.address());
        peer.ask(&wrq("big", options));
        assert!(matches!(peer.receive(), Answer::Ack(0) | Answer::Oack(_)));
        peer.send(&data(1, &[0; 512]));
        assert_eq!(peer.receive(), Answer::Ack(1));
        peer.send(&data(2, &[0; 512]));
        assert_eq!(peer.receive(), Answer::Error(3, "file too large".into()));
        assert_ended(&server.outcome("big"), "denied", "limit of 1000 bytes");
    }
    server.stop();
    assert_eq!(server.root().names(), ["there"]);
}

/// Sends one whole block of an upload that needs two.
fn half(server: &Server, name: &str) -> Peer {
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq(name, &[]));
    peer.expect(Answer::Ack(0));
    peer.send(&data(1, &[7; 512]));
    assert_eq!(peer.receive(), Answer::Ack(1));
    assert!(!server.root().has(name), "visible before it is whole");
    peer
}

#[test]
fn nothing_remains_of_a_client_that_falls_silent() {
    let server = server("overwrite: false", HASTY);
    let _peer = half(&server, "half");
    assert_ended(&server.outcome("half"), "timed-out", "silent after block 1");
    server.stop();
    assert_eq!(server.root().names(), ["there"]);
}

#[test]
fn nothing_remains_of_a_client_that_gives_up() {
    let server = server("overwrite: false", "");
    for code in [0, 3, 8] {
        let peer = half(&server, "half");
        peer.send(&error(code, "no more"));
        assert_ended(&server.outcome("half"), "aborted", &format!("ERROR {code} \"no more\""));
    }
    server.stop();
    assert_eq!(server.root().names(), ["there"]);
}

#[test]
fn nothing_remains_of_uploads_that_a_stop_cuts_off() {
    let server = server("overwrite: false", "");
    let _peer = half(&server, "half");
    server.terminate();
    server.logged("stopping; waiting for running transfers");
    // The second signal.
    let cut_off = server.stop();
    assert_eq!(cut_off.len(), 1);
    assert_ended(&cut_off[0], "failed", "shut down");
    assert_eq!(server.root().names(), ["there"]);
}

#[test]
fn of_two_uploads_to_one_name_the_first_to_end_stays() {
    let server = server("overwrite: false", "");
    let (mut slow, mut fast) = (half(&server, "both"), half(&server, "both"));
    fast.send(&data(2, b"fast"));
    assert_eq!(fast.receive(), Answer::Ack(2));
    slow.send(&data(2, b"slow"));
    assert_eq!(slow.receive(), Answer::Error(6, "file exists".into()));
    assert_moved(&server.outcome("both"), "stored", 516, 512, 1);
    assert_ended(&server.outcome("both"), "denied", "`overwrite: false`");
    server.stop();
    assert_eq!(server.root().names(), ["both", "there"]);
    assert!(server.root().read("both").ends_with(b"fast"));
}

#[test]
fn of_two_uploads_to_one_name_the_last_to_end_stays_where_it_may_overwrite() {
    let server = server("overwrite: true", "");
    let (mut slow, mut fast) = (half(&server, "both"), half(&server, "both"));
    for (peer, end) in [(&mut fast, b"fast"), (&mut slow, b"slow")] {
        peer.send(&data(2, end));
        assert_eq!(peer.receive(), Answer::Ack(2));
        assert_moved(&server.outcome("both"), "stored", 516, 512, 1);
        assert!(server.root().read("both").ends_with(end));
    }
    server.stop();
    assert_eq!(server.root().names(), ["both", "there"]);
}

/// An active read gets the old file to its end.
#[test]
fn an_upload_over_a_file_that_is_read() {
    let server = server("overwrite: true", "");
    server.root().write("big", &bytes(2000));
    let mut reader = Peer::new(server.address());
    reader.ask(&crate::harness::rrq("big", &[]));
    let Answer::Data(1, first) = reader.receive() else { panic!("no DATA 1") };
    Client::Tuffet.put(server.address(), "big", b"new", Options::default());
    assert_eq!(server.root().read("big"), b"new");
    reader.send(&crate::harness::ack(1));
    let rest = reader.read_on(2);
    assert!([first, rest].concat() == bytes(2000));
}

#[test]
fn names_that_no_upload_may_have() {
    let server = server("overwrite: true", "");
    for (name, code) in
        [("missing/folder", 1), ("there/below", 1), (".tuffet-1.part", 2), ("../out", 2), ("", 4)]
    {
        let mut peer = Peer::new(server.address());
        peer.ask(&wrq(name, &[]));
        peer.expect_error(code);
    }
    std::fs::create_dir(server.root().path("folder")).unwrap();
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("folder", &[]));
    peer.expect_error(2);
    let names = server.root().names();
    assert_eq!(names, ["folder", "there"]);
    assert!(!server.outside().has("out"));
}

/// The file is complete, and the client has sent its last block: it must not fail then.
#[test]
fn a_complete_upload_needs_no_further_descriptor() {
    for rules in ["overwrite: false", "overwrite: true"] {
        let server = server(rules, "");
        let mut peer = half(&server, "up");
        // Below the number of open files: nothing more can be opened.
        server.limit_descriptors(Some(3));
        peer.send(&data(2, b"end"));
        assert_eq!(peer.receive(), Answer::Ack(2), "{rules}");
        server.limit_descriptors(None);
        assert_eq!(server.outcome("up")["outcome"], "stored");
        assert_eq!(server.root().read("up").len(), 512 + 3);
    }
}

/// The last ACK was lost: it is repeated for a while, and the file is stored once.
#[test]
fn the_last_ack_is_repeated() {
    let server = server("overwrite: false", "");
    let mut peer = half(&server, "up");
    peer.send(&data(2, b"end"));
    assert_eq!(peer.receive(), Answer::Ack(2));
    assert_moved(&server.outcome("up"), "stored", 515, 512, 1);
    // An immediate repetition counts as a duplicate, so another one may be needed.
    let again = std::iter::repeat_with(|| {
        peer.send(&data(2, b"end"));
        peer.receive_within(std::time::Duration::from_millis(50))
    });
    assert_eq!(again.take(20).flatten().next(), Some(Answer::Ack(2)));
    assert_eq!(server.root().read("up").len(), 515);
}
