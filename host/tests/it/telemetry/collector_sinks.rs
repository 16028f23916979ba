//! Sinks with a real collector: the lines of plugins that it received.

use super::collector::Collector;
use super::received::{json_attributes, list};
use crate::harness::wait_until;
use crate::sinks::{Kept, ask, first_of_each, wait_for_queued};
use serde_json::Value;

/// Returns the requested numbers from the log records of plugins, in order of arrival.
fn asked(collector: &Collector) -> Vec<u32> {
    let received = collector.received();
    let records = received
        .iter()
        .flat_map(|line| list(line, "resourceLogs"))
        .flat_map(|of_one| list(of_one, "scopeLogs"))
        .flat_map(|scope| list(scope, "logRecords"));
    let number = |record: &Value| {
        let its = json_attributes(record);
        assert_eq!((its["tftp.sink.name"].as_str(), its["tftp.plugin.name"].as_str()), ("out", "publish"));
        let body = list(&record["body"]["kvlistValue"], "values");
        let path = body.iter().find(|pair| pair["key"] == "path").unwrap();
        path["value"]["stringValue"].as_str().unwrap().strip_prefix('n').unwrap().parse().unwrap()
    };
    records.map(number).collect()
}

/// With a spool and a collector that is killed meanwhile: each line arrives, in order, some more than once.
fn outlives(endpoint: impl Fn(&Collector) -> String, protocol: &str) {
    let (kept, mut collector) = (Kept::new(), Collector::start());
    let sink = format!(
        "{{ otlp: {{ endpoint: \"{}\", protocol: {protocol}, batch: {{ lines: 5, wait: 10ms }} }}, spool: {{ bytes: 1MiB }} }}",
        endpoint(&collector)
    );
    let server = kept.setup(&sink).variable("NO_PROXY", "127.0.0.0/8").start();
    ask(&server, 0..20);
    collector.kill();
    ask(&server, 20..40);
    wait_for_queued(&server, 40);
    wait_until("the sink is broken", || server.sink()["broken"] == true);
    collector.start_again();
    wait_until("all came", || server.sink()["waiting"] == 0);
    assert_eq!(first_of_each(asked(&collector)), (0..40).collect::<Vec<u32>>());
    assert_eq!(server.sink()["dropped"], 0);
}

#[test]
#[ignore = "make test SUITE=telemetry runs it"]
fn over_http() {
    outlives(|collector| format!("http://{}", collector.http), "http/protobuf");
}

#[test]
#[ignore = "make test SUITE=telemetry runs it"]
fn over_grpc() {
    outlives(|collector| format!("http://{}", collector.grpc), "grpc");
}

/// The system's certificates are trusted, by both protocols, and no others.
#[test]
#[ignore = "make test SUITE=telemetry runs it"]
fn with_tls() {
    let collector = Collector::with_tls(false);
    let (its, _) = collector.certificates.as_ref().unwrap();
    let mut from = 0;
    for (address, protocol) in [(&collector.http, "http/protobuf"), (&collector.grpc, "grpc")] {
        let kept = Kept::new();
        let sink = format!(
            "{{ otlp: {{ endpoint: \"https://{address}\", protocol: {protocol}, batch: {{ wait: 0s }} }} }}"
        );
        let setup = || kept.setup(&sink).variable("NO_PROXY", "127.0.0.0/8");
        let server = setup().variable("SSL_CERT_FILE", its.trusted()).start();
        ask(&server, from..from + 3);
        wait_until("all came", || server.sink()["delivered"] == 3);
        drop(server);
        from += 3;
        assert_eq!(asked(&collector), (0..from).collect::<Vec<u32>>());
        let server = setup().start();
        ask(&server, 100..101);
        let line = server.logged(
            "a sink is broken; its lines are queued, and plugins get an error when the queue is full",
        );
        let error = line["error"].as_str().unwrap();
        assert!(error.to_lowercase().contains("certificate") || error.contains("UnknownIssuer"), "{line}");
        assert_eq!(asked(&collector).len() as u32, from);
    }
}
