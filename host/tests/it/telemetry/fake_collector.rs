//! A collector with just enough of OTLP/HTTP, which misbehaves on demand.

use super::received::{Span, from_protobuf, hex};
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::logs::v1::{ExportLogsPartialSuccess, ExportLogsServiceResponse};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs};
use opentelemetry_proto::tonic::metrics::v1::{metric, number_data_point};
use prost::Message;
use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpListener;
use std::sync::{Arc, Condvar, Mutex};

use crate::harness::{HttpConnection, HttpRequest, SOON, loopback, serve_http};

/// The reaction to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    Good,
    /// 503 each time.
    Refusing,
    /// It reads, and never answers.
    Hanging,
    /// This status and these headers, each with CR LF.
    Status(u16, &'static str),
    /// It refuses this many records.
    Partial(i64),
}

impl Manner {
    fn takes(self) -> bool {
        matches!(self, Manner::Good | Manner::Partial(_))
    }
}

/// A received request.
#[derive(Debug, Clone)]
pub struct Posted {
    pub request: HttpRequest,
    /// The answer to it.
    pub manner: Manner,
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
    /// The next reactions; the last one repeats.
    manners: Arc<Mutex<Vec<Manner>>>,
}

impl FakeCollector {
    pub fn start(manner: Manner) -> FakeCollector {
        FakeCollector::at(loopback(), &[manner])
    }

    /// Starts one with these reactions, in order.
    pub fn at(listener: TcpListener, manners: &[Manner]) -> FakeCollector {
        let collector = FakeCollector {
            port: listener.local_addr().unwrap().port(),
            posted: Arc::default(),
            manners: Arc::new(Mutex::new(manners.to_vec())),
        };
        let (posted, manners) = (Arc::clone(&collector.posted), Arc::clone(&collector.manners));
        serve_http(listener, move |request, connection| serve(request, connection, &manners, &posted));
        collector
    }

    /// Sets the reaction from now on.
    pub fn behave(&self, manner: Manner) {
        *self.manners.lock().unwrap() = vec![manner];
    }

    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the requests so far.
    pub fn posted(&self) -> Vec<Posted> {
        self.posted.0.lock().unwrap().clone()
    }

    /// Waits for this many requests.
    #[track_caller]
    pub fn wait_for(&self, requests: usize) -> Vec<Posted> {
        let posted = self.posted.0.lock().unwrap();
        let (posted, waited) =
            self.posted.1.wait_timeout_while(posted, SOON, |posted| posted.len() < requests).unwrap();
        assert!(!waited.timed_out(), "{} of {requests} requests came", posted.len());
        posted.clone()
    }

    /// Returns all log records so far.
    pub fn records(&self) -> Vec<Record> {
        self.log_records()
            .into_iter()
            .map(|record| Record {
                message: match record.body.and_then(|body| body.value) {
                    Some(any_value::Value::StringValue(text)) => text,
                    other => panic!("a body of another kind: {other:?}"),
                },
                trace: hex(&record.trace_id),
            })
            .collect()
    }

    /// Returns the log records as received.
    pub fn log_records(&self) -> Vec<LogRecord> {
        let of_one = self.resource_logs().into_iter();
        of_one.flat_map(|of_one| of_one.scope_logs).flat_map(|scope| scope.log_records).collect()
    }

    /// Returns the log records with their resources.
    pub fn resource_logs(&self) -> Vec<ResourceLogs> {
        let bodies = self.bodies("/v1/logs").into_iter();
        bodies
            .map(|body| ExportLogsServiceRequest::decode(&body[..]).unwrap())
            .flat_map(|request| request.resource_logs)
            .collect()
    }

    /// Returns the names of all metrics so far.
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

    /// Returns the latest number of served transfers, by instance of the service.
    pub fn served(&self) -> BTreeMap<String, i64> {
        let bodies = self.bodies("/v1/metrics").into_iter();
        let mut served = BTreeMap::new();
        for of_one in bodies
            .map(|body| ExportMetricsServiceRequest::decode(&body[..]).unwrap())
            .flat_map(|request| request.resource_metrics)
        {
            let resource = of_one.resource.unwrap();
            let instance = text_of(&resource.attributes, "service.instance.id").unwrap();
            let metrics = of_one.scope_metrics.into_iter().flat_map(|scope| scope.metrics);
            for metric in metrics.filter(|metric| metric.name == "tuffet.transfers") {
                let Some(metric::Data::Sum(sum)) = metric.data else { panic!("it is no counter") };
                let points = sum.data_points.into_iter();
                let of_served =
                    points.filter(|point| text_of(&point.attributes, "outcome").as_deref() == Some("served"));
                let count = of_served.map(|point| match point.value {
                    Some(number_data_point::Value::AsInt(count)) => count,
                    other => panic!("a counter is a whole number: {other:?}"),
                });
                served.insert(instance.clone(), count.sum());
            }
        }
        served
    }

    /// Returns the bodies of accepted requests.
    fn bodies(&self, path: &str) -> Vec<Vec<u8>> {
        let taken = |posted: &Posted| posted.request.path() == path && posted.manner.takes();
        self.posted().into_iter().filter(taken).map(|posted| posted.request.body).collect()
    }

    /// Returns all spans so far.
    pub fn spans(&self) -> Vec<Span> {
        let bodies = self.bodies("/v1/traces").into_iter();
        bodies.flat_map(|body| from_protobuf(ExportTraceServiceRequest::decode(&body[..]).unwrap())).collect()
    }
}

fn text_of(attributes: &[KeyValue], key: &str) -> Option<String> {
    let found = attributes.iter().find(|attribute| attribute.key == key)?;
    match found.value.clone()?.value? {
        any_value::Value::StringValue(text) => Some(text),
        _ => None,
    }
}

fn serve(
    request: &HttpRequest,
    connection: &mut HttpConnection,
    manners: &Mutex<Vec<Manner>>,
    posted: &(Mutex<Vec<Posted>>, Condvar),
) -> Option<()> {
    let manner = {
        let mut manners = manners.lock().unwrap();
        if manners.len() > 1 { manners.remove(0) } else { manners[0] }
    };
    posted.0.lock().unwrap().push(Posted { request: request.clone(), manner });
    posted.1.notify_all();
    match manner {
        Manner::Good => connection.answer(200, "", b""),
        Manner::Refusing => connection.answer(503, "", b""),
        Manner::Hanging => Some(()),
        Manner::Status(status, headers) => connection.answer(status, headers, b""),
        Manner::Partial(rejected_log_records) => {
            let partial = ExportLogsPartialSuccess { rejected_log_records, error_message: "too old".into() };
            let answer = ExportLogsServiceResponse { partial_success: Some(partial) };
            connection.answer(200, "", &answer.encode_to_vec())
        }
    }
}
