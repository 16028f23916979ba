//! Refused requests, and how each client reports them.

use crate::harness::{Client, Options, Peer, Setup, assert_ended, each_client, rrq, wrq};

/// Asserts how a client reports an ERROR: its exit code and message.
fn assert_shown(client: Client, ran: &crate::harness::Ran, text: &str) {
    let said = format!("{}{}", String::from_utf8_lossy(&ran.stdout), ran.stderr);
    match client {
        // tftp-hpa always ends with 0.
        Client::TftpHpa => {}
        _ => assert!(!ran.status.success(), "{client}: {said}"),
    }
    // curl uses its own messages.
    assert!(client == Client::Curl || said.contains(text), "{client}: {said}");
}

each_client!(missing_files);
fn missing_files(client: Client) {
    let server = Setup::new().start();
    let (ran, content) = client.try_get(server.address(), "folder/missing", Options::default());
    assert_shown(client, &ran, "file not found");
    assert_eq!(content.unwrap_or_default(), b"");
    if client == Client::Curl {
        assert_eq!(ran.code(), 68, "curl knows ERROR 1");
    }
    assert_ended(&server.outcome("folder/missing"), "not-found", "no such file");
}

each_client!(read_only_roots);
fn read_only_roots(client: Client) {
    let server = Setup::new().file("there", b"old").start();
    for name in ["new", "there"] {
        let ran = client.try_put(server.address(), name, b"content", Options::default());
        assert_shown(client, &ran, "uploads are not allowed");
        assert_ended(&server.outcome(name), "denied", "no writable root");
    }
    let names = server.root().names();
    assert_eq!((names, server.root().read("there")), (vec!["there".to_owned()], b"old".to_vec()));
}

#[test]
fn codes_on_the_wire() {
    let server = Setup::new().file("there", b"").start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("missing", &[("tsize", "0"), ("blksize", "1428")]));
    assert_eq!(peer.expect_error(1), "file not found");
    peer.ask(&rrq("there/below", &[]));
    assert_eq!(peer.expect_error(1), "file not found");
    peer.ask(&wrq("there", &[]));
    assert_eq!(peer.expect_error(2), "uploads are not allowed");
}

/// Permissions of the operating system are the operator's mistake, not the client's.
#[test]
fn files_that_the_server_may_not_read() {
    use std::os::unix::fs::PermissionsExt;
    if crate::harness::is_root() {
        return crate::harness::skipped("files without permission: root may read all");
    }
    let setup = Setup::new().file("forbidden", b"x");
    let path = setup.root().path("forbidden");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o000)).unwrap();
    let server = setup.start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("forbidden", &[]));
    assert_eq!(peer.expect_error(2), "access denied");
    assert_ended(&server.outcome("forbidden"), "failed", "it lacks the right `r` on the file ");
}
