//! The same files by HTTP and HTTPS: one policy, one log, one life with the server.

mod attacks;

use crate::explain::live;
use crate::harness::{
    Certificate, Client, Options, Peer, Ran, SOON, Server, Setup, bytes, connect, http_raw, own_address, rrq,
    run, skipped, tuffet, until, wait_until,
};
use crate::restart::{Site, end};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;

pub const HTTP: &str = "http: { listeners: [{ name: web, address: \"127.0.0.1:0\" }] }\n";

/// An answer.
#[derive(Debug)]
pub struct Got {
    status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Got {
    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(its, _)| its.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// A connection that is kept alive.
pub struct Connection(BufReader<TcpStream>);

impl Connection {
    pub fn to(server: SocketAddr) -> Connection {
        Connection(BufReader::new(connect(server)))
    }

    /// The client's end.
    pub fn address(&self) -> SocketAddr {
        self.0.get_ref().local_addr().unwrap()
    }

    /// Sends a request; `None` if the connection is closed instead of an answer.
    pub fn ask(&mut self, method: &str, path: &str, headers: &str, body: &[u8]) -> Option<Got> {
        let length =
            if method == "PUT" { format!("Content-Length: {}\r\n", body.len()) } else { String::new() };
        let head = format!("{method} {path} HTTP/1.1\r\nHost: tuffet\r\n{length}{headers}\r\n");
        self.0.get_mut().write_all(&[head.as_bytes(), body].concat()).ok()?;
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            if self.0.read_until(b'\n', &mut head).ok()? == 0 {
                return None;
            }
        }
        let head = String::from_utf8(head).unwrap();
        let got = Got { status: head[9..12].parse().unwrap(), head, body: Vec::new() };
        let length = got.header("content-length").map_or(0, |length| length.parse().unwrap());
        let has_body = method != "HEAD" && got.status != 304;
        let mut body = vec![0; if has_body { length } else { 0 }];
        self.0.read_exact(&mut body).unwrap();
        Some(Got { body, ..got })
    }
}

/// Where the listener of this name is.
#[track_caller]
pub fn place(server: &Server, name: &str) -> SocketAddr {
    let line = listening(server, name);
    line["url"].as_str().unwrap().rsplit("//").next().unwrap().parse().unwrap()
}

#[track_caller]
fn listening(server: &Server, name: &str) -> Value {
    loop {
        let line = server.logged("listening by HTTP");
        if line["listener"] == name {
            return line;
        }
    }
}

#[track_caller]
fn get(server: SocketAddr, path: &str) -> Got {
    Connection::to(server).ask("GET", path, "", &[]).expect("an answer")
}

#[test]
fn one_policy_one_log_and_one_set_of_counters() {
    let server = Setup::new()
        .file("image", &bytes(300_000))
        .file("secret/key", b"key")
        .file("local", b"for TFTP alone")
        .yaml(&format!(
            "roots: [{{ name: boot, path: root, writable: true, overwrite: true, max-upload: 1MB }}]\n{HTTP}\
             policy: {{ authorize: [acl] }}\n\
             plugins: {{ acl: {{ component: builtin:acl, settings: {{ deny: [\
               {{ names: [\"secret/*\"] }}, {{ names: [local], listeners: [web] }}] }} }} }}\n"
        ))
        .start();
    let web = place(&server, "web");
    let mut kept = Connection::to(web);
    let whole = kept.ask("GET", "/image", "User-Agent: iPXE/1.21.1\r\n", &[]).unwrap();
    assert!(whole.status == 200 && whole.body == bytes(300_000), "{}", whole.head);
    let line = server.outcome("image");
    for (key, value) in [
        ("outcome", "served"),
        ("protocol", "http"),
        ("listener", "web"),
        ("class", "ipxe"),
        ("resolved", "boot:image"),
    ] {
        assert_eq!(line[key], value, "{line:#}");
    }
    assert_eq!((&line["bytes"], &line["operation"]), (&300_000.into(), &"read".into()));
    let tag = whole.header("etag").expect("the file is settled").to_owned();
    let part = kept.ask("GET", "/image", "Range: bytes=299990-\r\n", &[]).unwrap();
    assert!(part.status == 206 && part.body == bytes(300_000)[299_990..]);
    assert_eq!(server.outcome("image")["bytes"], 10);
    let known = kept.ask("GET", "/image", &format!("If-None-Match: {tag}\r\n"), &[]).unwrap();
    assert_eq!((known.status, &*server.outcome("image")["outcome"].to_string()), (304, "\"probed\""));
    let head = kept.ask("HEAD", "/image", "", &[]).unwrap();
    assert_eq!((head.status, head.header("content-length")), (200, Some("300000")));
    assert_eq!(server.outcome("image")["outcome"], "probed");
    for (path, status, outcome) in
        [("/secret/key", 403, "denied"), ("/local", 403, "denied"), ("/none", 404, "not-found")]
    {
        let refused = kept.ask("GET", path, "", &[]).unwrap();
        assert_eq!(refused.status, status, "{path}");
        assert_eq!(server.outcome(&path[1..])["outcome"], outcome);
    }
    // The name is decoded once, and is that of TFTP then.
    assert_eq!(kept.ask("GET", "/%69mage?x=1", "", &[]).unwrap().status, 200);
    assert_eq!(server.outcome("image")["outcome"], "served");
    assert_eq!(kept.ask("GET", "/%2e%2e/image", "", &[]).unwrap().status, 403);
    assert_eq!(server.any_outcome()["outcome"], "denied");
    for (replaced, status) in [(false, 201), (true, 204)] {
        let stored = kept.ask("PUT", "/stored", "", b"new").unwrap();
        assert_eq!((stored.status, server.root().read("stored")), (status, b"new".to_vec()), "{replaced}");
        let line = server.outcome("stored");
        assert_eq!((&line["outcome"], &line["operation"]), (&"stored".into(), &"write".into()));
    }
    assert_eq!(kept.ask("PUT", "/secret/new", "", b"new").unwrap().status, 403);
    assert_eq!(server.outcome("secret/new")["outcome"], "denied");
    assert!(!server.root().has("secret/new"));
    // TFTP is served as before, and counted apart.
    assert_eq!(Client::Tuffet.get(server.address(), "local", Options::default()), b"for TFTP alone");
    assert_eq!(server.outcome("local").get("protocol"), None);
    let metrics = server.metrics();
    for (protocol, operation, outcome, count) in [
        ("http", "read", "served", 3),
        ("http", "read", "probed", 2),
        ("http", "read", "denied", 3),
        ("http", "write", "stored", 2),
        ("http", "write", "denied", 1),
        ("tftp", "read", "served", 1),
        ("tftp", "write", "stored", 0),
    ] {
        let line = format!(
            "tuffet_transfers_total{{protocol=\"{protocol}\",operation=\"{operation}\",outcome=\"{outcome}\"}} {count}"
        );
        assert!(metrics.contains(&line), "{line}\n{metrics}");
    }
    let explained = live(&server, &["--listener", "web", "--client", "127.0.0.1", "local"]);
    let said = String::from_utf8_lossy(&explained.stdout);
    assert_eq!(explained.code(), 1, "{said}");
    assert!(said.contains("(http)") && said.contains("logged as denied, by acl"), "{said}");
    let status = server.status().to_string();
    assert!(status.contains("http://127.0.0.1:"), "{status}");
    assert_eq!(server.stop(), [] as [Value; 0]);
}

/// What one protocol refuses, the other refuses for the same reason, and they serve the same bytes: 4,000 names, about
/// 10,000 requests.
#[test]
fn both_protocols_agree_on_random_names_and_ranges() {
    let server = Setup::new()
        .file("a", &bytes(1000))
        .file("b/c", &bytes(70_000))
        .file("empty", b"")
        .file("secret/a", b"for nobody")
        // Reading so many lines takes longer than the requests.
        .flag("--log")
        .flag("info,tuffet::transfer=warn")
        .yaml(&format!(
            "roots: [{{ name: boot, path: root }}]\n{HTTP}\
             policy: {{ authorize: [acl] }}\nplugins: {{ acl: {{ component: builtin:acl, settings: {{ deny: [\
               {{ names: [\"secret/**\"], message: ask Ann }}, {{ names: [x], message: no such thing }}] }} }} }}\n"
        ))
        .start();
    let (web, tftp) = (place(&server, "web"), server.address());
    let seed = fastrand::u64(..);
    let outcomes: Vec<BTreeMap<String, usize>> = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..8).map(|thread| scope.spawn(move || compare(web, tftp, seed.wrapping_add(thread)))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (what, count) in outcomes.into_iter().flatten() {
        *seen.entry(what).or_default() += count;
    }
    // Each kind of answer has been compared.
    for what in ["200", "206", "403 ask Ann", "403 no such thing", "404 file not found"] {
        assert!(seen.get(what).is_some_and(|count| *count > 20), "seed {seed}: {what}: {seen:?}");
    }
}

/// Requests random names by both protocols, and returns how often there was which answer.
fn compare(web: SocketAddr, tftp: SocketAddr, seed: u64) -> BTreeMap<String, usize> {
    let mut random = fastrand::Rng::with_seed(seed);
    let parts = ["a", "b", "c", "empty", "secret", "..", ".", "", "A", "x", "%", "ü", "b\\c", "\u{1}", "C:"];
    let mut kept = Connection::to(web);
    let client = tuffet_testing::Client::new(tftp).blksize(8192);
    let mut seen = BTreeMap::new();
    for _ in 0..500 {
        let name: Vec<&str> = (0..random.usize(1..4)).map(|_| parts[random.usize(..parts.len())]).collect();
        let name = name.join("/");
        let path: String = name.bytes().map(|byte| format!("%{byte:02x}")).collect();
        // The slash of the URL is a part of the name.
        let by_tftp = client.get(&format!("/{name}"));
        let got = kept.ask("GET", &format!("/{path}"), "", &[]).expect("an answer");
        let what = || format!("seed {seed}: {name:?}: {by_tftp:?}, {}", got.head);
        let mut answer = got.status.to_string();
        match &by_tftp {
            Ok(content) => {
                assert!(got.status == 200 && got.body == *content, "{}", what());
                let size = content.len();
                if size > 0 {
                    let (first, last) = (random.usize(..size), random.usize(..2 * size));
                    let range = format!("Range: bytes={first}-{last}\r\n");
                    let part = kept.ask("GET", &format!("/{path}"), &range, &[]).expect("an answer");
                    match first <= last {
                        true => {
                            let part_of_it = &content[first..=last.min(size - 1)];
                            assert!(part.status == 206 && part.body == part_of_it, "{}: {range}", what());
                        }
                        false => assert_eq!(part.status, 200, "not a range, so it is ignored"),
                    }
                    *seen.entry(part.status.to_string()).or_default() += 1;
                }
            }
            Err(tuffet_testing::ClientError::Refused { code, message }) => {
                let status = if *code == 1 { 404 } else { 403 };
                let line = String::from_utf8_lossy(&got.body);
                assert_eq!((got.status, line.trim_end()), (status, &**message), "{}", what());
                answer = format!("{answer} {message}");
            }
            Err(_) => panic!("{}", what()),
        }
        *seen.entry(answer).or_default() += 1;
    }
    seen
}

/// Runs curl, if it is there, which trusts this certificate.
pub fn curl(trusted: &Path, words: &[&str]) -> Option<Ran> {
    if !Client::Curl.is_installed() {
        skipped("curl is not installed: HTTPS is not tested with it");
        return None;
    }
    Some(run(Command::new("curl").args(["-sS", "--max-time", "60", "--cacert"]).arg(trusted).args(words)))
}

#[test]
fn certificates_are_checked_replaced_by_a_reload_and_asked_of_clients() {
    let folder = TempDir::new().unwrap();
    let (Some(first), Some(second)) = (
        Certificate::of(folder.path(), "", "IP:127.0.0.1"),
        Certificate::of(folder.path(), "next-", "IP:127.0.0.1"),
    ) else {
        return;
    };
    let yaml = format!(
        "roots: [{{ name: boot, path: root }}]\nhttp: {{ listeners: [{{ name: web, address: \"127.0.0.1:0\", tls: \
         {{ certificate: {}, key: {}, client-ca: {} }} }}] }}\npolicy: {{ authorize: [acl] }}\n\
         plugins: {{ acl: {{ component: builtin:acl, settings: {{ deny: [{{ names: [secret], except-certificates: [\"*\"] }}] }} }} }}\n",
        first.certificate.display(),
        first.key.display(),
        second.certificate.display()
    );
    let server =
        Setup::new().file("a", b"content").file("secret", b"for machines with a key").yaml(&yaml).start();
    let web = place(&server, "web");
    let url = format!("https://{web}/a");
    let Some(got) = curl(&first.certificate, &[&url]) else { return };
    got.assert_good();
    assert_eq!(got.stdout, b"content");
    assert_eq!(server.outcome("a")["listener"], "web");
    let ends = |server: &Server| {
        let metrics = server.metrics();
        let line = metrics
            .lines()
            .find(|line| line.starts_with("tuffet_certificate_end_time_seconds{listener=\"web\"}"));
        line.and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).expect("the metric")
    };
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs_f64();
    assert!((ends(&server) - now - 2.0 * 86400.0).abs() < 86400.0, "{}", ends(&server));
    let said = String::from_utf8(server.ask("status").stdout).unwrap();
    assert!(said.contains("certificate    web: until 2"), "{said}");
    // It ends in two days.
    assert!(server.log_line("the certificate")["message"].as_str().unwrap().contains("ends within 2days"));
    for version in ["1.2", "1.3"] {
        curl(&first.certificate, &["--tlsv1.2", "--tls-max", version, &url]).unwrap().assert_good();
        server.outcome("a");
    }
    // A client may have a certificate of the authority, or none, and no other one.
    let with = |url: &str, certificate: &Certificate| {
        let (certificate, key) =
            (certificate.certificate.to_str().unwrap(), certificate.key.to_str().unwrap());
        curl(&first.certificate, &["--cert", certificate, "--key", key, url]).unwrap()
    };
    with(&url, &second).assert_good();
    let certificate = server.outcome("a")["certificate"].as_str().map(str::len);
    assert_eq!(certificate, Some(64), "a digest in hexadecimal digits");
    assert!(!with(&url, &first).status.success());
    let secret = format!("https://{web}/secret");
    assert_eq!(with(&secret, &second).stdout, b"for machines with a key");
    assert_eq!(server.outcome("secret")["outcome"], "served");
    curl(&first.certificate, &[&secret]).unwrap().assert_good();
    assert_eq!(server.outcome("secret")["outcome"], "denied");
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("secret", &[]));
    peer.expect_error(2);
    server.outcome("secret");
    // Noise, and HTTP without TLS, cost their own connection alone.
    for noise in ["GET /a HTTP/1.1\r\n\r\n", "\x16\x03\x01\u{1}\u{1}garbage", ""] {
        let mut stream = connect(web);
        let _ = stream.write_all(noise.as_bytes());
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
    }
    curl(&first.certificate, &[&url]).unwrap().assert_good();
    server.outcome("a");
    // A reload reads the files again: all of it, or nothing.
    fs::write(&first.key, "nonsense").unwrap();
    let refused = server.ask("reload");
    refused.assert_fails(1, &["key.pem", "holds no key"]);
    fs::copy(&second.key, &first.key).unwrap();
    server.ask("reload").assert_fails(1, &["is not the key of the certificate"]);
    fs::copy(&second.certificate, &first.certificate).unwrap();
    server.ask("reload").assert_good();
    let by_new = curl(&second.certificate, &[&url]).unwrap();
    by_new.assert_good();
    assert_eq!(by_new.stdout, b"content");
    drop(server);
}

/// The CPU time of the threads of a server that have this name, in ticks of the clock.
fn ticks(server: &Server, name: &str) -> u64 {
    let threads = fs::read_dir(format!("/proc/{}/task", server.id())).unwrap();
    let all = threads.filter_map(|thread| fs::read_to_string(thread.unwrap().path().join("stat")).ok());
    let of_name = all.filter_map(|stat| {
        let (before, rest) = stat.rsplit_once(") ")?;
        let times = rest.split(' ').skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap());
        before.ends_with(&format!("({name}")).then(|| times.sum::<u64>())
    });
    of_name.sum()
}

/// Encryption takes the CPU time of other threads than those on which policy decides for clients of TFTP.
#[test]
fn large_loads_take_nothing_from_the_control_runtime() {
    let folder = TempDir::new().unwrap();
    let Some(own) = Certificate::of(folder.path(), "", "IP:127.0.0.1") else { return };
    let yaml = format!(
        "roots: [{{ name: boot, path: root }}]\nhttp: {{ listeners: [{{ name: web, address: \"127.0.0.1:0\", tls: \
         {{ certificate: {}, key: {} }} }}] }}\n",
        own.certificate.display(),
        own.key.display(),
    );
    let server = Setup::new().yaml(&yaml).start();
    fs::File::create(server.root().path("image")).unwrap().set_len(200 << 20).unwrap();
    let url = format!("https://{}/image", place(&server, "web"));
    let before = ticks(&server, "tuffet-control");
    for _ in 0..3 {
        let Some(got) = curl(&own.certificate, &["-o", "/dev/null", &url]) else { return };
        got.assert_good();
    }
    let (http, control) = (ticks(&server, "tuffet-http"), ticks(&server, "tuffet-control") - before);
    assert!(http > 5 * control.max(1), "{http} ticks of HTTP, {control} of the control runtime");
}

/// A download that is under way ends; what comes then is refused, and idle connections are closed at once.
#[test]
fn a_drain_lets_answers_end_and_closes_idle_connections() {
    let size = 20_000_000;
    let server = Setup::new().file("image", &bytes(size)).rest_of_yaml(&format!("{HTTP}drain: 1h\n")).start();
    let web = place(&server, "web");
    let mut idle = Connection::to(web);
    assert_eq!(idle.ask("GET", "/none", "", &[]).unwrap().status, 404);
    let mut slow = connect(web);
    slow.write_all(b"GET /image HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut first = [0; 1000];
    slow.read_exact(&mut first).unwrap();
    server.terminate();
    server.log_line("stopping");
    assert_eq!(idle.0.read(&mut [0]).unwrap_or(0), 0, "it is closed");
    until("the port is closed", || TcpStream::connect(web).is_err(), |closed| *closed);
    assert!(!server.has_ended());
    let mut rest = Vec::new();
    slow.read_to_end(&mut rest).unwrap();
    let whole = [&first[..], &rest].concat();
    assert!(whole.ends_with(&bytes(size)), "{} bytes", whole.len());
    assert_eq!(server.wait().code(), Some(0));
    assert_eq!(server.outcome("image")["outcome"], "served");
}

/// The next server takes the sockets over: nobody is refused, and the old one ends its answers.
#[test]
fn a_restart_refuses_nobody() {
    let port = own_address();
    let site = Site::new(&format!("http: {{ listeners: [{{ name: web, address: \"{port}\" }}] }}\n"));
    let mut first = site.started(&[]);
    let mut slow = connect(port);
    slow.write_all(b"GET /5000 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    assert_eq!(get(port, "/5000").body, bytes(5000));
    let second = site.started(&["--take-over"]);
    for _ in 0..20 {
        assert_eq!(get(port, "/5000").body, bytes(5000));
    }
    let mut whole = Vec::new();
    slow.read_to_end(&mut whole).unwrap();
    assert!(whole.ends_with(&bytes(5000)));
    assert_eq!(first.0.wait().unwrap().code(), Some(0));
    assert_eq!(get(port, "/5000").status, 200);
    second.stop();
}

/// A client that has connected to the server before it is replaced, and has sent its request afterwards.
#[test]
fn a_restart_serves_who_has_connected_before() {
    let port = own_address();
    let site = Site::new(&format!("http: {{ listeners: [{{ name: web, address: \"{port}\" }}] }}\n"));
    let mut first = site.started(&[]);
    // The first server stays as long as this transfer.
    let reader = site.begin();
    let descriptors = || fs::read_dir(format!("/proc/{}/fd", first.0.id())).unwrap().count();
    let before = descriptors();
    let mut begun = connect(port);
    begun.write_all(b"GET /5000 HTTP/1.1\r\nHost: x\r\n").unwrap();
    wait_until("it is accepted", || descriptors() > before);
    let second = site.started(&["--take-over"]);
    site.waits_for("the next server answers requests; waiting for running transfers", 1);
    begun.write_all(b"\r\n").unwrap();
    let mut answer = Vec::new();
    begun.read_to_end(&mut answer).unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 200") && answer.ends_with(&bytes(5000)));
    end(reader);
    assert_eq!(first.0.wait().unwrap().code(), Some(0));
    second.stop();
}

/// Whoever holds connections, or drips, does not keep others from being served by either protocol.
#[test]
fn honest_clients_are_served_beside_those_that_hold_connections() {
    let rest = "http: { connections: 40, connections-per-client: 30, listeners: [{ name: web, address: \"0.0.0.0:0\" }] }\n";
    let server = Setup::new().file("a", b"content").rest_of_yaml(rest).start();
    let port = place(&server, "web").port();
    let web = SocketAddr::from(([127, 0, 0, 1], port));
    let mut held = Vec::new();
    for number in 0..120_u8 {
        let mut stream = connect(web);
        let beginning: &[u8] = match number % 4 {
            0 => b"",
            1 => b"GET /a HT",
            2 => b"PUT /up HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nx",
            _ => b"\0\xff\r\n\r\n",
        };
        let _ = stream.write_all(beginning);
        held.push(stream);
    }
    let began = Instant::now();
    for _ in 0..20 {
        assert_eq!(get(web, "/a").body, b"content");
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq("a", &[]));
        assert_eq!(peer.read_on(1), b"content");
    }
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    drop(held);
}

/// Two lengths, or a length beside chunks, could mean two things to two programs (RFC 9112, section 6.3).
#[test]
fn requests_that_can_be_read_in_two_ways_are_refused() {
    let server = Setup::new().file("a", b"content").writable().rest_of_yaml(HTTP).start();
    let web = place(&server, "web");
    for head in [
        "Content-Length: 3\r\nContent-Length: 4\r\n",
        "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: -3\r\n",
        "Transfer-Encoding: gzip\r\n",
    ] {
        let mut stream = connect(web);
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        write!(
            stream,
            "PUT /up HTTP/1.1\r\nHost: x\r\n{head}\r\n0\r\n\r\nGET /a HTTP/1.1\r\nHost: x\r\n\r\n"
        )
        .unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer);
        // Chunks count before a length, and end the connection: what follows is no request of its own.
        assert!(!answer.contains("200 OK") && answer.matches("HTTP/1.1").count() == 1, "{head}: {answer}");
    }
    // A head that is too long, and one with too many fields.
    let long = format!("GET /a HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(100_000));
    let many = format!("GET /a HTTP/1.1\r\n{}\r\n", "X: y\r\n".repeat(5000));
    for head in [long, many] {
        assert!((400..500).contains(&http_raw(web, &head).status));
    }
    assert_eq!(get(web, "/a").status, 200);
}

/// What is wrong with the section is found by `check`, at its place.
#[test]
fn mistakes_are_found_by_check() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("root")).unwrap();
    fs::write(folder.path().join("no.pem"), "nothing").unwrap();
    let file = folder.path().join("t.yaml");
    for (section, words) in [
        ("http: {}", "there is no listener"),
        ("http: { listeners: [{ address: \"127.0.0.1:80\", tls: { certificate: no.pem } }] }", "key"),
        (
            "http: { listeners: [{ address: \"127.0.0.1:80\", tls: { certificate: no.pem, key: no.pem } }] }",
            "holds no certificate",
        ),
        (
            "http: { listeners: [{ address: \"127.0.0.1:80\", tls: { certificate: none.pem, key: no.pem } }] }",
            "cannot be read",
        ),
        ("http: { listeners: [{ name: lan, address: \"127.0.0.1:80\" }] }", "two listeners are named `lan`"),
        ("http: { listeners: [{ address: \"127.0.0.1:80\", roots: [bot] }] }", "unknown root `bot`"),
        (
            "http: { listeners: [{ address: \"127.0.0.1:80\", policy: { authorize: [x] } }] }",
            "unknown plugin `x`",
        ),
        (
            "http: { listeners: [{ address: \"127.0.0.1:80\" }, { name: b, address: \"127.0.0.1:80\" }] }",
            "has two listeners",
        ),
    ] {
        let yaml = format!(
            "listeners: [{{ name: lan, address: \"127.0.0.1:69\" }}]\nroots: [{{ name: boot, path: root }}]\n{section}\n"
        );
        fs::write(&file, yaml).unwrap();
        let checked = tuffet(["check", "--config", file.to_str().unwrap()]);
        checked.assert_fails(64, &[words, "t.yaml:3:"]);
    }
}
