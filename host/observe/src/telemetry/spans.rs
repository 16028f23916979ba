//! Builds the spans of an ended request, named after the semantic conventions of OpenTelemetry; other names begin with
//! `tftp.`.

use opentelemetry::trace::{SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState};
use opentelemetry::{Array, InstrumentationScope, KeyValue, StringValue, Value};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::transform::common::tonic::ResourceAttributesWithSchema;
use opentelemetry_proto::transform::trace::tonic::group_spans_by_resource_and_scope;
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};
use prost::Message as _;
use std::borrow::Cow;
use std::net::SocketAddr;
use std::time::SystemTime;
use tuffet_request::events::{Answered, FieldValue, Outcome, Summary};
use tuffet_request::{Operation, Protocol};
use tuffet_request::{Step, Trail, What};

/// The most characters of a text from clients, plugins or the system.
const MAX_TEXT: usize = 256;

/// Returns an encoded `ExportTraceServiceRequest` with these spans.
pub(super) fn request(resource: &ResourceAttributesWithSchema, spans: Vec<SpanData>) -> Vec<u8> {
    let resource_spans = group_spans_by_resource_and_scope(spans, resource);
    ExportTraceServiceRequest { resource_spans }.encode_to_vec()
}

/// Returns all spans of a request, that of the transfer first.
pub(super) fn spans(
    summary: &Summary,
    trail: &Trail,
    steps: Vec<Step>,
    listener: Option<SocketAddr>,
    scope: &InstrumentationScope,
) -> Vec<SpanData> {
    let builder = SpanBuilder { trail, scope };
    let mut spans = vec![builder.transfer(summary, listener)];
    spans.extend(steps.into_iter().map(|step| builder.step(step)));
    spans.extend(builder.negotiation(summary));
    spans
}

struct SpanBuilder<'a> {
    trail: &'a Trail,
    scope: &'a InstrumentationScope,
}

impl SpanBuilder<'_> {
    fn span(&self, name: &'static str, began: SystemTime, ended: SystemTime) -> SpanData {
        SpanData {
            span_context: self.context(SpanId::from(fastrand::u64(1..))),
            parent_span_id: SpanId::from(self.trail.span.0),
            parent_span_is_remote: false,
            span_kind: SpanKind::Internal,
            name: Cow::Borrowed(name),
            start_time: began,
            end_time: ended.max(began),
            attributes: Vec::new(),
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: Status::Unset,
            instrumentation_scope: self.scope.clone(),
        }
    }

    fn context(&self, span: SpanId) -> SpanContext {
        SpanContext::new(
            TraceId::from(self.trail.trace.0),
            span,
            TraceFlags::SAMPLED,
            false,
            TraceState::NONE,
        )
    }

    fn transfer(&self, summary: &Summary, listener: Option<SocketAddr>) -> SpanData {
        let request = &summary.record.request;
        let name = match (request.protocol, request.operation) {
            (Protocol::Http, Operation::Read) => "http.read",
            (Protocol::Http, Operation::Write) => "http.write",
            (_, Operation::Read) => "tftp.read",
            (_, Operation::Write) => "tftp.write",
        };
        let mut span = self.span(name, self.trail.received_at(), self.trail.after(summary.duration));
        span.span_context = self.context(SpanId::from(self.trail.span.0));
        span.parent_span_id = self.trail.parent.map_or(SpanId::INVALID, |parent| SpanId::from(parent.0));
        span.parent_span_is_remote = self.trail.parent.is_some();
        span.span_kind = SpanKind::Server;
        span.attributes = attributes(summary, listener);
        // As for HTTP: a mistake of the client is not an error of the server span.
        if matches!(summary.ending.outcome, Outcome::Failed | Outcome::TimedOut) {
            let detail = summary.ending.detail.as_deref().unwrap_or(summary.ending.outcome.as_str());
            span.status = Status::error(short(detail));
        }
        span
    }

    fn step(&self, step: Step) -> SpanData {
        let (began, ended) = (self.trail.at(step.began), self.trail.at(step.ended));
        match step.what {
            What::Plugin {
                plugin,
                hook,
                verdict,
                detail: _,
                lines: _,
                failure,
                remembered,
                label,
                monitored,
            } => {
                let name = match hook {
                    "authorize" => "tftp.authorize",
                    "resolve" => "tftp.resolve",
                    _ => "tftp.accept-upload",
                };
                let mut span = self.span(name, began, ended);
                span.attributes = vec![
                    KeyValue::new("tftp.plugin.name", plugin),
                    KeyValue::new("tftp.plugin.hook", hook),
                    KeyValue::new("tftp.plugin.verdict", verdict),
                    KeyValue::new("tftp.plugin.remembered", remembered),
                    KeyValue::new("tftp.plugin.monitored", monitored),
                ];
                if let Some(label) = label {
                    span.attributes.push(KeyValue::new("tftp.plugin.label", label.to_string()));
                }
                if let Some((cause, detail)) = failure {
                    span.attributes.push(KeyValue::new("error.type", cause));
                    span.status = Status::error(short(&detail));
                }
                span
            }
            What::Open(Ok(resolved)) => {
                let mut span = self.span("tftp.open", began, ended);
                span.attributes = vec![KeyValue::new("tftp.resolved", resolved)];
                span
            }
            What::Open(Err(error)) => failed(self.span("tftp.open", began, ended), &error),
            What::Store(Ok(())) => self.span("tftp.store", began, ended),
            What::Store(Err(error)) => failed(self.span("tftp.store", began, ended), &error),
        }
    }

    /// Returns the span from the decision to the first block that arrived, or to the end.
    fn negotiation(&self, summary: &Summary) -> Option<SpanData> {
        if summary.decision != Answered::Granted {
            return None;
        }
        let began = self.trail.after(summary.record.decided_after?);
        let ended = self.trail.after(summary.first_block_after.unwrap_or(summary.duration));
        let mut span = self.span("tftp.negotiate", began, ended);
        span.attributes = vec![
            KeyValue::new("tftp.blksize", i64::from(summary.options.block_size())),
            KeyValue::new("tftp.windowsize", i64::from(summary.options.window_size())),
        ];
        if summary.first_block_after.is_none() {
            let outcome = summary.ending.outcome;
            if outcome != Outcome::Probed {
                span.attributes.push(KeyValue::new("error.type", outcome.as_str()));
            }
        }
        Some(span)
    }
}

fn failed(mut span: SpanData, error: &str) -> SpanData {
    span.attributes.push(KeyValue::new("error.type", "_OTHER"));
    span.status = Status::error(short(error));
    span
}

fn attributes(summary: &Summary, listener: Option<SocketAddr>) -> Vec<KeyValue> {
    let request = &summary.record.request;
    let (client, outcome) = (request.client, summary.ending.outcome);
    let mut all = Attributes(Vec::with_capacity(40));
    let protocol = summary.record.request.protocol;
    all.put("network.transport", if protocol == Protocol::Tftp { "udp" } else { "tcp" });
    all.put("network.protocol.name", protocol.as_str());
    all.put("network.type", if client.is_ipv4() { "ipv4" } else { "ipv6" });
    all.put("network.peer.address", client.ip().to_string());
    all.put("network.peer.port", i64::from(client.port()));
    all.put("client.address", client.ip().to_string());
    all.put("client.port", i64::from(client.port()));
    if let Some(listener) = listener {
        if !listener.ip().is_unspecified() {
            all.put("server.address", listener.ip().to_string());
        }
        all.put("server.port", i64::from(listener.port()));
    }
    if !matches!(outcome, Outcome::Served | Outcome::Stored | Outcome::Probed) {
        all.put("error.type", outcome.as_str());
    }
    for (field, value) in summary.fields() {
        if let Some(name) = field.span {
            all.put(name, attribute(value));
        }
    }
    all.0
}

struct Attributes(Vec<KeyValue>);

impl Attributes {
    fn put(&mut self, key: &'static str, value: impl Into<Value>) {
        self.0.push(KeyValue::new(key, value));
    }
}

fn attribute(value: FieldValue<'_>) -> Value {
    match value {
        FieldValue::Text(text) => short(text).into(),
        FieldValue::Number(number) => as_i64(number).into(),
        // Semantic conventions have seconds.
        FieldValue::Time(time) => time.as_secs_f64().into(),
        FieldValue::List(texts) => {
            Value::Array(Array::String(texts.iter().map(|text| StringValue::from(short(text))).collect()))
        }
        FieldValue::Id(_)
        | FieldValue::Address(_)
        | FieldValue::Mac(_)
        | FieldValue::Options(_)
        | FieldValue::Labels(_) => value.to_string().into(),
    }
}

fn as_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn short(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::time::Instant;
    use tuffet_request::Request;
    use tuffet_request::events::DecisionRecord;

    /// Returns names and values, sorted.
    fn named(summary: &Summary, listener: Option<SocketAddr>) -> Vec<String> {
        let mut all: Vec<String> = attributes(summary, listener)
            .into_iter()
            .map(|it| format!("{}={:?}", it.key, it.value).replace("Owned", "").replace("Static", ""))
            .collect();
        all.sort();
        all
    }

    #[test]
    fn a_span_has_each_fact_under_its_name() {
        let expected = [
            "client.address=String((\"192.0.2.1\"))",
            "client.port=I64(2000)",
            "error.type=String((\"timed-out\"))",
            "network.peer.address=String((\"192.0.2.1\"))",
            "network.peer.port=I64(2000)",
            "network.protocol.name=String((\"http\"))",
            "network.transport=String((\"tcp\"))",
            "network.type=String((\"ipv4\"))",
            "server.address=String((\"192.0.2.9\"))",
            "server.port=I64(69)",
            "tftp.blksize=I64(1428)",
            "tftp.blocks=I64(3)",
            "tftp.bytes=I64(4284)",
            "tftp.certificate=String((\"0a1b\"))",
            "tftp.client.class=String((\"u-boot\"))",
            "tftp.client.mac=String((\"02:00:5e:10:00:01\"))",
            "tftp.client.mac_source=String((\"neighbour-table\"))",
            "tftp.decision=String((\"granted\"))",
            "tftp.detail=String((\"silent after block 3\"))",
            "tftp.duplicates=I64(11)",
            "tftp.labels=String((\"acl=canary\"))",
            "tftp.listener=String((\"lan\"))",
            "tftp.mode=String((\"octet\"))",
            "tftp.operation=String((\"read\"))",
            "tftp.outcome=String((\"timed-out\"))",
            "tftp.path=String((\"b/pxelinux.0\"))",
            "tftp.plugin_calls=I64(1)",
            "tftp.rate=I64(2048)",
            "tftp.request.id=String((\"0000000000000001\"))",
            "tftp.resolved=String((\"boot:elsewhere\"))",
            "tftp.retransmissions=I64(10)",
            "tftp.rtt=F64(0.014)",
            "tftp.size=I64(9000)",
            "tftp.timeouts=I64(12)",
            "tftp.tried=Array(String([(\"boot:a\"), (\"boot:b\")]))",
            "tftp.tried_by=String((\"mac-map\"))",
            "tftp.verdict_by=String((\"acl\"))",
            "tftp.windowsize=I64(8)",
        ];
        assert_eq!(named(&Summary::sample(), Some(([192, 0, 2, 9], 69).into())), expected);
    }

    #[test]
    fn a_fact_that_is_not_known_has_no_attribute() {
        let record = DecisionRecord::new(Arc::new(Request::sample("a")), Instant::now());
        let few = named(&Summary::new(record, Outcome::Served, Answered::Granted), None);
        let names: Vec<&str> = few.iter().filter_map(|it| it.split('=').next()).collect();
        let expected = [
            "client.address",
            "client.port",
            "network.peer.address",
            "network.peer.port",
            "network.protocol.name",
            "network.transport",
            "network.type",
            "tftp.blksize",
            "tftp.blocks",
            "tftp.bytes",
            "tftp.client.class",
            "tftp.decision",
            "tftp.duplicates",
            "tftp.listener",
            "tftp.mode",
            "tftp.operation",
            "tftp.outcome",
            "tftp.path",
            "tftp.plugin_calls",
            "tftp.request.id",
            "tftp.retransmissions",
            "tftp.timeouts",
            "tftp.windowsize",
        ];
        assert_eq!(names, expected);
    }
}
