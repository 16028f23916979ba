//! Clients that hold what they can get, in thousands, beside honest ones by both protocols. An honest client has an address
//! of its own, and is served at once or within the time of a retry: nothing here depends on the speed of the machine.

use super::{Connection, HTTP, connect, curl, get, place};
use crate::harness::{Certificate, Peer, SOON, Server, Setup, bytes, rrq, skipped, wait_until};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};
use socket2::{Domain, Socket, Type};
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use tempfile::TempDir;

/// How the log begins to tell that a limit of connections is reached.
const AT_A_LIMIT: &str = "the connections of HTTP are at a limit";

/// Lets this process have as many connections, besides what other tests have open; `false` if the system does not.
fn have_descriptors(most: u64) -> bool {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let enough = |limit: Option<u64>| limit.is_none_or(|limit| limit >= most + 1000);
    if !enough(current) && enough(maximum) {
        setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).unwrap();
    }
    let has = enough(current) || enough(maximum);
    if !has {
        skipped("the process may not open enough files for an attack (`ulimit -n`)");
    }
    has
}

/// Connects from an address of the loopback interface that no honest client has.
fn attacker(number: usize, server: SocketAddr) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    let address = [127, 0, 9, 1 + (number % 250) as u8];
    socket.bind(&SocketAddr::from((address, 0)).into()).unwrap();
    socket.connect_timeout(&server.into(), SOON).unwrap();
    let stream = TcpStream::from(socket);
    stream.set_read_timeout(Some(SOON)).unwrap();
    stream
}

/// One download by each protocol.
#[track_caller]
fn honest_clients_are_served(server: &Server, web: SocketAddr) {
    let got = get(web, "/a");
    assert_eq!((got.status, got.body), (200, b"content".to_vec()));
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("a", &[]));
    assert_eq!(peer.read_on(1), b"content");
}

/// 3,000 connections that say nothing, begin a request, or begin a handshake, from 100 addresses: the server keeps as many
/// as it may, and says so in a line now and then.
#[test]
fn thousands_of_idle_connections_keep_nobody_out() {
    let folder = TempDir::new().unwrap();
    let Some(own) = Certificate::of(folder.path(), "", "IP:127.0.0.1") else { return };
    if !have_descriptors(3000) {
        return;
    }
    let server = Setup::new()
        .file("a", b"content")
        .rest_of_yaml(&format!(
            "http: {{ connections: 200, connections-per-client: 50, listeners: [{{ name: web, address: \"127.0.0.1:0\" }}, \
             {{ name: tls, address: \"127.0.0.1:0\", tls: {{ certificate: {}, key: {} }} }}] }}\n",
            own.certificate.display(),
            own.key.display(),
        ))
        .start();
    let (web, tls) = (place(&server, "web"), place(&server, "tls"));
    let before = server.descriptors();
    let mut held = Vec::new();
    for number in 0..3000 {
        let (listener, first): (_, &[u8]) = match number % 3 {
            0 => (web, b""),
            1 => (web, b"GET /a HTTP/1.1\r\nHost: tuffet\r\nX-Slow: "),
            // The beginning of a ClientHello of 512 bytes.
            _ => (tls, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
        };
        let mut stream = attacker(number % 100, listener);
        // It may be closed for a later one already.
        let _ = stream.write_all(first);
        held.push(stream);
        if number % 250 == 249 {
            honest_clients_are_served(&server, web);
        }
    }
    for version in ["1.2", "1.3"] {
        let url = format!("https://{tls}/a");
        let Some(got) = curl(&own.certificate, &["--tlsv1.2", "--tls-max", version, &url]) else { return };
        got.assert_good();
        assert_eq!(got.stdout, b"content");
    }
    let line = server.log_line(AT_A_LIMIT);
    assert_eq!((&line["limit"], &line["level"]), (&"http.connections".into(), &"WARN".into()), "{line:#}");
    wait_until("it has no more connections than it may", || server.descriptors() <= before + 200 + 20);
    honest_clients_are_served(&server, web);
    drop(held);
}

/// One address with more connections than it may have delays no other one, and the log names it.
#[test]
fn connections_of_one_address_are_its_own_affair() {
    let rest = "http: { connections-per-client: 20, listeners: [{ name: web, address: \"127.0.0.1:0\" }] }\n";
    let server = Setup::new().file("a", b"content").rest_of_yaml(rest).start();
    let web = place(&server, "web");
    let held: Vec<_> = (0..100).map(|_| attacker(4, web)).collect();
    honest_clients_are_served(&server, web);
    let line = server.log_line(AT_A_LIMIT);
    assert_eq!(line["limit"], "http.connections-per-client", "{line:#}");
    assert!(line["client"].as_str().unwrap().starts_with("127.0.9.5:"), "{line:#}");
    drop(held);
}

/// Status, metrics and log have the same numbers of connections, also when the flood is over.
#[test]
fn connections_and_what_their_limits_have_cost_are_counted() {
    let rest = "http: { connections: 2, connections-per-client: 1, listeners: [{ name: web, address: \"127.0.0.1:0\" }, \
                { name: other, address: \"127.0.0.1:0\" }] }\n";
    let server = Setup::new().file("a", b"content").rest_of_yaml(rest).start();
    fs::File::create(server.root().path("image")).unwrap().set_len(100 << 20).unwrap();
    let (web, other) = (place(&server, "web"), place(&server, "other"));
    let ask = |number, listener, path: &str| {
        let mut stream = attacker(number, listener);
        let mut first = [0; 12];
        let asked = stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: tuffet\r\n\r\n").as_bytes());
        asked.and_then(|()| stream.read_exact(&mut first)).ok()?;
        assert_eq!(&first, b"HTTP/1.1 200");
        Some(stream)
    };
    let is_closed = |mut stream: TcpStream| {
        let mut rest = Vec::new();
        let read = stream.read_to_end(&mut rest);
        assert!(read.is_ok() || read.is_err_and(|error| error.kind() == ErrorKind::ConnectionReset));
    };
    // Their answers do not end.
    let (first, second) = (ask(0, web, "/image").unwrap(), ask(1, other, "/image").unwrap());
    // At the limit of its client, and at that of all.
    is_closed(attacker(0, web));
    is_closed(attacker(2, web));
    let (open, at_limits) = connections(&server);
    assert_eq!(open, json!([{ "listener": "web", "open": 1 }, { "listener": "other", "open": 1 }]));
    let of = |limit: &str, gave_way: u64, refused: u64| json!({ "limit": limit, "gave_way": gave_way, "refused": refused });
    assert_eq!(at_limits, json!([of("http.connections", 0, 1), of("http.connections-per-client", 0, 1)]));
    drop(second);
    wait_until("one connection is left", || connections(&server).0[1]["open"] == 0);
    // It waits for its next request, and gives way.
    let idle = ask(3, other, "/a").unwrap();
    server.outcome("a");
    // Until the server has dropped the answer, the connection cannot give way.
    let mut refused = 1;
    let last = loop {
        match ask(4, web, "/image") {
            Some(last) => break last,
            None => refused += 1,
        }
    };
    is_closed(idle);
    let (open, at_limits) = connections(&server);
    assert_eq!(open, json!([{ "listener": "web", "open": 2 }, { "listener": "other", "open": 0 }]));
    assert_eq!(
        at_limits,
        json!([of("http.connections", 1, refused), of("http.connections-per-client", 0, 1)])
    );
    let metrics = server.metrics();
    let refused_line =
        format!("tuffet_http_connections_refused_total{{limit=\"http.connections\"}} {refused}");
    for line in [
        "tuffet_http_connections_active{listener=\"web\"} 2",
        "tuffet_http_connections_active{listener=\"other\"} 0",
        "tuffet_http_connections_limit 2",
        "tuffet_http_connections_gave_way_total{limit=\"http.connections\"} 1",
        "tuffet_http_connections_gave_way_total{limit=\"http.connections-per-client\"} 0",
        &*refused_line,
        "tuffet_http_connections_refused_total{limit=\"http.connections-per-client\"} 1",
    ] {
        assert!(metrics.lines().any(|its| its == line), "{line}: {metrics}");
    }
    drop((first, last));
    server.terminate();
    server.wait();
    let mut lines = server.unread();
    lines.retain(|line| line["message"].as_str().is_some_and(|text| text.starts_with(AT_A_LIMIT)));
    let sum = |key: &str| lines.iter().map(|line| line[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!((sum("gave_way"), sum("refused")), (1, refused + 1), "{lines:#?}");
    assert!(lines.iter().all(|line| line["listener"] == "web"), "{lines:#?}");
}

/// The open connections of each listener, and what the limits have cost, as the status has them.
fn connections(server: &Server) -> (Value, Value) {
    let status = server.status();
    let all = &status["http_connections"];
    assert_eq!(all["limit"], 2, "{status:#}");
    (all["listeners"].clone(), all["at_limits"].clone())
}

/// Readers that never read and uploads that never end, more than there are connections: each new client gets one of them,
/// the server needs a bounded memory for each, and nothing of the uploads stays.
#[test]
fn readers_that_never_read_and_uploads_that_never_end_keep_nobody_out() {
    if !have_descriptors(400) {
        return;
    }
    let rest = "http: { connections: 120, connections-per-client: 10, listeners: [{ name: web, address: \"127.0.0.1:0\" }] }\n";
    let server = Setup::new().file("a", b"content").writable().rest_of_yaml(rest).start();
    fs::File::create(server.root().path("image")).unwrap().set_len(100 << 20).unwrap();
    let web = place(&server, "web");
    honest_clients_are_served(&server, web);
    let before = server.memory();
    let mut held = Vec::new();
    for number in 0..240 {
        let mut stream = attacker(number % 24, web);
        // Each of them holds a place when the first bytes of its answer are there.
        let (request, answer) = match number % 2 {
            0 => ("GET /image HTTP/1.1\r\nHost: tuffet\r\n\r\n".to_owned(), &b"HTTP/1.1 200"[..]),
            _ => (
                format!(
                    "PUT /up{number} HTTP/1.1\r\nHost: tuffet\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n"
                ),
                &b"HTTP/1.1 100"[..],
            ),
        };
        let _ = stream.write_all(request.as_bytes());
        let mut first = [0; 12];
        match stream.read_exact(&mut first) {
            Ok(()) => assert_eq!(first, *answer),
            // All places are held by clients with as few connections.
            Err(_) => assert!(number >= 100, "connection {number}"),
        }
        let _ = stream.write_all(if number % 2 == 0 { b"" } else { b"1\r\nx\r\n" });
        held.push(stream);
        if number % 40 == 39 {
            honest_clients_are_served(&server, web);
        }
    }
    let more = server.memory().saturating_sub(before);
    assert!(more < 120 * (512 << 10), "{} KiB for each connection", (more >> 10) / 120);
    server.log_line(AT_A_LIMIT);
    drop(held);
    wait_until("nothing of the uploads is left", || server.root().names() == ["a", "image"]);
    honest_clients_are_served(&server, web);
}

/// While the server is busy, the system accepts the connections of a whole storm for it: a client whose first packet is
/// dropped loses a second.
#[test]
fn a_storm_of_connections_finds_room_while_the_server_is_busy() {
    let most = fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap_or_default();
    if most.trim().parse().unwrap_or(0) < 4096 {
        skipped("the system queues fewer than 4096 connections (`net.core.somaxconn`)");
        return;
    }
    if !have_descriptors(2000) {
        return;
    }
    let server = Setup::new().file("a", b"content").rest_of_yaml(HTTP).start();
    let web = place(&server, "web");
    let mut storm = Vec::new();
    server.meanwhile_stopped(|| storm.extend((0..2000).map(|number| attacker(number, web))));
    honest_clients_are_served(&server, web);
    drop(storm);
}

/// A client may end its half of the connection when it has asked.
#[test]
fn a_client_that_has_ended_its_half_gets_its_answer() {
    let size = 20_000_000;
    let server = Setup::new().file("image", &bytes(size)).writable().rest_of_yaml(HTTP).start();
    let web = place(&server, "web");
    let mut reader = connect(web);
    reader.write_all(b"GET /image HTTP/1.1\r\nHost: tuffet\r\nConnection: close\r\n\r\n").unwrap();
    reader.shutdown(Shutdown::Write).unwrap();
    let mut answer = Vec::new();
    reader.read_to_end(&mut answer).unwrap();
    assert!(answer.ends_with(&bytes(size)), "{} bytes", answer.len());
    assert_eq!(server.outcome("image")["outcome"], "served");
    let mut writer = connect(web);
    writer.write_all(b"PUT /up HTTP/1.1\r\nHost: tuffet\r\nContent-Length: 3\r\n\r\nnew").unwrap();
    writer.shutdown(Shutdown::Write).unwrap();
    let mut answer = String::new();
    writer.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    assert_eq!(server.root().read("up"), b"new");
    // One that ends it in the middle of its upload has broken it off.
    let mut half = connect(web);
    half.write_all(b"PUT /half HTTP/1.1\r\nHost: tuffet\r\nContent-Length: 4\r\n\r\nnew").unwrap();
    half.shutdown(Shutdown::Write).unwrap();
    assert_eq!(server.outcome("half")["outcome"], "aborted");
    assert!(!server.root().has("half"));
}

/// 1,000 requests in one segment are answered in their order, whether their client reads meanwhile or not.
#[test]
fn a_thousand_requests_at_once_are_answered_in_their_order() {
    let server = Setup::new().file("a", b"content").rest_of_yaml(HTTP).start();
    let web = place(&server, "web");
    let requests = "GET /a HTTP/1.1\r\nHost: tuffet\r\n\r\n".repeat(1000);
    let mut unread = attacker(1, web);
    unread.write_all(requests.as_bytes()).unwrap();
    let mut kept = Connection::to(web);
    kept.0.get_mut().write_all(requests.as_bytes()).unwrap();
    honest_clients_are_served(&server, web);
    // The last answer is one to this request.
    let last = kept.ask("GET", "/none", "Connection: close\r\n", &[]).expect("an answer");
    assert_eq!((last.status, last.body), (200, b"content".to_vec()), "the first one comes first");
    let mut rest = String::new();
    kept.0.read_to_string(&mut rest).unwrap();
    assert_eq!((rest.matches("HTTP/1.1 200").count(), rest.matches("HTTP/1.1 404").count()), (999, 1));
    drop(unread);
}
