//! The admin listener answers at once, whatever other connections exist.

use crate::harness::{Events, Peer, SOON, Server, Setup, connect, http, rrq};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use socket2::{Domain, Socket, Type};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

const OPEN: &str = "admin: { address: \"127.0.0.1:0\" }\n";
/// Below the five seconds after which an idle connection is closed anyway.
const AT_ONCE: Duration = Duration::from_secs(4);

/// Requests the paths of probes, one after the other.
#[track_caller]
fn answers_at_once(server: &Server) {
    for path in ["/livez", "/readyz", "/metrics"] {
        let begun = Instant::now();
        let answer = http(server.admin(), path, &[]);
        assert_eq!(answer.status, 200, "{path}");
        assert!(begun.elapsed() < AT_ONCE, "{path} took {:?}", begun.elapsed());
    }
}

/// Returns whether the server has closed the connection.
fn is_closed(mut stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let read = stream.read(&mut [0; 256]);
    stream.set_nonblocking(false).unwrap();
    !matches!(read, Err(error) if error.kind() == ErrorKind::WouldBlock)
}

/// How long a viewer may read nothing.
const UNREAD: Duration = Duration::from_secs(10);

/// Returns how many the server has disconnected, without reading from them.
fn disconnected(streams: &[impl AsFd]) -> usize {
    let mut ready: Vec<PollFd> =
        streams.iter().map(|stream| PollFd::new(stream, PollFlags::RDHUP | PollFlags::HUP)).collect();
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut ready, Some(&at_once)).unwrap()
}

/// The kernel would take the events of a quiet server for a quarter of an hour.
#[test]
fn viewers_that_read_nothing_are_disconnected_and_keep_nobody_out() {
    let server = Setup::new().rest_of_yaml(OPEN).start();
    let begun = Instant::now();
    let unread: Vec<TcpStream> =
        (0..16).map(|_| Events::open(server.admin(), "/api/live").ok().unwrap().unread()).collect();
    assert_eq!(Events::open(server.admin(), "/api/live").err(), Some(503), "they have all places");
    // Another address takes one of their places, also for the socket of `tuffet top`.
    let mut other = Events::open_from([127, 0, 0, 2], server.admin(), "/api/live").ok().unwrap();
    let mut top = UnixStream::connect(server.outside().path("control")).unwrap();
    top.write_all(b"watch\n").unwrap();
    let mut top = BufReader::new(top);
    let mut next = || {
        other.next().expect("a viewer that reads is not disconnected");
        let mut line = String::new();
        top.read_line(&mut line).unwrap();
        assert!(line.starts_with("{\"live\":{"), "{line}");
    };
    next();
    while disconnected(&unread) < 2 {
        assert!(begun.elapsed() < UNREAD, "they make room at once");
        next();
    }
    while disconnected(&unread) < 16 {
        assert!(begun.elapsed() < UNREAD + SOON, "{} are disconnected", disconnected(&unread));
        next();
    }
    assert!(begun.elapsed() >= UNREAD, "{:?}", begun.elapsed());
    for _ in 0..14 {
        assert!(Events::open(server.admin(), "/api/live").is_ok(), "their places are free");
    }
    next();
}

/// So it is for `tuffet top` and `tuffet capture`.
#[test]
fn readers_of_the_control_socket_that_read_nothing_are_disconnected() {
    let server = Setup::new().rest_of_yaml(OPEN).start();
    let ask = |command: &str| {
        let mut stream = UnixStream::connect(server.outside().path("control")).unwrap();
        stream.write_all(format!("{command}\n").as_bytes()).unwrap();
        stream
    };
    let begun = Instant::now();
    let mut unread: Vec<UnixStream> = (0..16).map(|_| ask("watch")).collect();
    let capture = r#"capture {"clients":[],"milliseconds":86400000,"bytes":1000000,"datagrams":null}"#;
    let mut capturing = BufReader::with_capacity(1, ask(capture));
    let mut line = String::new();
    capturing.read_line(&mut line).unwrap();
    assert_eq!(line, "\"capturing\"\n");
    unread.push(capturing.into_inner());
    let mut busy = String::new();
    ask(capture).read_to_string(&mut busy).unwrap();
    assert_eq!(busy, "\"busy\"\n");
    let mut peer = Peer::new(server.address());
    let mut viewer = Events::open(server.admin(), "/api/live").ok().unwrap();
    while disconnected(&unread) < 17 {
        assert!(begun.elapsed() < UNREAD + SOON, "{} are disconnected", disconnected(&unread));
        viewer.next().expect("a viewer that reads is not disconnected");
        // Something to capture.
        peer.ask(&rrq("none", &[]));
        peer.expect_error(1);
    }
    assert!(begun.elapsed() >= UNREAD, "{:?}", begun.elapsed());
}

#[test]
fn idle_connections_delay_no_probe() {
    let server = Setup::new().rest_of_yaml(OPEN).start();
    for count in [64, 500] {
        let idle: Vec<TcpStream> = (0..count).map(|_| connect(server.admin())).collect();
        answers_at_once(&server);
        drop(idle);
    }
}

/// Each sends a part of the head of a request, and then more, byte by byte.
#[test]
fn slow_senders_of_headers_delay_no_probe() {
    let server = Setup::new().rest_of_yaml(OPEN).start();
    let mut slow: Vec<TcpStream> = (0..100).map(|_| connect(server.admin())).collect();
    for byte in b"GET /livez HT" {
        for stream in &mut slow {
            // Fails if it was closed for another.
            let _ = stream.write_all(&[*byte]);
        }
    }
    answers_at_once(&server);
    for stream in &mut slow {
        let _ = stream.write_all(b"T");
    }
    answers_at_once(&server);
}

/// Each has requested a large answer, and reads nothing.
#[test]
fn slow_readers_of_answers_delay_no_probe() {
    let server = Setup::new().rest_of_yaml(OPEN).start();
    let host = server.admin();
    // It takes no time to make, as metrics do.
    let ask = format!("GET /tables.js HTTP/1.1\r\nHost: {host}\r\n\r\n").repeat(32);
    let slow: Vec<TcpStream> = (0..64)
        .map(|_| {
            let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
            socket.set_recv_buffer_size(2048).unwrap();
            socket.connect(&host.into()).unwrap();
            let mut stream = TcpStream::from(socket);
            stream.write_all(ask.as_bytes()).unwrap();
            stream
        })
        .collect();
    answers_at_once(&server);
    drop(slow);
}

#[test]
fn idle_strangers_close_no_view() {
    let server = Setup::new().rest_of_yaml(OPEN).start();
    let mut viewers: Vec<Events> =
        (0..16).map(|_| Events::open(server.admin(), "/api/live").ok().unwrap()).collect();
    let before: Vec<_> = viewers.iter_mut().map(|viewer| viewer.next().unwrap()).collect();
    let idle: Vec<TcpStream> = (0..500).map(|_| connect(server.admin())).collect();
    answers_at_once(&server);
    for (viewer, before) in viewers.iter_mut().zip(before) {
        let later = viewer.next().expect("a view is not closed for strangers");
        assert!(later["unix_ms"].as_u64() > before["unix_ms"].as_u64());
    }
    // The oldest of the other connections have been closed.
    assert!(is_closed(&idle[0]));
}

#[test]
fn so_it_is_for_a_socket_in_the_file_system() {
    let server = Setup::new().rest_of_yaml("admin: { address: \"unix:admin\" }\n").start();
    let path = server.outside().path("admin");
    let _idle: Vec<UnixStream> = (0..200).map(|_| UnixStream::connect(&path).unwrap()).collect();
    let begun = Instant::now();
    let mut stream = UnixStream::connect(&path).unwrap();
    stream.write_all(b"GET /livez HTTP/1.1\r\nHost: any\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 200") && begun.elapsed() < AT_ONCE,
        "{answer}: {:?}",
        begun.elapsed()
    );
}
