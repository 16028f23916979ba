//! The admin listener: access, health, the stream of the live view.

use crate::harness::{
    Answer, Client, Endpoint, Events, HttpAnswer, Options, Peer, SOON, Server, Setup, ack, bytes, connect,
    http, http_raw, rrq, tuffet,
};
use crate::policy::misbehave;
use serde_json::{Value, json};
use socket2::{Domain, Socket, Type};
use std::io::{Read, Write};
use std::time::{Duration, Instant};

const OPEN: &str = "admin: { address: \"127.0.0.1:0\" }\n";
const TOKEN: &str = "Authorization: Bearer 0123456789abcdef";
const BOOT: &str = "roots: [{ name: boot, path: root }]\n";

#[track_caller]
fn json_of(server: &Server, path: &str) -> (u16, Value) {
    let answer = http(server.admin(), path, &[]);
    assert_eq!(answer.header("content-type"), "application/json", "{answer:?}");
    (answer.status, answer.json())
}

#[test]
fn a_server_is_alive_and_ready() {
    let server = Setup::new().rest_of_yaml(OPEN).start();
    assert_eq!(json_of(&server, "/livez"), (200, json!({ "live": true, "silent": [] })));
    assert_eq!(json_of(&server, "/readyz"), (200, json!({ "state": "ready", "ready": true, "reasons": [] })));
    assert_eq!(server.stop(), [] as [Value; 0]);
}

/// The server sorts and filters the rows; what it does not know is named.
#[test]
fn a_snapshot_has_the_rows_that_are_asked_for() {
    let server =
        Setup::new().file("a.img", &bytes(5000)).file("b.img", &bytes(5000)).rest_of_yaml(OPEN).start();
    let mut peers = [Peer::new(server.address()), Peer::new(server.address())];
    for (peer, name) in peers.iter_mut().zip(["a.img", "b.img"]) {
        peer.ask(&rrq(name, &[]));
        peer.expect(Answer::Data(1, bytes(5000)[..512].to_vec()));
    }
    let mut third = Peer::new(server.address());
    third.ask(&rrq("none", &[]));
    third.expect_error(1);
    server.outcome("none");
    let rows = |query: &str, table: &str| {
        let (status, snapshot) = json_of(&server, &format!("/api/snapshot{query}"));
        assert_eq!(status, 200, "{snapshot}");
        assert_eq!(snapshot["active_blocks"], 2, "one in flight for each, whatever the query");
        let paths =
            snapshot[table].as_array().unwrap().iter().map(|row| row["path"].as_str().unwrap().to_owned());
        (paths.collect::<Vec<_>>(), snapshot["matching"].as_u64().unwrap())
    };
    assert_eq!(rows("?sort=file", "active"), (vec!["a.img".into(), "b.img".into()], 2));
    assert_eq!(rows("?sort=-file", "active"), (vec!["b.img".into(), "a.img".into()], 2));
    assert_eq!(rows("?filter=file%3AB.img+root%3Aboot", "active"), (vec!["b.img".into()], 1));
    assert_eq!(rows("?filter=root%3Aother", "active"), (vec![], 0));
    assert_eq!(rows("?filter=outcome%3Anot-found", "finished"), (vec!["none".into()], 2));
    assert_eq!(rows("?filter=outcome%3Afailed", "finished"), (vec![], 2));
    // They acknowledge nothing, so they are stuck after some seconds.
    server.live_until("both are still", |live| {
        live["active"].as_array().unwrap().iter().all(|row| row["idle_seconds"].as_u64() >= Some(3))
    });
    assert_eq!(rows("?filter=state%3Astuck", "active").1, 2);
    assert_eq!(rows("?filter=state%3Amoving", "active"), (vec![], 0));
    for (query, word) in
        [("?sort=speed", "rate, progress"), ("?filter=state:dead", "state:stuck"), ("?x=1", "filter=")]
    {
        for path in ["/api/snapshot", "/api/live"] {
            let answer = http(server.admin(), &format!("{path}{query}"), &[]);
            assert!(answer.status == 400 && answer.body.contains(word), "{path}{query}: {answer:?}");
        }
    }
}

#[test]
fn metrics_are_for_prometheus() {
    let server = Setup::new().file("a", b"content").rest_of_yaml(OPEN).start();
    Client::Tuffet.get(server.address(), "a", Options::default());
    server.outcome("a");
    let answer = http(server.admin(), "/metrics", &[]);
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, "text/plain; version=0.0.4; charset=utf-8")
    );
    let due = "tuffet_transfers_total{protocol=\"tftp\",operation=\"read\",outcome=\"served\"} 1";
    assert!(answer.body.lines().any(|line| line == due), "{}", answer.body);
}

#[test]
fn a_reload_that_is_refused_makes_it_not_ready() {
    let server = Setup::new().yaml(&format!("{BOOT}{OPEN}")).start();
    server.rewrite(&format!("{BOOT}{OPEN}workers: 7\n"));
    assert_eq!(server.ask("reload").code(), 1);
    let (status, said) = json_of(&server, "/readyz");
    assert_eq!(
        (status, &said["ready"], &said["reasons"][0]["check"]),
        (503, &false.into(), &"reload".into())
    );
    let detail = said["reasons"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("`workers` cannot change"), "{detail}");
    assert_eq!(json_of(&server, "/readyz?exclude=reload").0, 200);
    assert_eq!(json_of(&server, "/readyz?exclude=draining&exclude=plugin").0, 503);
    let unknown = http(server.admin(), "/readyz?exclude=reloads", &[]);
    assert_eq!(unknown.status, 400);
    assert!(unknown.body.contains("starting, draining, reload, plugin, sink"), "{unknown:?}");
    assert_eq!(json_of(&server, "/livez").0, 200);

    // The address cannot change.
    server.rewrite(&format!("{BOOT}admin: {{ address: \"127.0.0.1:1\" }}\n"));
    server.ask("reload").assert_fails(1, &["`admin.address` cannot change while the server runs"]);
    server.rewrite(&format!("{BOOT}{OPEN}"));
    server.ask("reload").assert_good();
    assert_eq!(json_of(&server, "/readyz").0, 200);
}

#[test]
fn an_open_breaker_makes_it_not_ready() {
    let plugin = format!(
        "{OPEN}policy: {{ authorize: [bad] }}\nplugins:\n  bad: {{ component: \"{}\", breaker: {{ failures: 1, \
         back-off: 1h, cap: 1h }}, settings: {{ do: trap }} }}\n",
        misbehave()
    );
    let server = Setup::new().rest_of_yaml(&plugin).start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("a", &[]));
    assert!(matches!(peer.receive(), Answer::Error(..)));
    server.outcome("a");
    let (status, said) = json_of(&server, "/readyz");
    assert_eq!(status, 503);
    let reason = json!({ "check": "plugin", "detail": "`bad` keeps failing and is not called; its `on-error` applies" });
    assert_eq!(said["reasons"], json!([reason]));
}

/// With its reason while deliveries fail, and ready again when they succeed.
#[test]
fn a_broken_sink_makes_it_not_ready() {
    let endpoint = Endpoint::new(&[HttpAnswer::Status(503, "")]);
    let server = Setup::new()
        .rest_of_yaml(&format!(
            "{OPEN}state: state\nsinks: {{ far: {{ http: {{ url: \"{}\", batch: {{ wait: 0s }} }} }} }}\npolicy: {{ \
             observe: [publish] }}\nplugins:\n  publish:\n    component: builtin:publish\n    grants: [sinks/far]\n    \
             limits: {{ time: 20s, wall: 40s }}\n    settings: {{ sink: far }}\n",
            endpoint.url()
        ))
        .start();
    assert_eq!(json_of(&server, "/readyz").0, 200);
    Peer::new(server.address()).ask(&rrq("missing", &[]));
    server.logged("a sink is broken; its lines are queued, and plugins get an error when the queue is full");
    let (status, said) = json_of(&server, "/readyz");
    assert_eq!((status, &said["reasons"][0]["check"]), (503, &"sink".into()), "{said:#}");
    assert!(said["reasons"][0]["detail"].as_str().unwrap().contains("`far`"), "{said:#}");
    assert_eq!(json_of(&server, "/readyz?exclude=sink").0, 200);
    assert_eq!(json_of(&server, "/livez").0, 200);
    endpoint.answer(HttpAnswer::Status(200, ""));
    server.logged("the sink works again");
    assert_eq!(json_of(&server, "/readyz").0, 200);
}

#[test]
fn a_transfer_is_seen_live_by_all_who_watch() {
    let server = Setup::new().file("long", &bytes(512 * 40)).rest_of_yaml(OPEN).start();
    let mut one = Events::open(server.admin(), "/api/live").ok().unwrap();
    let first = one.next().unwrap();
    assert_eq!((&first["active"], &first["ready"]), (&json!([]), &true.into()));

    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("long", &[]));
    for block in 1..=20 {
        assert!(matches!(peer.receive(), Answer::Data(..)));
        peer.send(&ack(block));
    }
    let is_half = |live: &Value| live["active"][0]["bytes"] == 20 * 512;
    let live = one.until("progress", is_half);
    assert_eq!((&live["active"][0]["path"], &live["active"][0]["size"]), (&"long".into(), &20480.into()));
    let mut two = Events::open(server.admin(), "/api/live").ok().unwrap();
    two.until("progress", is_half);
    peer.read_on(21);
    server.outcome("long");
    for viewer in [&mut one, &mut two] {
        let live = viewer.until("its end", |live| live["totals"]["active"] == 0);
        assert_eq!(
            (&live["finished"][0]["outcome"], &live["finished"][0]["path"]),
            (&"served".into(), &"long".into())
        );
        // A few samples each time, the last of them new.
        assert!(live["samples"].as_array().unwrap().len() <= 5, "{live:#}");
    }
    // One snapshot for all viewers: both get the same.
    let at = one.next().unwrap()["unix_ms"].as_u64();
    two.until("the same snapshot", |live| live["unix_ms"].as_u64() >= at);
    let whole = http(server.admin(), "/api/snapshot", &[]).json();
    for key in ["version", "generation", "started_unix_ms", "finished"] {
        assert_eq!(whole[key], server.live()[key], "{key}");
    }
    // Viewers do not keep a server from stopping.
    assert_eq!(server.stop(), [] as [Value; 0]);
    while one.next().is_some() {}
}

/// Viewers that never read are dropped, memory stays bounded, and viewers that read see everything.
#[test]
fn viewers_that_do_not_read_are_dropped() {
    let server = Setup::new().rest_of_yaml(OPEN).start();
    // Large snapshots, which soon fill the kernel's buffers of a connection.
    let long = "x".repeat(900);
    for number in 0..200 {
        let name: String = (0..4).map(|part| format!("{part}-{number}/{}/", &long[..220])).collect();
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq(name.trim_end_matches('/'), &[]));
        peer.expect_error(1);
    }
    let mut reading = Events::open(server.admin(), "/api/live").ok().unwrap();
    reading.next().unwrap();
    let before = server.memory();
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let reader = std::thread::spawn(move || {
        while matches!(stopped.try_recv(), Err(std::sync::mpsc::TryRecvError::Empty)) {
            reading.next().expect("who reads is not dropped");
        }
    });
    let stalled: Vec<_> = (0..15)
        .map(|_| {
            let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
            socket.set_recv_buffer_size(2048).unwrap();
            socket.connect(&server.admin().into()).unwrap();
            let mut stream = std::net::TcpStream::from(socket);
            let host = server.admin();
            write!(stream, "GET /api/live HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
            let mut status = [0; 12];
            stream.read_exact(&mut status).unwrap();
            assert_eq!(&status, b"HTTP/1.1 200");
            stream
        })
        .collect();
    let end = Instant::now() + SOON;
    let places = || {
        let viewers = (0..15).map_while(|_| Events::open(server.admin(), "/api/live").ok());
        viewers.collect::<Vec<_>>().len()
    };
    // All places are taken, and then all but one are free again. A lost viewer is noticed at the next
    // snapshot.
    assert_eq!(places(), 0);
    while places() < 15 {
        assert!(Instant::now() < end, "those who do not read keep their places");
        std::thread::sleep(Duration::from_secs(3));
    }
    drop(stop);
    reader.join().unwrap();
    let grown = server.memory().saturating_sub(before);
    assert!(grown < 32 << 20, "{grown} bytes more than {before}");
    drop(stalled);
}

#[test]
fn viewers_are_few() {
    let server = Setup::new().rest_of_yaml(OPEN).start();
    let mut viewers: Vec<Events> = Vec::new();
    let refused = loop {
        match Events::open(server.admin(), "/api/live") {
            Ok(viewer) => viewers.push(viewer),
            Err(status) => break status,
        }
    };
    assert_eq!((refused, viewers.len()), (503, 16));
    assert_eq!(json_of(&server, "/livez").0, 200);
    assert_eq!(server.ask("status").code(), 0);
    viewers.pop();
    let end = Instant::now() + SOON;
    while Events::open(server.admin(), "/api/live").is_err() {
        assert!(Instant::now() < end, "no place became free");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_token_is_asked_for_and_can_be_replaced() {
    let setup = Setup::new();
    setup.outside().write("token", b"0123456789abcdef\n");
    let admin = "admin: { address: \"127.0.0.1:0\", token: { file: token } }\n";
    let server = setup.yaml(&format!("{BOOT}{admin}")).start();
    let status = |path: &str, headers: &[&str]| http(server.admin(), path, headers).status;
    for path in ["/api/snapshot", "/api/live", "/metrics"] {
        let answer = http(server.admin(), path, &[]);
        assert_eq!((answer.status, answer.header("www-authenticate")), (401, "Bearer"), "{path}");
        assert_eq!(status(path, &["Authorization: Bearer 0123456789abcdeg"]), 401);
    }
    assert_eq!(status("/api/snapshot", &[TOKEN]), 200);
    // A token permits any host name.
    assert_eq!(status("/api/snapshot", &[TOKEN, "Host: boot.example"]), 200);
    // The page contains no data, and probes have no token.
    assert_eq!([status("/", &[]), status("/livez", &[]), status("/readyz", &[])], [200; 3]);

    server.rewrite(&format!("{BOOT}{admin}workers: 7\n"));
    server.ask("reload");
    let bare = http(server.admin(), "/readyz", &[]);
    assert_eq!(
        (bare.status, bare.json()),
        (503, json!({ "state": "not ready", "ready": false, "reasons": [{ "check": "reload" }] }))
    );
    assert!(http(server.admin(), "/readyz", &[TOKEN]).body.contains("workers"));

    server.outside().write("token", b"fedcba9876543210");
    server.rewrite(&format!("{BOOT}{admin}"));
    server.ask("reload").assert_good();
    assert_eq!(status("/api/snapshot", &[TOKEN]), 401);
    assert_eq!(status("/api/snapshot", &["Authorization: Bearer fedcba9876543210"]), 200);
    assert!(!server.log().contains("fedcba") && !server.log().contains("abcdef"), "tokens are not logged");
}

#[test]
fn other_sites_see_nothing() {
    let server = Setup::new().rest_of_yaml(OPEN).start();
    let get = |path: &str, headers: &[&str]| http(server.admin(), path, headers);
    for path in ["/", "/api/snapshot", "/livez", "/none"] {
        let refused = get(path, &["Host: evil.example"]);
        assert_eq!(refused.status, 421, "{path}");
        assert!(refused.body.contains("set `admin.token`"), "{refused:?}");
    }
    assert_eq!(get("/api/snapshot", &["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors"]).status, 403);
    assert_eq!(get("/", &["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"]).status, 200);
    assert_eq!(get("/api/snapshot", &["Sec-Fetch-Site: same-origin"]).status, 200);
    assert_eq!(http_raw(server.admin(), "GET /livez HTTP/1.0\r\n\r\n").status, 421, "no host at all");
    let page = get("/", &[]);
    assert!(page.header("content-security-policy").starts_with("default-src 'none'; script-src 'self';"));
    assert_eq!(
        (page.header("x-content-type-options"), page.header("cache-control")),
        ("nosniff", "no-store")
    );
    assert_eq!(page.header("access-control-allow-origin"), "");
}

#[test]
fn nothing_can_be_changed_and_long_requests_end() {
    let server = Setup::new().rest_of_yaml(OPEN).start();
    let address = server.admin();
    for method in ["POST", "PUT", "DELETE", "PATCH"] {
        for path in ["/", "/api/snapshot", "/readyz"] {
            let request = format!(
                "{method} {path} HTTP/1.1\r\nHost: {address}\r\nContent-Length: 2\r\nConnection: \
                 close\r\n\r\n{{}}"
            );
            assert_eq!(http_raw(address, &request).status, 405, "{method} {path}");
        }
    }
    assert_eq!(http(address, "/none", &[]).status, 404);
    let long = format!("X: {}", "y".repeat(20_000));
    assert_eq!(http(address, "/", &[&long]).status, 431);
    let many = vec!["X: y"; 100];
    assert_eq!(http(address, "/", &many).status, 431);
    assert_eq!(http_raw(address, "nonsense\r\n\r\n").status, 400);

    // A client that sends half a request, or nothing at all, is disconnected; both at once, since they wait.
    let slow = ["", "GET / HTTP/1.1\r\nHost: "].map(|begun| {
        let mut slow = connect(address);
        slow.write_all(begun.as_bytes()).unwrap();
        slow
    });
    for mut slow in slow {
        let mut rest = Vec::new();
        let _ = slow.read_to_end(&mut rest);
        assert!(!String::from_utf8_lossy(&rest).contains("200 OK"));
    }
    assert_eq!(json_of(&server, "/livez").0, 200);
}

#[test]
fn an_address_that_is_taken_is_told() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let setup = Setup::new();
    let yaml =
        format!("{BOOT}listeners: [{{ address: \"127.0.0.1:0\" }}]\nadmin: {{ address: \"{address}\" }}\n");
    setup.outside().write("its.yaml", yaml.as_bytes());
    let file = setup.outside().0.join("its.yaml");
    let ran = tuffet(["serve", "--config", file.to_str().unwrap()]);
    ran.assert_fails(69, &["`admin`", &address.to_string(), "ss -tlpn", "admin.address"]);
}
