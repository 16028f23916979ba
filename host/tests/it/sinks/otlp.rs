//! `otlp`: the record of a line, retries, and the spool.

use super::{Kept, ask, first_of_each, wait_for_queued};
use crate::harness::{own_address, own_loopback, wait_until};
use crate::telemetry::fake_collector::{FakeCollector, Manner};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use std::net::TcpListener;
use std::time::{SystemTime, UNIX_EPOCH};

fn text<'a>(pairs: &'a [KeyValue], key: &str) -> &'a str {
    let pair = pairs.iter().find(|pair| pair.key == key).unwrap_or_else(|| panic!("no {key} in {pairs:#?}"));
    match &pair.value {
        Some(AnyValue { value: Some(Value::StringValue(text)) }) => text,
        other => panic!("{key} is {other:?}"),
    }
}

fn body(record: &LogRecord) -> &[KeyValue] {
    match &record.body {
        Some(AnyValue { value: Some(Value::KvlistValue(list)) }) => &list.values,
        other => panic!("a body of another kind: {other:?}"),
    }
}

/// Returns the requested numbers, in the order of these records.
fn asked(records: &[LogRecord]) -> Vec<u32> {
    let number = |record| text(body(record), "path").strip_prefix('n').unwrap().parse().unwrap();
    records.iter().map(number).collect()
}

#[test]
fn a_line_is_a_log_record_of_this_process() {
    let (kept, collector) = (Kept::new(), FakeCollector::start(Manner::Good));
    std::fs::write(kept.path("key"), "of-a-file-hush\n").unwrap();
    let sink = format!(
        "{{ otlp: {{ endpoint: \"{}/\", batch: {{ lines: 2, wait: 1m }}, headers: {{ x-key: {{ file: '{}' }} }} }} }}",
        collector.endpoint(),
        kept.path("key").display()
    );
    let server = kept
        .setup(&sink)
        .variable("OTEL_SERVICE_NAME", "boot")
        .variable("OTEL_RESOURCE_ATTRIBUTES", "site=lab")
        .flag("--log=debug")
        .start();
    ask(&server, 0..3);
    wait_until("two came", || collector.log_records().len() == 2);
    let status = server.status().to_string();
    // The last does not wait for more when the server stops.
    server.stop();
    let records = collector.log_records();
    assert_eq!(asked(&records), [0, 1, 2]);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    let record = &records[0];
    assert_eq!(text(body(record), "outcome"), "not-found");
    assert_eq!(text(&record.attributes, "tftp.sink.name"), "out");
    assert_eq!(text(&record.attributes, "tftp.plugin.name"), "publish");
    assert_eq!(record.severity_text, "INFO");
    assert!(record.time_unix_nano > 0 && record.time_unix_nano <= record.observed_time_unix_nano);
    assert!(record.observed_time_unix_nano <= now);
    let post = &collector.posted()[0];
    assert_eq!(post.request.path(), "/v1/logs");
    assert_eq!(post.request.header("content-type"), Some("application/x-protobuf"));
    assert_eq!(post.request.header("x-key"), Some("of-a-file-hush"));
    let sender = collector.resource_logs().remove(0);
    let resource = sender.resource.unwrap().attributes;
    assert_eq!((text(&resource, "service.name"), text(&resource, "site")), ("boot", "lab"));
    assert!(!text(&resource, "service.instance.id").is_empty());
    assert_eq!(sender.scope_logs[0].scope.as_ref().unwrap().name, "tuffet");
    assert!(!server.log().contains("hush") && !status.contains("hush"));
}

/// Retried, in order and without loss: as the specification of OTLP says, and if an operator must fix
/// something. Permanent refusals are dropped and counted, and logged once.
#[test]
fn what_may_pass_is_tried_again() {
    let manners = [
        Manner::Status(503, ""),
        Manner::Status(429, "retry-after: 1\r\n"),
        Manner::Status(502, ""),
        Manner::Status(401, ""),
        Manner::Hanging,
        Manner::Good,
    ];
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (kept, collector) = (Kept::new(), FakeCollector::at(listener, &manners));
    let endpoint = collector.endpoint();
    let sink =
        format!("{{ otlp: {{ endpoint: \"{endpoint}\", timeout: 3s, batch: {{ lines: 4, wait: 20ms }} }} }}");
    let server = kept.setup(&sink).start();
    ask(&server, 0..12);
    wait_until("all came", || server.sink()["delivered"] == 12);
    assert_eq!(asked(&collector.log_records()), (0..12).collect::<Vec<u32>>());
    server.logged("a sink is broken; its lines are queued, and plugins get an error when the queue is full");
    server.logged("the sink works again");
    let sink = server.sink();
    assert_eq!(
        (&sink["retried"], &sink["dropped"], &sink["waiting"]),
        (&5.into(), &0.into(), &0.into()),
        "{sink}"
    );
    collector.behave(Manner::Status(500, ""));
    ask(&server, 12..16);
    wait_until("they are dropped", || server.sink()["dropped"] == 4);
    collector.behave(Manner::Good);
    ask(&server, 16..17);
    wait_until("what is wanted again comes", || server.sink()["delivered"] == 13);
    server.wait_for_log("refuses lines");
    let told = server.log().lines().filter(|line| line.contains("refuses lines")).count();
    assert_eq!(told, 1, "{}", server.log());
}

#[test]
fn what_is_taken_in_part_is_counted_and_not_repeated() {
    let (kept, collector) = (Kept::new(), FakeCollector::start(Manner::Partial(3)));
    let sink =
        format!("{{ otlp: {{ endpoint: \"{}\", batch: {{ lines: 5, wait: 1m }} }} }}", collector.endpoint());
    let server = kept.setup(&sink).start();
    ask(&server, 0..5);
    wait_until("all are done with", || server.sink()["waiting"] == 0 && server.sink()["queued"] == 5);
    let sink = server.sink();
    assert_eq!(
        (&sink["delivered"], &sink["dropped"], &sink["retried"]),
        (&2.into(), &3.into(), &0.into()),
        "{sink}"
    );
    let line = server.logged(
        "the receiver of a sink refuses lines: they are dropped and counted; further refusals are not logged",
    );
    assert!(line["error"].as_str().unwrap().contains("refused 3 of 5 records: too old"), "{line}");
    // It accepts all of them, with a message.
    collector.behave(Manner::Partial(0));
    ask(&server, 5..10);
    wait_until("all came", || server.sink()["delivered"] == 7);
    server.logged("the collector accepts a sink's lines with a warning; further warnings are not logged");
    assert_eq!(collector.posted().len(), 2);
}

/// SIGKILL of the server while the collector is down: lines in the spool arrive after the next start, in
/// order, with their time and plugin.
#[test]
fn a_spool_outlives_the_server() {
    let kept = Kept::new();
    let listener = TcpListener::bind((own_loopback(), 0)).unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let sink = format!(
        "{{ otlp: {{ endpoint: \"http://{address}\", batch: {{ lines: 7, wait: 10ms }} }}, spool: {{ bytes: 1MiB }} }}"
    );
    for run in 0..2 {
        let server = kept.setup(&sink).start();
        ask(&server, run * 20..run * 20 + 20);
        wait_for_queued(&server, 20);
        // SIGKILL.
        drop(server);
    }
    let before = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    let collector = FakeCollector::at(TcpListener::bind(address).unwrap(), &[Manner::Good]);
    let server = kept.setup(&sink).start();
    let came = || first_of_each(asked(&collector.log_records()));
    wait_until("all came", || came().len() == 40);
    assert_eq!(came(), (0..40).collect::<Vec<u32>>());
    wait_until("nothing is left", || server.sink()["waiting"] == 0);
    for record in collector.log_records() {
        assert!(record.observed_time_unix_nano < before, "taken before the start: {record:?}");
        assert_eq!(text(&record.attributes, "tftp.plugin.name"), "publish");
    }
}

/// A collector that accepts connections and never answers, by either protocol: memory stays bounded, plugins
/// get an error that the sink is full, and requests are answered.
#[test]
fn a_hung_collector_costs_bounded_memory() {
    for protocol in ["http/protobuf", "grpc"] {
        let (kept, collector) = (Kept::new(), FakeCollector::start(Manner::Hanging));
        let sink = format!(
            "{{ otlp: {{ endpoint: \"{}\", protocol: {protocol}, timeout: 1m, batch: {{ lines: 10 }} }}, queue: 100 }}",
            collector.endpoint()
        );
        let server = kept.setup(&sink).start();
        let heard = || {
            let sink = server.sink();
            sink["queued"].as_u64().unwrap() + sink["refused"].as_u64().unwrap()
        };
        ask(&server, 0..150);
        wait_until("the plugin was told of all", || heard() == 150);
        let before = server.memory();
        ask(&server, 150..500);
        wait_until("the plugin was told of all", || heard() == 500);
        let sink = server.sink();
        assert_eq!((&sink["waiting"], &sink["delivered"]), (&100.into(), &0.into()), "{sink}");
        let grown = server.memory().saturating_sub(before);
        assert!(grown < 16 << 20, "{grown} bytes more than {before}");
    }
}

/// Nothing listens, by gRPC: the sink is broken, reports the reason, and keeps its lines.
#[test]
fn a_collector_that_is_gone() {
    let kept = Kept::new();
    let gone = own_address();
    let sink = format!(
        "{{ otlp: {{ endpoint: \"http://{gone}\", protocol: grpc, timeout: 2s, batch: {{ wait: 0s }} }} }}"
    );
    let server = kept.setup(&sink).start();
    ask(&server, 0..3);
    let line = server
        .logged("a sink is broken; its lines are queued, and plugins get an error when the queue is full");
    assert!(line["error"].as_str().unwrap().contains("Connection refused"), "{line}");
    wait_until("it is tried again", || server.sink()["retried"].as_u64() > Some(1));
    assert_eq!(server.sink()["waiting"], 3);
}
