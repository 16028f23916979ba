//! A collector that is gone, hangs or refuses costs the undelivered data, and no transfer.

use super::exposition::Exposition;
use super::fake_collector::{FakeCollector, Manner};
use crate::harness::{Client, Options, Server, Setup, own_address, run};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

const TRANSFERS: u64 = 40;

fn server(endpoint: &str) -> Server {
    Setup::new()
        .file("a", b"content")
        .variable("NO_PROXY", "127.0.0.1")
        .variable("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
        .variable("OTEL_EXPORTER_OTLP_TIMEOUT", "3000")
        .variable("OTEL_BSP_MAX_QUEUE_SIZE", "30")
        .variable("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "3")
        .variable("OTEL_BSP_SCHEDULE_DELAY", "1")
        .start()
}

/// Serves all transfers; returns the counts of spans: exported, dropped, failures.
fn serve_all(server: &Server) -> [u64; 3] {
    for _ in 0..TRANSFERS {
        assert_eq!(Client::Tuffet.get(server.address(), "a", Options::default()), b"content");
        server.outcome("a");
    }
    let read = Exposition::read(&server.metrics());
    ["exported", "dropped", "failures"]
        .map(|what| read.value(&format!("tuffet_telemetry_{what}_total"), &[("signal", "traces")]) as u64)
}

/// Returns the line that reports that traces are refused.
fn told(server: &Server) -> Value {
    loop {
        let line =
            server.logged("the collector does not accept data; it is dropped and counted until it does");
        if line["signal"] == "traces" {
            return line;
        }
    }
}

fn stops_soon(server: &Server) {
    let begun = Instant::now();
    server.stop();
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(20), "the stop took {took:?}");
}

#[test]
fn a_collector_that_hangs() {
    let collector = FakeCollector::start(Manner::Hanging);
    let server = server(&collector.endpoint());
    let [exported, dropped, _] = serve_all(&server);
    assert_eq!(exported, 0);
    // Three spans each; 30 are queued and 3 are in flight, in each of the few tries of this test.
    assert!(dropped > 0, "40 transfers are 120 spans, and 30 may wait");
    stops_soon(&server);
}

#[test]
fn a_collector_that_refuses() {
    let collector = FakeCollector::start(Manner::Refusing);
    let server = server(&collector.endpoint());
    serve_all(&server);
    let line = told(&server);
    assert_eq!(line["level"], "WARN", "{line:#}");
    assert!(line["error"].as_str().unwrap().contains("503"), "{line:#}");
    let [exported, dropped, failures] = serve_all(&server);
    assert!(exported == 0 && dropped > 0 && failures > 0, "{exported} {dropped} {failures}");
    stops_soon(&server);
}

#[test]
fn a_collector_that_is_gone() {
    // Nothing listens there.
    let gone = own_address();
    let server = server(&format!("http://{gone}"));
    let [exported, ..] = serve_all(&server);
    assert_eq!(exported, 0);
    told(&server);
    stops_soon(&server);
}

/// Each is reported with its value, unless that may be a secret; `tuffet check` reports the same.
#[test]
fn what_is_wrong_is_told_and_the_server_serves() {
    let variables = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"),
        ("OTEL_TRACES_SAMPLER", "sometimes"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "s3cr3t"),
        ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"),
        ("OTEL_EXPORTER_OTLP_ENDPIONT", "http://s3cr3t"),
    ];
    let due = [
        "the variable OTEL_EXPORTER_OTLP_ENDPOINT=\"collector:4318\" is ignored: ",
        "the variable OTEL_TRACES_SAMPLER=\"sometimes\" is ignored: the samplers are `always_on`",
        "the variable OTEL_EXPORTER_OTLP_HEADERS is ignored: 1 of its pairs cannot be headers",
        "the variable OTEL_EXPORTER_OTLP_COMPRESSION=\"gzip\" is ignored: requests are not compressed",
        "the variable OTEL_EXPORTER_OTLP_ENDPIONT is ignored: it has no effect here",
    ];
    let setup = Setup::new().file("a", b"content");
    let server = variables.iter().fold(setup, |setup, (name, value)| setup.variable(name, value)).start();
    assert_eq!(Client::Tuffet.get(server.address(), "a", Options::default()), b"content");
    server.stop();
    let log = server.log().replace("\\\"", "\"");
    let file = server.outside().path("tuffet.yaml");
    let good = "listeners: [{ address: 127.0.0.1:6969 }]\nroots: [{ name: boot, path: root }]\n";
    std::fs::write(&file, good).unwrap();
    let mut check = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    let user = rustix::process::geteuid().as_raw().to_string();
    let ran = run(check.arg("check").arg(file).args(["--user", &user]).envs(variables));
    ran.assert_good();
    for due in due {
        assert_eq!(log.matches(due).count(), 1, "{due} in {log}");
        assert_eq!(ran.stderr.matches(due).count(), 1, "{due} in {}", ran.stderr);
    }
    assert!(!log.contains("s3cr3t") && !ran.stderr.contains("s3cr3t"), "{log}\n{}", ran.stderr);
}

/// The log line of a failure says which endpoint and why, for both protocols.
#[test]
fn a_failure_names_its_endpoint_and_its_cause() {
    let gone = own_address();
    let http = FakeCollector::start(Manner::Status(404, ""));
    // Settings without any, as a server of HTTP/2 begins (RFC 9113 section 6.5).
    let grpc = answers_with(&[0, 0, 0, 4, 0, 0, 0, 0, 0]);
    let old = answers_with(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n");
    let cases = [
        (format!("http://{gone}"), "http/protobuf", "Connection refused"),
        (format!("http://{gone}"), "grpc", "Connection refused"),
        ("http://collector.invalid:4318".into(), "http/protobuf", "failed to lookup address"),
        ("http://collector.invalid:4317".into(), "grpc", "failed to lookup address"),
        (http.endpoint(), "http/protobuf", "the collector answers with the status 404"),
        (format!("http://{old}"), "grpc", "For OTLP over HTTP write `protocol: http/protobuf`"),
        (
            format!("http://{grpc}"),
            "http/protobuf",
            "the endpoint seems to speak gRPC: write `protocol: grpc`",
        ),
        (format!("https://{old}"), "http/protobuf", "InvalidContentType"),
    ];
    for (endpoint, protocol, cause) in cases {
        let server = Setup::new()
            .file("a", b"content")
            .variable("NO_PROXY", "127.0.0.1,collector.invalid")
            .variable("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint)
            .variable("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
            .variable("OTEL_EXPORTER_OTLP_TIMEOUT", "3000")
            .variable("OTEL_METRIC_EXPORT_INTERVAL", "100")
            .variable("OTEL_BSP_SCHEDULE_DELAY", "1")
            .variable("OTEL_BLRP_SCHEDULE_DELAY", "1")
            .start();
        Client::Tuffet.get(server.address(), "a", Options::default());
        for _ in 0..3 {
            let line =
                server.logged("the collector does not accept data; it is dropped and counted until it does");
            let (at, error) = (line["endpoint"].as_str().unwrap(), line["error"].as_str().unwrap());
            assert!(at.starts_with(&endpoint) && error.contains(cause), "{protocol} {endpoint}: {line:#}");
            assert!(!error.contains("Tonic") && !error.contains("Operation failed"), "{line:#}");
        }
    }
}

/// Something that answers everything with this, and keeps the connection.
fn answers_with(answer: &'static [u8]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || {
                let mut bytes = [0; 4096];
                while stream.read(&mut bytes).is_ok_and(|read| read > 0) {
                    let _ = stream.write_all(answer);
                }
            });
        }
    });
    address
}
