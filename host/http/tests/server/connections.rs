//! Connections: their reuse, their limits, and their end.

use super::{Served, content, limits};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// A file that does not fit into the buffers of the kernels.
const LARGE: usize = 32 << 20;

#[test]
fn requests_follow_each_other_and_may_be_sent_ahead() {
    let served = Served::start();
    let mut client = served.connect();
    for size in [7, 0, 300_000] {
        assert_eq!(client.ask(&[&format!("GET /memory/{size} HTTP/1.1")]).body, content(size));
        assert_eq!(client.ask(&["GET /none HTTP/1.1"]).status, 404);
    }
    client.send(["GET /memory/9 HTTP/1.1\r\nHost: test\r\n\r\n"; 20].concat());
    client.send("HEAD /memory/8 HTTP/1.1\r\nHost: test\r\n\r\nGET /memory/7 HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
    for _ in 0..20 {
        assert_eq!(client.answer(false).body, content(9));
    }
    assert_eq!(client.answer(true).header("content-length"), Some("8"));
    assert_eq!(client.answer(false).body, content(7));
    assert!(client.is_closed());
}

#[test]
fn heads_with_two_meanings_are_refused() {
    let served = Served::start();
    let smuggled = "GET /memory/1 HTTP/1.1\r\nHost: test\r\n\r\n";
    for head in [
        "PUT /a HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
        "PUT /a HTTP/1.1\r\nHost: test\r\nContent-Length: 3, 4\r\n\r\nabc",
        "PUT /a HTTP/1.1\r\nHost: test\r\nContent-Length: +3\r\n\r\nabc",
        "PUT /a HTTP/1.1\r\nHost: test\r\nContent-Length: -1\r\n\r\nabc",
        "PUT /a HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        "PUT /a HTTP/1.0\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET /memory/1 HTTP/1.1\r\n\r\n",
        "GET /memory/1 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET /memory/1 HTTP/1.1\r\nHost: user@test\r\n\r\n",
        "GET /memory/1 HTTP/1.1\r\nHost: test/x\r\n\r\n",
        "GET /memory/1 HTTP/1.1\r\nHost: a, b\r\n\r\n",
        "GET * HTTP/1.1\r\nHost: test\r\n\r\n",
        "GET /memory/1 HTTP/1.1\r\nHost : test\r\n\r\n",
        "GET /memory/1 HTTP/1.1\r\nHost: test\r\nX: a\r\n b\r\n\r\n",
        "GET /memory/1\r\n\r\n",
    ] {
        let mut client = served.connect();
        client.send(head);
        assert_eq!(client.answer(false).status, 400, "{head:?}");
    }
    // Of both, the chunks count; nothing may follow that another program took for the body.
    for lengths in
        ["Content-Length: 3\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 3"]
    {
        let mut client = served.connect();
        client.send(format!("GET /memory/1 HTTP/1.1\r\nHost: test\r\n{lengths}\r\n\r\n0\r\n\r\n{smuggled}"));
        assert_eq!(client.answer(false).body, content(1), "{lengths}");
        assert!(client.is_closed(), "{lengths}");
    }
    let mut client = served.connect();
    client.send(format!("GET /{} HTTP/1.1\r\nHost: test\r\n\r\n", "a".repeat(20_000)));
    let status = client.answer(false).status;
    assert!((400..500).contains(&status), "{status}");
    let mut client = served.connect();
    client.send(format!("GET /memory/1 HTTP/1.1\r\nHost: test\r\n{}\r\n", "X: y\r\n".repeat(100)));
    assert_eq!(client.answer(false).status, 431);
}

#[test]
fn a_head_that_does_not_end_and_an_idle_connection_are_closed() {
    let served =
        Served::with(limits(|limits| limits.head_timeout = Duration::from_millis(300)), |builder| builder);
    let mut slow = served.connect();
    slow.send("GET /memory/1 HTTP/1.1\r\nHost: te");
    let mut silent = served.connect();
    let mut idle = served.connect();
    assert_eq!(idle.ask(&["GET /memory/1 HTTP/1.1"]).status, 200);
    assert!(slow.is_closed() && silent.is_closed() && idle.is_closed());
}

#[test]
fn idle_connections_leave_room_for_others() {
    let setup = limits(|limits| (limits.connections, limits.per_client) = (24, 16));
    let served = Served::with(setup, |builder| builder);
    served.write("large", content(LARGE));
    let mut transfer = served.connect_from([127, 0, 0, 4]);
    transfer.send_head(&["GET /large HTTP/1.1", "Host: test"]);
    assert_eq!(transfer.head().status, 200);
    let mut idle = Vec::new();
    for number in 0..300_u16 {
        idle.push(served.connect_from([127, 0, 0, 20 + (number % 30) as u8]));
        if number % 50 == 49 {
            assert_eq!(served.connect_from([127, 0, 0, 3]).ask(&["GET /memory/5 HTTP/1.1"]).body, content(5));
        }
    }
    let mut rest = vec![0; LARGE];
    transfer.0.read_exact(&mut rest).unwrap();
    assert!(rest == content(LARGE));
    // The oldest are closed, the newest are not.
    assert!(idle[0].is_closed());
    let newest = idle.last_mut().unwrap();
    assert_eq!(newest.ask(&["GET /memory/5 HTTP/1.1"]).body, content(5));
}

#[test]
fn a_client_has_a_share_of_the_connections() {
    let setup = limits(|limits| limits.per_client = 2);
    let served = Served::with(setup, |builder| builder);
    served.write("large", content(LARGE));
    let mut busy: Vec<_> = (0..2).map(|_| served.connect_from([127, 0, 0, 5])).collect();
    for client in &mut busy {
        client.send_head(&["GET /large HTTP/1.1", "Host: test"]);
        assert_eq!(client.head().status, 200);
    }
    assert!(served.connect_from([127, 0, 0, 5]).is_closed());
    let mut other = served.connect_from([127, 0, 0, 6]);
    assert_eq!(other.ask(&["GET /memory/5 HTTP/1.1"]).status, 200);
    let counts = served.http.as_ref().unwrap().connections().count();
    assert_eq!((&*counts.listeners[0].listener, counts.open()), ("test", 3));
    assert_eq!((counts.at_client_limit.gave_way, counts.at_client_limit.refused), (0, 1));
    for client in &mut busy {
        client.0.read_exact(&mut vec![0; LARGE]).unwrap();
    }
}

#[test]
fn a_drain_lets_answers_finish_and_closes_the_rest() {
    let mut served = Served::start();
    served.write("large", content(LARGE));
    let mut idle = served.connect();
    assert_eq!(idle.ask(&["GET /memory/1 HTTP/1.1"]).status, 200);
    let mut busy = served.connect();
    busy.send_head(&["GET /large HTTP/1.1", "Host: test"]);
    assert_eq!(busy.head().status, 200);
    let reader = std::thread::spawn(move || {
        assert!(idle.is_closed());
        drop(idle);
        busy.0.read_exact(&mut vec![0; LARGE]).unwrap();
        assert!(busy.is_closed());
    });
    assert_eq!(served.drain(super::PATIENCE), 0);
    reader.join().unwrap();
    assert!(TcpStream::connect(served.address).is_err());
    assert_eq!([served.end(), served.end()], ["served memory/1", "served large"]);
}

#[test]
fn a_drain_waits_for_no_idle_client() {
    let mut served = Served::start();
    let mut idle = served.connect();
    assert_eq!(idle.ask(&["GET /memory/1 HTTP/1.1"]).status, 200);
    assert_eq!(served.end(), "served memory/1");
    // Less than the server waits for the rest of a request.
    assert_eq!(served.drain(Duration::from_millis(1900)), 0);
    assert!(idle.is_closed());
}

/// A client that has connected before the drain is served, if its request comes within a second; one that says nothing
/// is closed then.
#[test]
fn a_drain_waits_a_moment_for_first_requests() {
    let is_served = || {
        let mut served = Served::start();
        let (mut silent, mut fresh) = (served.connect(), TcpStream::connect(served.address).unwrap());
        let http = served.http.take().unwrap();
        while http.connections().count().open() < 2 {
            std::thread::yield_now();
        }
        let draining = http.drain(super::PATIENCE);
        let _ = fresh.write_all(b"GET /memory/5 HTTP/1.1\r\nHost: test\r\n\r\n");
        assert_eq!(served.runtime.block_on(draining), 0);
        assert!(silent.is_closed());
        let mut answer = Vec::new();
        let _ = fresh.read_to_end(&mut answer);
        answer.starts_with(b"HTTP/1.1 200") && answer.ends_with(&content(5))
    };
    // A machine that stands still for a second between two lines does not do it each time.
    assert!((0..5).any(|_| is_served()));
}

#[test]
fn a_drain_cuts_answers_that_take_too_long() {
    let mut served = Served::start();
    served.write("large", content(LARGE));
    let mut busy = served.connect();
    busy.send_head(&["GET /large HTTP/1.1", "Host: test"]);
    assert_eq!(busy.head().status, 200);
    assert_eq!(served.drain(Duration::from_millis(100)), 1);
    assert!(busy.0.read_exact(&mut vec![0; LARGE]).is_err());
    assert_eq!(served.end(), "aborted large");
}
