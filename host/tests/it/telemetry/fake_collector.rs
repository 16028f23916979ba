//! A collector that speaks just enough of OTLP/HTTP, and misbehaves on demand.

use super::received::{Span, from_protobuf};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use prost::Message;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
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

pub struct FakeCollector {
    port: u16,
    posted: Arc<(Mutex<Vec<Posted>>, Condvar)>,
    pub connections: Arc<AtomicUsize>,
}

impl FakeCollector {
    pub fn start(manner: Manner) -> FakeCollector {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let collector = FakeCollector {
            port: listener.local_addr().unwrap().port(),
            posted: Arc::default(),
            connections: Arc::default(),
        };
        let (posted, connections) = (Arc::clone(&collector.posted), Arc::clone(&collector.connections));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                connections.fetch_add(1, Ordering::Relaxed);
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

    /// All spans so far.
    pub fn spans(&self) -> Vec<Span> {
        let traces = self.posted().into_iter().filter(|posted| posted.path.ends_with("/v1/traces"));
        traces
            .flat_map(|posted| from_protobuf(ExportTraceServiceRequest::decode(&posted.body[..]).unwrap()))
            .collect()
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
