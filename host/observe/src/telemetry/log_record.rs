//! Log records in the encoding of OTLP (protobuf), written while an event is recorded. The types of the SDK own a name
//! and a value for each field, and are converted twice on their way: that costs as much as a small transfer.
//!
//! The numbers of fields are those of `opentelemetry/proto/logs/v1/logs.proto` and `common/v1/common.proto`.

use super::sender::scope;
use crate::dialect::COMPATIBLE;
use opentelemetry::trace::{SpanId, TraceFlags, TraceId};
use opentelemetry_proto::tonic::resource::v1::Resource;
use prost::Message as _;
use std::error::Error;
use std::fmt::{Debug, Write};
use std::time::{SystemTime, UNIX_EPOCH};
use tracing::Level;
use tracing::field::{Field, Visit};
use tuffet_policy::PluginFields;

/// Room for most records, in bytes.
const USUAL_SIZE: usize = 1024;

/// The scopes of records: targets of the log.
const SCOPES: [&str; 4] = ["tuffet::transfer", "tuffet::plugin", "tuffet::policy", "tuffet"];

/// An encoded `LogRecord`.
#[derive(Debug)]
pub(super) struct Record {
    /// One of [`SCOPES`].
    scope: &'static str,
    bytes: Vec<u8>,
}

/// Returns an encoded `ExportLogsServiceRequest` with these records.
pub(super) fn request(resource: &Resource, records: &[Record]) -> Vec<u8> {
    let mut of_resource = Message::default();
    of_resource.block(1, &resource.encode_to_vec());
    for name in SCOPES {
        let mut its = records.iter().filter(|record| record.scope == name).peekable();
        if its.peek().is_none() {
            continue;
        }
        let mut of_scope = Message::default();
        of_scope.block(1, &scope(name).encode_to_vec());
        its.for_each(|record| of_scope.block(2, &record.bytes));
        of_resource.block(2, &of_scope.0);
    }
    let mut request = Message::default();
    request.block(1, &of_resource.0);
    request.0
}

/// Writes a record, as a visitor of the fields of its event.
pub(super) struct RecordWriter {
    scope: &'static str,
    message: Message,
    /// Scratch space for a value that has to be formatted.
    text: String,
    trace: Option<TraceId>,
    span: Option<SpanId>,
}

impl RecordWriter {
    pub(super) fn new(level: Level, target: &str) -> RecordWriter {
        let [.., others] = SCOPES;
        let scope = SCOPES.into_iter().find(|scope| *scope == target).unwrap_or(others);
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let at = u64::try_from(since.as_nanos()).unwrap_or(u64::MAX);
        let (severity, word) = match level {
            Level::ERROR => (17, "ERROR"),
            Level::WARN => (13, "WARN"),
            Level::INFO => (9, "INFO"),
            Level::DEBUG => (5, "DEBUG"),
            Level::TRACE => (1, "TRACE"),
        };
        let mut message = Message(Vec::with_capacity(USUAL_SIZE));
        message.fixed64(1, at);
        message.fixed64(11, at);
        message.varint_field(2, severity);
        message.block(3, word.as_bytes());
        message.attribute("log.target", Value::Text(scope));
        RecordWriter { scope, message, text: String::new(), trace: None, span: None }
    }

    pub(super) fn finish(mut self) -> Record {
        if let (Some(trace), Some(span)) = (self.trace, self.span) {
            self.message.fixed32(8, u32::from(TraceFlags::SAMPLED.to_u8()));
            self.message.block(9, &trace.to_bytes());
            self.message.block(10, &span.to_bytes());
        }
        Record { scope: self.scope, bytes: self.message.0 }
    }

    fn put(&mut self, field: &Field, value: Value<'_>) {
        self.message.attribute(field.name(), value);
    }

    fn put_text(&mut self, field: &Field, text: &str) {
        match field.name() {
            "message" => self.message.value(5, Value::Text(text)),
            "trace_id" => self.trace = TraceId::from_hex(text).ok(),
            "span_id" => self.span = SpanId::from_hex(text).ok(),
            _ => self.put(field, Value::Text(text)),
        }
    }
}

impl Visit for RecordWriter {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.put_text(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, Value::Int(i64::try_from(value).unwrap_or(i64::MAX)));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, Value::Int(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, Value::Bool(value));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, Value::Double(value));
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        match PluginFields::of(value) {
            Some(fields) => {
                fields.iter().for_each(|(name, value)| self.message.attribute(name, Value::Text(value)));
            }
            None => self.record_debug(field, &format_args!("{value}")),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // A repetition of the other fields, which is not even formatted.
        if field.name() == COMPATIBLE {
            return;
        }
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        // A value that fails to format is cut off there.
        let _ = write!(text, "{value:?}");
        self.put_text(field, &text);
        self.text = text;
    }
}

/// The value of an attribute.
#[derive(Clone, Copy)]
enum Value<'a> {
    Text(&'a str),
    Bool(bool),
    Int(i64),
    Double(f64),
}

impl Value<'_> {
    /// The length of an `AnyValue` with this value, in bytes.
    fn encoded_len(self) -> usize {
        1 + match self {
            Value::Text(text) => block_len(text.len()),
            Value::Bool(_) => 1,
            Value::Int(number) => varint_len(number.cast_unsigned()),
            Value::Double(_) => 8,
        }
    }
}

/// An encoded message.
#[derive(Debug, Default)]
struct Message(Vec<u8>);

/// How the value of a field is encoded: the wire types of protobuf.
#[derive(Clone, Copy)]
enum WireType {
    Varint = 0,
    Fixed64 = 1,
    Block = 2,
    Fixed32 = 5,
}

impl Message {
    /// Writes text, bytes or a message.
    fn block(&mut self, field: u8, content: &[u8]) {
        self.begin_block(field, content.len());
        self.0.extend_from_slice(content);
    }

    fn begin_block(&mut self, field: u8, length: usize) {
        self.key(field, WireType::Block);
        self.varint(length as u64);
    }

    fn attribute(&mut self, name: &str, value: Value<'_>) {
        self.begin_block(6, 1 + block_len(name.len()) + 1 + block_len(value.encoded_len()));
        self.block(1, name.as_bytes());
        self.value(2, value);
    }

    /// Writes an `AnyValue`.
    fn value(&mut self, field: u8, value: Value<'_>) {
        self.begin_block(field, value.encoded_len());
        match value {
            Value::Text(text) => self.block(1, text.as_bytes()),
            Value::Bool(flag) => self.varint_field(2, u64::from(flag)),
            Value::Int(number) => self.varint_field(3, number.cast_unsigned()),
            Value::Double(number) => self.fixed64(4, number.to_bits()),
        }
    }

    fn varint_field(&mut self, field: u8, number: u64) {
        self.key(field, WireType::Varint);
        self.varint(number);
    }

    fn fixed64(&mut self, field: u8, number: u64) {
        self.key(field, WireType::Fixed64);
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn fixed32(&mut self, field: u8, number: u32) {
        self.key(field, WireType::Fixed32);
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// Writes the key of a field below 16.
    fn key(&mut self, field: u8, wire_type: WireType) {
        self.0.push((field << 3) | wire_type as u8);
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}

/// The bytes of a block after its key: its length, and its content.
fn block_len(content: usize) -> usize {
    varint_len(content as u64) + content
}

fn varint_len(number: u64) -> usize {
    (64 - (number | 1).leading_zeros()).div_ceil(7) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
    use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
    use opentelemetry_proto::tonic::logs::v1::LogRecord;
    use parking_lot::Mutex;
    use std::sync::Arc;
    use tracing::{Event, Subscriber};
    use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
    use tuffet_sinks::otlp::message;

    struct Collected(Arc<Mutex<Vec<Record>>>);

    impl<S: Subscriber> Layer<S> for Collected {
        fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
            let mut writer = RecordWriter::new(*event.metadata().level(), event.metadata().target());
            event.record(&mut writer);
            self.0.lock().push(writer.finish());
        }
    }

    /// Returns the record of what is logged, as a collector decodes it.
    fn logged(log: impl FnOnce()) -> (&'static str, LogRecord) {
        let records = Arc::default();
        let subscriber = tracing_subscriber::registry().with(Collected(Arc::clone(&records)));
        tracing::subscriber::with_default(subscriber, log);
        let record = records.lock().pop().unwrap();
        (record.scope, LogRecord::decode(&*record.bytes).unwrap())
    }

    fn attributes(record: LogRecord) -> Vec<(String, Any)> {
        record.attributes.into_iter().map(|it| (it.key, it.value.unwrap().value.unwrap())).collect()
    }

    #[test]
    fn a_collector_decodes_what_was_logged() {
        let long = "é\0\r\n\u{1b}[2J\"".repeat(8_000);
        let (scope, record) = logged(|| {
            tracing::warn!(
                target: "tuffet::transfer", path = %long, bytes = u64::MAX, less = -7_i64, ratio = 0.5,
                done = true, empty = "", none = None::<u64>, zero = 0_u64, compatible = %"a repetition", "a {}", "message"
            );
        });
        assert_eq!(scope, "tuffet::transfer");
        assert_eq!((record.severity_number, &*record.severity_text), (13, "WARN"));
        assert!(record.time_unix_nano > 0 && record.time_unix_nano == record.observed_time_unix_nano);
        assert_eq!(record.body.clone().unwrap().value, Some(Any::StringValue("a message".into())));
        assert_eq!((record.flags, record.trace_id.len()), (0, 0));
        let due = [
            ("log.target", Any::StringValue("tuffet::transfer".into())),
            ("path", Any::StringValue(long)),
            ("bytes", Any::IntValue(i64::MAX)),
            ("less", Any::IntValue(-7)),
            ("ratio", Any::DoubleValue(0.5)),
            ("done", Any::BoolValue(true)),
            ("empty", Any::StringValue(String::new())),
            ("zero", Any::IntValue(0)),
        ];
        assert_eq!(attributes(record), due.map(|(name, value)| (name.to_owned(), value)));
    }

    #[test]
    fn traces_become_ids_and_other_targets_one_scope() {
        let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
        let (scope, record) = logged(
            || tracing::error!(target: "tuffet::sinks", trace_id = Some(trace), span_id = Some(span), "m"),
        );
        assert_eq!((scope, record.flags), ("tuffet", 1));
        assert_eq!(record.trace_id, TraceId::from_hex(trace).unwrap().to_bytes());
        assert_eq!(record.span_id, SpanId::from_hex(span).unwrap().to_bytes());
        assert_eq!(attributes(record), [("log.target".to_owned(), Any::StringValue("tuffet".into()))]);
    }

    #[test]
    fn a_request_has_a_scope_for_each_target() {
        let resource =
            message(&opentelemetry_sdk::Resource::builder_empty().with_service_name("here").build());
        let targets = ["tuffet::transfer", "tuffet::sinks", "tuffet::transfer"];
        let records = targets.map(|target| RecordWriter::new(Level::INFO, target).finish());
        let request = ExportLogsServiceRequest::decode(&*request(&resource, &records)).unwrap();
        let [resource] = &request.resource_logs[..] else { unreachable!("{request:?}") };
        let attributes = &resource.resource.as_ref().unwrap().attributes;
        assert_eq!((attributes.len(), &*attributes[0].key), (1, "service.name"));
        let scopes = resource.scope_logs.iter().map(|scope| {
            let about = scope.scope.as_ref().unwrap();
            (&*about.name, &*about.version, scope.log_records.len())
        });
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(scopes.collect::<Vec<_>>(), [("tuffet::transfer", version, 2), ("tuffet", version, 1)]);
    }

    #[test]
    fn lengths_at_the_edges() {
        for number in [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, u64::MAX >> 1, u64::MAX] {
            let mut message = Message::default();
            message.varint(number);
            assert_eq!(message.0.len(), varint_len(number), "{number}");
        }
    }
}
