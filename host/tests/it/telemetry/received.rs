//! The data that a collector received, in one form for OTLP in protobuf and in JSON.

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value};
use serde_json::Value;
use std::collections::BTreeMap;

pub type Attributes = BTreeMap<String, String>;

#[derive(Debug, Clone)]
pub struct Span {
    pub name: String,
    pub trace: String,
    pub id: String,
    /// Empty for the first span of a trace.
    pub parent: String,
    /// 1 internal, 2 server.
    pub kind: i64,
    /// 0 unset, 1 good, 2 error.
    pub status: i64,
    pub start: u64,
    pub end: u64,
    pub attributes: Attributes,
    pub resource: Attributes,
}

impl Span {
    #[track_caller]
    pub fn has(&self, attributes: &[(&str, &str)]) {
        for (key, value) in attributes {
            assert_eq!(self.attributes.get(*key).map(String::as_str), Some(*value), "{key} of {self:#?}");
        }
    }
}

/// Returns the spans of a trace: its root, and the others by start time.
#[track_caller]
pub fn trace<'a>(spans: &'a [Span], path: &str) -> (&'a Span, Vec<&'a Span>) {
    let mut roots =
        spans.iter().filter(|span| span.attributes.get("tftp.path").is_some_and(|its| its == path));
    let root = roots.next().unwrap_or_else(|| panic!("no trace of {path}: {spans:#?}"));
    assert!(roots.next().is_none(), "two traces of {path}");
    assert_eq!((root.kind, root.parent.as_str()), (2, ""), "{root:#?}");
    let mut children: Vec<&Span> =
        spans.iter().filter(|span| span.trace == root.trace && span.id != root.id).collect();
    children.sort_by_key(|span| span.start);
    for child in &children {
        assert_eq!((child.kind, &child.parent), (1, &root.id), "{child:#?}");
        assert!(child.start >= root.start && child.start <= child.end, "{child:#?} of {root:#?}");
    }
    (root, children)
}

/// Parses one request of OTLP/HTTP.
pub fn from_protobuf(request: ExportTraceServiceRequest) -> Vec<Span> {
    let mut spans = Vec::new();
    for of_one in request.resource_spans {
        let resource = of_one.resource.map(|resource| attributes(resource.attributes)).unwrap_or_default();
        for span in of_one.scope_spans.into_iter().flat_map(|scope| scope.spans) {
            spans.push(Span {
                name: span.name,
                trace: hex(&span.trace_id),
                id: hex(&span.span_id),
                parent: hex(&span.parent_span_id),
                kind: span.kind.into(),
                status: span.status.map_or(0, |status| status.code.into()),
                start: span.start_time_unix_nano,
                end: span.end_time_unix_nano,
                attributes: attributes(span.attributes),
                resource: resource.clone(),
            });
        }
    }
    spans
}

pub fn hex(id: &[u8]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn attributes(pairs: Vec<KeyValue>) -> Attributes {
    let text = |value: AnyValue| match value.value {
        Some(any_value::Value::StringValue(text)) => text,
        Some(any_value::Value::IntValue(number)) => number.to_string(),
        Some(any_value::Value::BoolValue(flag)) => flag.to_string(),
        Some(any_value::Value::DoubleValue(number)) => number.to_string(),
        other => panic!("an attribute of another kind: {other:?}"),
    };
    pairs.into_iter().map(|pair| (pair.key, text(pair.value.unwrap()))).collect()
}

/// Parses one line of OTLP/JSON, as the collector writes it.
pub fn from_json(line: &Value) -> Vec<Span> {
    let mut spans = Vec::new();
    for of_one in list(line, "resourceSpans") {
        let resource = json_attributes(&of_one["resource"]);
        for span in list(of_one, "scopeSpans").iter().flat_map(|scope| list(scope, "spans")) {
            let text = |key: &str| span[key].as_str().unwrap_or_default().to_owned();
            let nanos = |key: &str| text(key).parse().unwrap();
            spans.push(Span {
                name: text("name"),
                trace: text("traceId"),
                id: text("spanId"),
                parent: text("parentSpanId"),
                kind: span["kind"].as_i64().unwrap(),
                status: span["status"]["code"].as_i64().unwrap_or(0),
                start: nanos("startTimeUnixNano"),
                end: nanos("endTimeUnixNano"),
                attributes: json_attributes(span),
                resource: resource.clone(),
            });
        }
    }
    spans
}

pub fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// Returns the attributes of a value.
pub fn json_attributes(of: &Value) -> Attributes {
    let text = |value: &Value| match value.as_object().and_then(|value| value.values().next()) {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    list(of, "attributes")
        .iter()
        .map(|pair| (pair["key"].as_str().unwrap().into(), text(&pair["value"])))
        .collect()
}
