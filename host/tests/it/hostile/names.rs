//! Names that try to leave the root, or to be something other than a file.

use super::{assert_still_serves, setup};
use crate::harness::{Answer, Peer, Server, assert_ended, bytes, request};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;

const SECRET: &[u8] = b"the secret outside";

/// Starts a server whose root has a secret beside it, and every kind of way to it.
fn server() -> Server {
    let setup = setup().file("folder/inner", b"inner");
    let (root, outside) = (setup.root(), setup.outside());
    outside.write("secret", SECRET);
    // A sibling whose path begins like the root's.
    outside.write("root2/secret", SECRET);
    for (target, link) in [
        ("../secret", "relative"),
        ("..", "up"),
        ("/", "slash"),
        ("folder/../../secret", "through"),
        ("relative", "chain"),
        ("loop", "loop"),
        ("/proc/self/root", "magic"),
        ("/dev/zero", "device"),
    ] {
        symlink(target, root.path(link)).unwrap();
    }
    symlink(outside.path("secret"), root.path("absolute")).unwrap();
    symlink("inner", root.path("folder/link")).unwrap();
    symlink("folder/link", root.path("inside")).unwrap();
    let made = Command::new("mkfifo").arg(root.path("fifo")).status().unwrap();
    assert!(made.success());
    drop(UnixListener::bind(root.path("socket")).unwrap());
    setup.writable().start()
}

#[test]
fn no_name_leads_out() {
    let server = server();
    let outside = server.outside().path("secret");
    let absolute = outside.to_str().unwrap().as_bytes();
    let cases: &[(&[u8], u16)] = &[
        (b"..", 2),
        (b"../secret", 2),
        (b"/../secret", 2),
        (b"folder/../../secret", 2),
        (b"folder/../good", 2),
        (b"..\\secret", 2),
        (b"..\\/secret", 2),
        (b"folder\\..\\..\\secret", 2),
        (b"../root2/secret", 2),
        (b"....//secret", 1),
        (b"..././secret", 1),
        (b"%2e%2e/secret", 1),
        (b"%2e%2e%2fsecret", 1),
        (b"..%2fsecret", 1),
        (b"..;/secret", 1),
        (b"%n%s%x", 1),
        (b"C:\\secret", 2),
        (b"c:secret", 2),
        (b"\\\\C:\\secret", 2),
        (b"\\\\..\\secret", 2),
        // A run of separators is one; these lie below the root.
        (b"\\\\host\\share\\secret", 1),
        (b"\\\\?\\C:\\secret", 1),
        (b"file:///etc/passwd", 1),
        (b"/etc/passwd", 1),
        (absolute, 1),
        (b"~root/.ssh", 1),
        // Letters of Latin-1, and its control characters.
        (b"\xc0\xae\xc0\xae/secret", 1),
        (b"\xe0\x80\xae\xe0\x80\xae/secret", 2),
        (b"..\xc0\xafsecret", 1),
        (b"..\xaf..\xafsecret", 1),
        (b"\xff/../secret", 2),
        (b"..\\\xff", 2),
        (b"se\xffcret", 1),
        (b"se\x9b2Jcret", 2),
        (b"good\n", 2),
        (b"\x1b[2Jgood", 2),
        (b"\xff", 2),
        (b"/", 2),
        (b".", 2),
        (b"./", 2),
        (&[b'n'; 256], 2),
        (&b"n/".repeat(600), 2),
        (&[b'n'; 255], 1),
        (b"relative", 2),
        (b"absolute", 2),
        (b"through", 2),
        (b"chain", 2),
        (b"loop", 2),
        (b"up/secret", 2),
        (b"up/root/good", 2),
        (b"slash/etc/passwd", 2),
        (b"magic/etc/passwd", 2),
        (b"device", 2),
        (b"fifo", 2),
        (b"socket", 2),
        (b"folder", 2),
        (b"folder/", 2),
        (b"good/", 0),
        (b"good/inner", 1),
    ];
    for (name, code) in cases {
        let mut peer = Peer::new(server.address());
        peer.ask(&request(1, name, b"octet", &[]));
        match (peer.receive(), code) {
            // A slash at the end of a file's name is dropped with the other empty parts.
            (Answer::Data(1, content), 0) => assert_eq!(content, super::GOOD),
            (Answer::Error(got, _), code) => assert_eq!(got, *code, "{}", name.escape_ascii()),
            (other, _) => panic!("{} was answered with {other:?}", name.escape_ascii()),
        }
    }
    assert_still_serves(&server);
}

#[test]
fn no_upload_leads_out() {
    let server = server();
    let before = server.outside().names();
    for name in
        ["../up", "up/new", "relative", "absolute", "chain", "slash/tmp/tuffet-escaped", "fifo", "device"]
    {
        let mut peer = Peer::new(server.address());
        peer.ask(&request(2, name.as_bytes(), b"octet", &[]));
        match peer.receive() {
            Answer::Error(2 | 6, _) => {}
            other => panic!("{name} was answered with {other:?}"),
        }
    }
    assert_eq!(server.outside().names(), before);
    assert_eq!(server.outside().read("secret"), SECRET);
    assert_still_serves(&server);
}

#[test]
fn links_that_stay_inside_work() {
    let server = server();
    for name in ["inside", "folder/link"] {
        assert_eq!(Peer::new(server.address()).read_plainly(name), b"inner");
        server.outcome(name);
    }
}

/// The opened file is sent, whatever its name means meanwhile.
#[test]
fn a_link_that_is_swapped_during_the_transfer() {
    let setup = setup().file("first", &bytes(1000));
    symlink("first", setup.root().path("link")).unwrap();
    setup.outside().write("secret", SECRET);
    let server = setup.start();
    let mut peer = Peer::new(server.address());
    peer.ask(&request(1, b"link", b"octet", &[]));
    peer.expect(Answer::Data(1, bytes(1000)[..512].to_vec()));
    let link = server.root().path("link");
    std::fs::remove_file(&link).unwrap();
    symlink("../secret", &link).unwrap();
    peer.send(&crate::harness::ack(1));
    assert!(peer.read_on(2) == bytes(1000)[512..]);
    assert_eq!(server.outcome("link")["outcome"], "served");
    peer.ask(&request(1, b"link", b"octet", &[]));
    peer.expect_error(2);
    assert_ended(&server.outcome("link"), "denied", "leads out of its root");
}

/// Names go to the log and to terminals: one line, no escape sequences.
#[test]
fn names_are_logged_in_printable_form() {
    let server = server();
    let mut peer = Peer::new(server.address());
    peer.ask(&request(1, b"a\x1b[31m\r\nfake: line", b"octet", &[]));
    peer.expect_error(2);
    let line = server.any_outcome();
    let path = line["path"].as_str().unwrap();
    assert!(!path.contains(char::is_control) && path.contains("fake"), "{path:?}");
    assert_ended(&line, "denied", "control character");
}
