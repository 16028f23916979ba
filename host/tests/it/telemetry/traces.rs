//! Traces over OTLP/HTTP.

use super::fake_collector::{FakeCollector, Manner};
use super::received::trace;
use crate::harness::{Answer, Client, Options, Peer, Server, Setup, connect, error, rrq};
use crate::policy::misbehave;
use std::io::{Read, Write};
use std::net::SocketAddr;

const ACL: &str = r#"
policy: { authorize: [acl] }
plugins:
  acl:
    component: builtin:acl
    settings: { deny: [{ names: [secret] }] }
    limits: { time: 20s, wall: 40s }
"#;

fn server(collector: &FakeCollector, telemetry: &str) -> Server {
    Setup::new()
        .file("a", b"content")
        .file("secret", b"x")
        .variable("NO_PROXY", "127.0.0.1")
        .variable("TUFFET_TEST_TOKEN", "hush")
        .rest_of_yaml(&format!(
            "{ACL}\ntelemetry: {{ endpoint: \"{}\", metrics: {{ enabled: false }}, logs: false, {telemetry} }}",
            collector.endpoint()
        ))
        .start()
}

#[test]
fn a_request_becomes_a_trace() {
    let collector = FakeCollector::start(Manner::Good);
    let server = server(
        &collector,
        "headers: { x-token: 'Bearer ${TUFFET_TEST_TOKEN}' }, resource: { site: lab }, service-name: boot",
    );
    assert_eq!(Client::Tuffet.get(server.address(), "a", Options::default()), b"content");
    let line = server.outcome("a");
    // Queued spans are sent when the server stops.
    assert_eq!(server.stop(), [] as [serde_json::Value; 0]);
    let spans = collector.spans();
    let (root, children) = trace(&spans, "a");
    assert_eq!((root.name.as_str(), root.status), ("tftp.read", 0));
    assert_eq!(
        (&line["trace_id"], &line["span_id"]),
        (&root.trace.as_str().into(), &root.id.as_str().into())
    );
    let port = server.address().port().to_string();
    root.has(&[
        ("network.transport", "udp"),
        ("network.protocol.name", "tftp"),
        ("network.type", "ipv4"),
        ("client.address", "127.0.0.1"),
        ("server.address", &server.address().ip().to_string()),
        ("server.port", &port),
        ("tftp.request.id", line["id"].as_str().unwrap()),
        ("tftp.outcome", "served"),
        ("tftp.resolved", "boot:a"),
        ("tftp.plugin_calls", "1"),
        ("tftp.bytes", "7"),
        ("tftp.blocks", "1"),
        ("tftp.client.class", line["class"].as_str().unwrap()),
    ]);
    assert_eq!(format!("127.0.0.1:{}", root.attributes["client.port"]), line["client"].as_str().unwrap());
    assert!(!root.attributes.contains_key("error.type"));
    assert_eq!((root.end - root.start) / 1000, line["duration_us"].as_u64().unwrap());
    let names: Vec<&str> = children.iter().map(|span| span.name.as_str()).collect();
    assert_eq!(names, ["tftp.authorize", "tftp.open", "tftp.negotiate"]);
    children[0].has(&[
        ("tftp.plugin.name", "acl"),
        ("tftp.plugin.hook", "authorize"),
        ("tftp.plugin.verdict", "abstain"),
        ("tftp.plugin.remembered", "false"),
    ]);
    children[1].has(&[("tftp.resolved", "boot:a")]);
    children[2].has(&[("tftp.blksize", "512"), ("tftp.windowsize", "1")]);
    assert!(children.iter().all(|span| span.end <= root.end), "{children:#?} of {root:#?}");
    for (key, value) in
        [("service.name", "boot"), ("site", "lab"), ("service.version", env!("CARGO_PKG_VERSION"))]
    {
        assert_eq!(root.resource.get(key).map(String::as_str), Some(value), "{:#?}", root.resource);
    }
    for key in ["service.instance.id", "host.name", "process.pid", "telemetry.sdk.name"] {
        assert!(root.resource.contains_key(key), "{key} in {:#?}", root.resource);
    }
    for posted in collector.posted() {
        assert_eq!(
            (posted.request.path(), posted.request.header("x-token")),
            ("/v1/traces", Some("Bearer hush"))
        );
    }
    assert!(!server.log().contains("hush"), "a secret is in the log");
}

#[test]
fn an_upload_is_stored_in_its_trace() {
    let collector = FakeCollector::start(Manner::Good);
    let server = Setup::new()
        .variable("NO_PROXY", "127.0.0.1")
        .yaml(&format!(
            "roots: [{{ name: in, path: root, writable: true }}]\ntelemetry: {{ endpoint: \"{}\" }}",
            collector.endpoint()
        ))
        .start();
    Client::Tuffet.put(server.address(), "new", b"xy", Options::default());
    server.stop();
    let spans = collector.spans();
    let (root, children) = trace(&spans, "new");
    assert_eq!(root.name, "tftp.write");
    root.has(&[("tftp.outcome", "stored"), ("tftp.bytes", "2"), ("tftp.resolved", "in:new")]);
    let mut names: Vec<&str> = children.iter().map(|span| span.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["tftp.negotiate", "tftp.open", "tftp.store"]);
}

/// A failing plugin makes a trace worth sending, even if the request was served.
#[test]
fn failures_of_plugins_have_the_trace() {
    let collector = FakeCollector::start(Manner::Good);
    let component = misbehave();
    let server = Setup::new()
        .file("a", b"content")
        .variable("NO_PROXY", "127.0.0.1")
        .rest_of_yaml(&format!(
            "policy: {{ authorize: [bad, loud], time-limit: 30s }}\nplugins:\n  bad: {{ component: \"{component}\", \
             on-error: abstain, settings: {{ do: trap, when: a }} }}\n  loud: {{ component: \"{component}\", \
             settings: {{ do: count, when: flood }} }}\ntelemetry: {{ endpoint: \"{}\", traces: {{ sample: 1 }} }}",
            collector.endpoint()
        ))
        .start();
    assert_eq!(Client::Tuffet.get(server.address(), "a", Options::default()), b"content");
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("flood", &[]));
    assert_eq!(peer.expect_error(2), "counted");
    server.stop();
    let spans = collector.spans();
    let (root, children) = trace(&spans, "a");
    root.has(&[("tftp.outcome", "served"), ("tftp.plugin_calls", "2")]);
    let failed = children.iter().find(|span| span.status == 2).unwrap();
    failed.has(&[("tftp.plugin.name", "bad"), ("tftp.plugin.verdict", "abstain"), ("error.type", "trap")]);
    let (root, _) = trace(&spans, "flood");
    // Warnings and errors are records, and so are the lines of requests.
    let records = collector.records();
    // Those of a plugin have the trace of the request that it was asked about.
    for message in ["line 0", "68 log lines of one call were dropped: the limit is 32", "transfer"] {
        let mut of_it = records.iter().filter(|record| record.message == message);
        assert!(of_it.any(|record| record.trace == root.trace), "{message}: {records:#?}");
    }
    let line = server.log().lines().find(|line| line.contains("\"line 0\"")).unwrap().to_owned();
    assert!(line.contains(&root.trace) && line.contains(&root.id), "{line}");
    assert!(records.iter().any(|record| record.message.starts_with("a plugin failed: ")), "{records:#?}");
    let metrics = collector.metrics();
    assert!(
        metrics.contains("tuffet.plugin.failures") && metrics.contains("tuffet.plugin.duration"),
        "{metrics:?}"
    );
    for name in
        ["cpu.time", "memory.usage", "memory.virtual", "thread.count", "unix.file_descriptor.count", "uptime"]
    {
        assert!(metrics.contains(&format!("process.{name}")), "{name}: {metrics:?}");
    }
}

/// A client by HTTP may name its own span; nonsense is ignored.
#[test]
fn a_request_by_http_is_a_part_of_its_clients_trace() {
    let collector = FakeCollector::start(Manner::Good);
    let server = Setup::new()
        .file("a", b"content")
        .file("b", b"content")
        .variable("NO_PROXY", "127.0.0.1")
        .rest_of_yaml(&format!(
            "http: {{ listeners: [{{ name: web, address: \"127.0.0.1:0\" }}] }}\n\
             telemetry: {{ endpoint: \"{}\", metrics: {{ enabled: false }}, logs: false }}",
            collector.endpoint()
        ))
        .start();
    let url = server.logged("listening by HTTP")["url"].as_str().unwrap().to_owned();
    let web: SocketAddr = url.trim_start_matches("http://").parse().unwrap();
    let (its, span) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
    let ask = |name: &str, field: &str| {
        let mut stream = connect(web);
        let head = format!("GET /{name} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{field}\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        stream.read_to_end(&mut Vec::new()).unwrap();
        server.outcome(name)["trace_id"].clone()
    };
    assert_eq!(ask("a", &format!("traceparent: 00-{its}-{span}-01\r\n")), its);
    // Two of them, and what is none.
    assert_ne!(ask("b", &format!("traceparent: 00-{its}-{span}-01\r\n").repeat(2)), its);
    assert_ne!(ask("b", &format!("traceparent: 00-{its}-{span}-x\r\n")), its);
    server.stop();
    let spans = collector.spans();
    let root = spans.iter().find(|its| its.parent == span).unwrap_or_else(|| panic!("{spans:#?}"));
    assert_eq!((root.name.as_str(), root.trace.as_str(), root.kind), ("http.read", its, 2));
    root.has(&[("network.transport", "tcp"), ("network.protocol.name", "http"), ("tftp.path", "a")]);
    assert!(
        spans.iter().filter(|span| span.trace == its).all(|its| its.parent == span || its.parent == root.id)
    );
}

/// With a ratio of zero, only failures are exported.
#[test]
fn what_goes_wrong_is_exported_whatever_the_ratio() {
    let collector = FakeCollector::start(Manner::Good);
    let server = server(&collector, "traces: { sample: 0 }");
    assert_eq!(Client::Tuffet.get(server.address(), "a", Options::default()), b"content");
    assert!(server.outcome("a")["trace_id"].is_null(), "it was not chosen");
    let mut peer = Peer::new(server.address());
    for (name, code) in [("secret", 2), ("missing", 1)] {
        peer.ask(&rrq(name, &[]));
        peer.expect_error(code);
    }
    let denied = server.outcome("secret");
    assert!(server.outcome("missing")["trace_id"].is_null(), "clients look for many files");
    server.stop();
    let spans = collector.spans();
    let (root, children) = trace(&spans, "secret");
    assert_eq!(denied["trace_id"], root.trace);
    root.has(&[("tftp.outcome", "denied"), ("error.type", "denied"), ("tftp.verdict_by", "acl")]);
    assert_eq!(root.status, 0, "of a server, what a client did wrong is no error");
    assert_eq!(children.len(), 1);
    children[0].has(&[("tftp.plugin.verdict", "deny")]);
    assert_eq!(spans.len(), 2, "{spans:#?}");
}

/// The specification's variables take precedence, and are sufficient.
#[test]
fn the_environment_is_enough() {
    let collector = FakeCollector::start(Manner::Good);
    let server = Setup::new()
        .file("a", b"content")
        .variable("NO_PROXY", "127.0.0.1")
        .variable("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.endpoint())
        .variable("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=seven")
        .variable("OTEL_SERVICE_NAME", "from-outside")
        .variable("OTEL_RESOURCE_ATTRIBUTES", "rack=7%20b")
        .variable("OTEL_METRICS_EXPORTER", "none")
        .variable("OTEL_LOGS_EXPORTER", "none")
        .variable("OTEL_BSP_SCHEDULE_DELAY", "10")
        .start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("a", &[("tsize", "0")]));
    peer.expect(Answer::Oack("tsize=7".into()));
    peer.send(&error(8, "size"));
    // Without a shutdown of the server: the delay ends soon.
    let posted = collector.wait_for(1);
    assert_eq!(posted[0].request.header("x-tenant"), Some("seven"));
    let spans = collector.spans();
    let (root, children) = trace(&spans, "a");
    root.has(&[("tftp.outcome", "probed")]);
    assert!(!root.attributes.contains_key("error.type"));
    assert_eq!(
        (root.resource["service.name"].as_str(), root.resource["rack"].as_str()),
        ("from-outside", "7 b")
    );
    let names: Vec<&str> = children.iter().map(|span| span.name.as_str()).collect();
    assert_eq!(names, ["tftp.open", "tftp.negotiate"], "no policy, no call");
}
