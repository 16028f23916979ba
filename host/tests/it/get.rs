//! Failures of `tuffet get` and `tuffet put`: exit codes, messages, nothing left behind.

use crate::harness::{Folder, Peer, Ran, Server, Setup, bytes, oack, own_loopback, run, skipped};
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};
use std::process::Command;
use tempfile::TempDir;

/// Runs `tuffet` in a folder of its own; returns the folder, too.
pub fn tuffet(arguments: &[&str]) -> (Ran, TempDir) {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("local"), bytes(3000)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    let ran = run(command.args(arguments).current_dir(folder.path()));
    (ran, folder)
}

/// Expects a failure that leaves only the existing files.
#[track_caller]
pub fn assert_fails(arguments: &[&str], code: i32, words: &[&str]) {
    let (ran, folder) = tuffet(arguments);
    ran.assert_fails(code, words);
    assert_eq!(Folder(folder.path().to_owned()).names(), ["local"], "something was left behind");
}

fn url(server: &Server, file: &str) -> String {
    format!("tftp://{}/{file}", server.address())
}

#[test]
fn what_works() {
    let server = Setup::new().sizes(&[3000]).writable().start();
    let (ran, folder) = tuffet(&["get", &url(&server, "3000")]);
    ran.assert_good();
    assert!(ran.stderr.contains("blksize 1428, windowsize 16"), "{}", ran.stderr);
    assert!(Folder(folder.path().to_owned()).read("3000") == bytes(3000));
    let (ran, _) = tuffet(&["get", &url(&server, "3000"), "-o", "-", "--quiet"]);
    ran.assert_good();
    assert!(ran.stdout == bytes(3000));
    assert_eq!(ran.stderr, "");
    // Replaces the existing file.
    let (ran, folder) = tuffet(&["get", &url(&server, "3000"), "--output", "local", "-q"]);
    ran.assert_good();
    assert_eq!(Folder(folder.path().to_owned()).names(), ["local"]);
    let (ran, _) = tuffet(&["put", "local", &url(&server, "up")]);
    ran.assert_good();
    assert!(server.root().read("up") == bytes(3000));
}

#[test]
fn a_missing_file() {
    let server = Setup::new().start();
    let url = url(&server, "missing");
    assert_fails(&["get", &url], 2, &[&url, "file not found", "ERROR 1"]);
    // The existing file stays unchanged.
    let (ran, folder) = tuffet(&["get", &url, "-o", "local"]);
    ran.assert_fails(2, &["file not found"]);
    assert!(Folder(folder.path().to_owned()).read("local") == bytes(3000));
}

#[test]
fn a_refusal() {
    let server = Setup::new().start();
    assert_fails(&["put", "local", &url(&server, "up")], 1, &["uploads are not allowed", "ERROR 2"]);
    assert_fails(&["get", &url(&server, "../x")], 1, &["ERROR 2"]);
}

#[test]
fn a_silent_port() {
    // Bound, so that nothing else answers, and never read.
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let url = format!("tftp://{}/x", silent.local_addr().unwrap());
    assert_fails(&["get", &url, "--timeout", "1"], 69, &["no answer", "1 s", "firewall"]);
    assert_fails(&["put", "local", &url, "--timeout", "1"], 69, &["no answer"]);
}

/// Nothing listens: the kernel reports it at once. A client that waited would outlast this test.
#[test]
fn a_closed_port() {
    // The kernel gives this port to no other test.
    for address in [SocketAddr::from((own_loopback(), 9)), "[::1]:9".parse().unwrap()] {
        if UdpSocket::bind((address.ip(), 0)).is_err() {
            skipped("there is no IPv6");
            continue;
        }
        let (url, closed) = (format!("tftp://{address}/x"), format!("nothing listens on {address}"));
        assert_fails(&["get", &url, "--timeout", "3600"], 69, &[&closed]);
        assert_fails(&["get", "--multicast", &url, "--timeout", "3600"], 69, &[&closed]);
        assert_fails(&["put", "local", &url, "--timeout", "3600"], 69, &[&closed]);
    }
}

/// A server that listens at one of the addresses of its name, whichever is tried first.
#[test]
fn the_address_of_a_name_that_listens() {
    for address in ("localhost", 0).to_socket_addrs().unwrap() {
        let Ok(server) = UdpSocket::bind(address) else {
            skipped("an address of localhost is not there");
            continue;
        };
        let port = server.local_addr().unwrap().port();
        server.set_read_timeout(Some(crate::harness::SOON)).unwrap();
        let answering = std::thread::spawn(move || {
            let mut buffer = [0; 2048];
            let (_, client) = server.recv_from(&mut buffer).unwrap();
            server.send_to(b"\0\x03\0\x01this one", client).unwrap();
            server.recv_from(&mut buffer).unwrap();
        });
        let (ran, folder) = tuffet(&["get", &format!("tftp://localhost:{port}/x")]);
        ran.assert_good();
        assert_eq!(Folder(folder.path().to_owned()).read("x"), b"this one");
        answering.join().unwrap();
    }
}

/// A server that stops before it answers.
#[test]
fn a_port_that_closes() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    socket.set_read_timeout(Some(crate::harness::SOON)).unwrap();
    let stopping = std::thread::spawn(move || socket.recv_from(&mut [0; 2048]).unwrap());
    let url = format!("tftp://{address}/x");
    assert_fails(&["get", &url, "--timeout", "3600"], 69, &[&format!("nothing listens on {address}")]);
    stopping.join().unwrap();
}

/// Reports about other datagrams than the request: ports of strangers that closed before they got their ERROR.
#[test]
fn closed_ports_of_strangers() {
    let server = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    server.set_read_timeout(Some(crate::harness::SOON)).unwrap();
    let answering = std::thread::spawn(move || {
        let mut buffer = [0; 2048];
        let (_, client) = server.recv_from(&mut buffer).unwrap();
        for _ in 0..20 {
            let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
            stranger.send_to(b"\0\x04\0\x07", client).unwrap();
        }
        // The request again: the client has read what the strangers sent.
        server.recv_from(&mut buffer).unwrap();
        server.send_to(b"\0\x03\0\x01this one", client).unwrap();
        let (length, from) = server.recv_from(&mut buffer).unwrap();
        assert_eq!((&buffer[..length], from), (&b"\0\x04\0\x01"[..], client));
    });
    let (ran, folder) = tuffet(&["get", &format!("tftp://{address}/x")]);
    ran.assert_good();
    assert_eq!(Folder(folder.path().to_owned()).read("x"), b"this one");
    answering.join().unwrap();
}

#[test]
fn what_is_no_url() {
    for url in ["x", "ftp://127.0.0.1/x", "tftp://127.0.0.1", "tftp://127.0.0.1:99999/x", "tftp:///x"] {
        assert_fails(&["get", url], 64, &["tftp://"]);
        assert_fails(&["put", "local", url], 64, &["tftp://"]);
    }
    assert_fails(&["get", "tftp://127.0.0.1/folder/"], 64, &["--output"]);
    assert_fails(&["get", "tftp://127.0.0.1/x", "--blksize", "7"], 64, &["7"]);
    assert_fails(&["get", "tftp://127.0.0.1/x", "--windowsize", "0"], 64, &["0"]);
    let long = format!("tftp://127.0.0.1/{}", "x".repeat(3000));
    assert_fails(&["get", &long, "-o", "out"], 64, &["too long"]);
}

#[test]
fn an_unknown_host() {
    assert_fails(&["get", "tftp://no-such-host.invalid/x"], 68, &["no-such-host.invalid"]);
}

#[test]
fn local_files() {
    let server = Setup::new().sizes(&[3000]).writable().start();
    let url = url(&server, "3000");
    assert_fails(
        &["get", &url, "-o", "no/such/folder/x"],
        74,
        &["no/such/folder/x", "create its folder, or name another file with --output"],
    );
    assert_fails(&["get", &url, "-o", "."], 74, &[". is a folder; name another file with --output"]);
    assert_fails(&["put", "missing", &url], 74, &["missing"]);
    assert_fails(&["put", ".", &url], 74, &["."]);
    // The disk fills up during the transfer: the server gets an ERROR, and nothing remains.
    assert_fails(&["get", &url, "-o", "/dev/full"], 74, &["/dev/full", "No space left", "make room"]);
    assert_eq!(server.outcome("3000")["outcome"], "probed");
}

/// A server whose answer contains options that were not requested.
#[test]
fn a_server_that_breaks_the_protocol() {
    let wrong = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address: SocketAddr = wrong.local_addr().unwrap();
    wrong.set_read_timeout(Some(crate::harness::SOON)).unwrap();
    let answering = std::thread::spawn(move || {
        let mut buffer = [0; 2048];
        let (_, client) = wrong.recv_from(&mut buffer).unwrap();
        wrong.send_to(&oack(&[("blksize", "65464")]), client).unwrap();
        // The refusal: ERROR 8.
        let (length, _) = wrong.recv_from(&mut buffer).unwrap();
        assert_eq!(&buffer[..4], b"\0\x05\0\x08", "{}", buffer[..length].escape_ascii());
    });
    assert_fails(&["get", &format!("tftp://{address}/x")], 76, &["refused"]);
    answering.join().unwrap();
}

/// The port had another client a moment ago, to whom a server still sends: packets from the middle of a file
/// are refused, and the answer to this request is accepted.
#[test]
fn a_port_that_was_used_before() {
    let [old, new] = [(); 2].map(|()| UdpSocket::bind("127.0.0.1:0").unwrap());
    let address = new.local_addr().unwrap();
    old.set_read_timeout(Some(crate::harness::SOON)).unwrap();
    new.set_read_timeout(Some(crate::harness::SOON)).unwrap();
    let answering = std::thread::spawn(move || {
        let mut buffer = [0; 2048];
        let (_, client) = new.recv_from(&mut buffer).unwrap();
        old.send_to(&[&b"\0\x03\0\x07"[..], &[7; 512]].concat(), client).unwrap();
        let (length, _) = old.recv_from(&mut buffer).unwrap();
        assert_eq!(&buffer[..4], b"\0\x05\0\x05", "{}", buffer[..length].escape_ascii());
        new.send_to(b"\0\x03\0\x01this one", client).unwrap();
        let (length, from) = new.recv_from(&mut buffer).unwrap();
        assert_eq!((&buffer[..length], from), (&b"\0\x04\0\x01"[..], client));
    });
    let (ran, folder) = tuffet(&["get", &format!("tftp://{address}/x")]);
    ran.assert_good();
    assert_eq!(Folder(folder.path().to_owned()).read("x"), b"this one");
    answering.join().unwrap();
}

/// A download appears when it is complete: a server that vanishes leaves nothing.
#[test]
fn a_server_that_falls_silent_on_the_way() {
    let server = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    let answering = std::thread::spawn(move || {
        let mut buffer = [0; 2048];
        let (_, client) = server.recv_from(&mut buffer).unwrap();
        server.send_to(&[&b"\0\x03\0\x01"[..], &[0; 512]].concat(), client).unwrap();
        server
    });
    assert_fails(&["get", &format!("tftp://{address}/x"), "--timeout", "1"], 69, &["no answer"]);
    drop(answering.join().unwrap());
}

/// Packets of another server get an ERROR and change nothing.
#[test]
fn a_stranger_in_the_middle() {
    let server = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    let answering = std::thread::spawn(move || {
        let mut buffer = [0; 2048];
        let (_, client) = server.recv_from(&mut buffer).unwrap();
        server.send_to(&[&b"\0\x03\0\x01"[..], &[b'a'; 512]].concat(), client).unwrap();
        server.recv_from(&mut buffer).unwrap();
        let mut stranger = Peer::new(address);
        stranger.send_to(b"\0\x03\0\x02poison", client);
        assert_eq!(stranger.expect_error(5), "unknown transfer ID");
        stranger.send_to(b"\0\x05\0\x00poison\0", client);
        server.send_to(b"\0\x03\0\x02b", client).unwrap();
        server.recv_from(&mut buffer).unwrap();
    });
    let (ran, _) = tuffet(&["get", &format!("tftp://{address}/x"), "-o", "-"]);
    ran.assert_good();
    assert_eq!(ran.stdout, [&[b'a'; 512][..], b"b"].concat());
    answering.join().unwrap();
}
