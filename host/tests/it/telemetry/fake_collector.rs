//! A collector that speaks just enough of OTLP/HTTP, and misbehaves on demand.

use super::received::{Span, from_protobuf, hex};
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value;
use prost::Message;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use crate::harness::SOON;

/// How it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    Good,
    /// 503 each time.
    Refusing,
    /// It reads, and never answers.
    Hanging,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Posted {
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

/// A log record.
#[derive(Debug)]
pub struct Record {
    pub message: String,
    /// Empty without one.
    pub trace: String,
}

pub struct FakeCollector {
    port: u16,
    posted: Arc<(Mutex<Vec<Posted>>, Condvar)>,
}

impl FakeCollector {
    pub fn start(manner: Manner) -> FakeCollector {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let collector = FakeCollector { port: listener.local_addr().unwrap().port(), posted: Arc::default() };
        let posted = Arc::clone(&collector.posted);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let posted = Arc::clone(&posted);
                thread::spawn(move || serve(&stream, manner, &posted));
            }
        });
        collector
    }

    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What came so far.
    pub fn posted(&self) -> Vec<Posted> {
        self.posted.0.lock().unwrap().clone()
    }

    /// Waits until there are as many requests.
    #[track_caller]
    pub fn wait_for(&self, requests: usize) -> Vec<Posted> {
        let posted = self.posted.0.lock().unwrap();
        let (posted, waited) =
            self.posted.1.wait_timeout_while(posted, SOON, |posted| posted.len() < requests).unwrap();
        assert!(!waited.timed_out(), "{} of {requests} requests came", posted.len());
        posted.clone()
    }

    /// All log records so far.
    pub fn records(&self) -> Vec<Record> {
        let bodies = self.bodies("/v1/logs").into_iter();
        bodies
            .map(|body| ExportLogsServiceRequest::decode(&body[..]).unwrap())
            .flat_map(|request| request.resource_logs)
            .flat_map(|of_one| of_one.scope_logs)
            .flat_map(|scope| scope.log_records)
            .map(|record| Record {
                message: match record.body.and_then(|body| body.value) {
                    Some(any_value::Value::StringValue(text)) => text,
                    other => panic!("a body of another kind: {other:?}"),
                },
                trace: hex(&record.trace_id),
            })
            .collect()
    }

    /// The names of all metrics so far.
    pub fn metrics(&self) -> BTreeSet<String> {
        let bodies = self.bodies("/v1/metrics").into_iter();
        bodies
            .map(|body| ExportMetricsServiceRequest::decode(&body[..]).unwrap())
            .flat_map(|request| request.resource_metrics)
            .flat_map(|of_one| of_one.scope_metrics)
            .flat_map(|scope| scope.metrics)
            .map(|metric| metric.name)
            .collect()
    }

    fn bodies(&self, path: &str) -> Vec<Vec<u8>> {
        self.posted().into_iter().filter(|posted| posted.path == path).map(|posted| posted.body).collect()
    }

    /// All spans so far.
    pub fn spans(&self) -> Vec<Span> {
        let bodies = self.bodies("/v1/traces").into_iter();
        bodies.flat_map(|body| from_protobuf(ExportTraceServiceRequest::decode(&body[..]).unwrap())).collect()
    }
}

fn serve(stream: &TcpStream, manner: Manner, posted: &(Mutex<Vec<Posted>>, Condvar)) {
    let (mut reader, mut writer) = (BufReader::new(stream), stream);
    while let Some(request) = read(&mut reader) {
        posted.0.lock().unwrap().push(request);
        posted.1.notify_all();
        let answer = match manner {
            Manner::Good => "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
            Manner::Refusing => "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n",
            Manner::Hanging => continue,
        };
        if writer.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

fn read(reader: &mut impl BufRead) -> Option<Posted> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|bytes| *bytes > 0)?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let mut body = vec![0; headers.get("content-length")?.parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    Some(Posted { path, headers, body })
}
