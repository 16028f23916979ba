//! `builtin:publish`: events of real transfers, as datagrams and as HTTP requests.

use crate::harness::{Client, Options, Peer, SOON, Server, Setup, loopback, rrq, serve_http};
use serde_json::{Value, json};
use std::net::UdpSocket;
use std::sync::{Arc, Mutex, mpsc};

fn server(sink: u16, grants: &str, settings: &Value) -> Server {
    server_with("builtin:publish", sink, grants, settings)
}

fn server_with(component: &str, sink: u16, grants: &str, settings: &Value) -> Server {
    Setup::new()
        .file("a", b"content")
        .rest_of_yaml(&format!(
            r#"
sinks: {{ bus: {{ udp: "127.0.0.1:{sink}" }} }}
policy: {{ observe: [publish] }}
plugins:
  publish:
    component: "{component}"
    grants: [{grants}]
    limits: {{ time: 20s, wall: 40s }}
    settings: {settings}
"#
        ))
        .start()
}

#[test]
fn events_are_datagrams() {
    let bus = UdpSocket::bind("127.0.0.1:0").unwrap();
    bus.set_read_timeout(Some(SOON)).unwrap();
    let settings = json!({ "sink": "bus", "topic": "site/7", "events": ["started", "finished"] });
    let server = server(bus.local_addr().unwrap().port(), "sinks/bus", &settings);
    let next = || {
        let mut datagram = vec![0; 65_536];
        let length = bus.recv(&mut datagram).unwrap();
        serde_json::from_slice::<Value>(&datagram[..length]).unwrap()
    };
    assert_eq!(Client::Tuffet.get(server.address(), "a", Options::default()), b"content");
    let (started, finished) = (next(), next());
    for (event, kind) in [(&started, "started"), (&finished, "finished")] {
        assert_eq!((&event["topic"], &event["event"]), (&"site/7".into(), &kind.into()), "{event:#}");
        assert_eq!((&event["path"], &event["address"]), (&"a".into(), &"127.0.0.1".into()), "{event:#}");
        assert_eq!(
            (&event["resolved"], &event["operation"]),
            (&"boot:a".into(), &"read".into()),
            "{event:#}"
        );
    }
    assert_eq!(started["size"], 7);
    assert_eq!((&finished["bytes"], &finished["outcome"]), (&7.into(), &"served".into()), "{finished:#}");
    assert_eq!(started["id"], finished["id"]);

    Peer::new(server.address()).ask(&rrq("missing", &[]));
    let refused = next();
    assert_eq!((&refused["event"], &refused["outcome"]), (&"finished".into(), &"not-found".into()));
}

/// Answers each request with the next of these statuses and passes its body on.
fn http_server(states: &'static [u16]) -> (u16, mpsc::Receiver<String>) {
    let (bodies, told) = mpsc::channel();
    let states = Arc::new(Mutex::new(states.iter()));
    let server = serve_http(loopback(), move |request, connection| {
        assert!(request.head.starts_with("POST /events HTTP/1.1"), "{}", request.head);
        assert_eq!(request.header("content-type"), Some("application/json"));
        connection.answer(*states.lock().unwrap().next()?, "", b"")?;
        bodies.send(String::from_utf8(request.body.clone()).unwrap()).ok()
    });
    (server.port(), told)
}

#[test]
fn events_are_posted_in_batches() {
    let (port, told) = http_server(&[200, 503]);
    let settings = json!({ "url": format!("http://127.0.0.1:{port}/events"), "events": ["finished"] });
    let server = server(9, &format!("http/127.0.0.1:{port}"), &settings);
    for refused in [false, true] {
        assert_eq!(Client::Tuffet.get(server.address(), "a", Options::default()), b"content");
        let batch: Value = serde_json::from_str(&told.recv_timeout(SOON).unwrap()).unwrap();
        assert_eq!(batch.as_array().unwrap().len(), 1, "{batch:#}");
        assert_eq!((&batch[0]["topic"], &batch[0]["outcome"]), (&"tuffet".into(), &"served".into()));
        if refused {
            server.logged(&format!(
                "1 events did not get to http://127.0.0.1:{port}: the answer has the status 503"
            ));
        }
    }
}

/// Neither grant is always needed, so a missing one shows only in use: the server knows the settings of bundled plugins
/// alone.
#[test]
fn a_sink_that_is_not_granted_is_told_of() {
    let component = tuffet_test_guests::component("publish");
    let server = server_with(&component, 9, "", &json!({ "sink": "bus", "events": ["finished"] }));
    assert_eq!(Client::Tuffet.get(server.address(), "a", Options::default()), b"content");
    server.logged("1 events did not get into the sink: the grant `sinks/bus` is not given");
}
