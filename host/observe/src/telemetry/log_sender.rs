//! Sends encoded log records to a collector.
//!
//! The exporter of the SDK connects, sets headers and retries. Over HTTP it gets the body of each request from here.
//! Over gRPC it takes only records in its own types, so they are decoded for it.

use super::endpoint::Endpoint;
use super::export::wait_for;
use super::log_record::{Message, Record, SCOPES};
use super::queue::Export;
use opentelemetry::InstrumentationScope;
use opentelemetry::logs::{AnyValue, LogRecord as _, Logger, LoggerProvider, Severity};
use opentelemetry::trace::{SpanId, TraceFlags, TraceId};
use opentelemetry_otlp::LogExporter;
use opentelemetry_proto::tonic::common::v1::{self, KeyValue, any_value};
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use opentelemetry_proto::tonic::resource;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::logs::{LogBatch, LogExporter as _, SdkLogRecord, SdkLogger, SdkLoggerProvider};
use prost::Message as _;
use std::time::{Duration, UNIX_EPOCH};

/// Sends records.
pub(super) struct RecordSender {
    exporter: LogExporter,
    endpoint: Endpoint,
    scope: InstrumentationScope,
    /// The encoded resource.
    resource: Vec<u8>,
    /// Only creates the records of the SDK.
    logger: SdkLogger,
}

impl RecordSender {
    pub(super) fn new(
        mut exporter: LogExporter,
        endpoint: Endpoint,
        scope: InstrumentationScope,
        resource: &Resource,
    ) -> RecordSender {
        exporter.set_resource(resource);
        let logger = SdkLoggerProvider::builder().build().logger_with_scope(scope.clone());
        RecordSender { exporter, endpoint, scope, resource: encoded(resource), logger }
    }
}

impl Export<Record> for RecordSender {
    fn export(&mut self, batch: Vec<Record>) -> Result<(), String> {
        let exported = if self.endpoint.is_http() {
            let version = self.scope.version().unwrap_or_default();
            self.endpoint.set_body(Some(request(&self.resource, version, &batch)));
            let exported = wait_for(self.exporter.export(LogBatch::new(&[])));
            self.endpoint.set_body(None);
            exported
        } else {
            let records: Vec<SdkLogRecord> =
                batch.iter().map(|record| decoded(&self.logger, record)).collect();
            let borrowed: Vec<_> = records.iter().map(|record| (record, &self.scope)).collect();
            wait_for(self.exporter.export(LogBatch::new(&borrowed)))
        };
        exported.map_err(|error| self.endpoint.explain(&error))
    }

    fn endpoint(&self) -> &str {
        self.endpoint.url()
    }
}

/// Returns an encoded `ExportLogsServiceRequest` with these records, from an encoded resource.
fn request(resource: &[u8], version: &str, records: &[Record]) -> Vec<u8> {
    let mut of_resource = Message::default();
    of_resource.block(1, resource);
    for name in SCOPES {
        let mut its = records.iter().filter(|record| record.scope == name).peekable();
        if its.peek().is_none() {
            continue;
        }
        let scope = v1::InstrumentationScope {
            name: name.into(),
            version: version.into(),
            ..v1::InstrumentationScope::default()
        };
        let mut of_scope = Message::default();
        of_scope.block(1, &scope.encode_to_vec());
        its.for_each(|record| of_scope.block(2, &record.bytes));
        of_resource.block(2, &of_scope.0);
    }
    let mut request = Message::default();
    request.block(1, &of_resource.0);
    request.0
}

fn encoded(resource: &Resource) -> Vec<u8> {
    let attributes = resource.iter().map(|(key, value)| KeyValue {
        key: key.to_string(),
        value: Some(value.clone().into()),
        ..KeyValue::default()
    });
    let attributes = attributes.collect();
    resource::v1::Resource { attributes, ..resource::v1::Resource::default() }.encode_to_vec()
}

/// Returns a record in the types of the SDK.
fn decoded(logger: &SdkLogger, from: &Record) -> SdkLogRecord {
    let decoded = LogRecord::decode(&*from.bytes).unwrap_or_default();
    let at = UNIX_EPOCH + Duration::from_nanos(decoded.time_unix_nano);
    let (severity, word) = match decoded.severity_number {
        ..5 => (Severity::Trace, "TRACE"),
        5..9 => (Severity::Debug, "DEBUG"),
        9..13 => (Severity::Info, "INFO"),
        13..17 => (Severity::Warn, "WARN"),
        17.. => (Severity::Error, "ERROR"),
    };
    let mut record = logger.create_log_record();
    record.set_timestamp(at);
    record.set_observed_timestamp(at);
    record.set_severity_number(severity);
    record.set_severity_text(word);
    record.set_target(from.scope);
    if let Some(body) = decoded.body.and_then(any) {
        record.set_body(body);
    }
    let attributes = decoded.attributes.into_iter();
    record.add_attributes(attributes.filter_map(|it| Some((it.key, any(it.value?)?))));
    if let (Ok(trace), Ok(span)) = (decoded.trace_id.try_into(), decoded.span_id.try_into()) {
        let (trace, span) = (TraceId::from_bytes(trace), SpanId::from_bytes(span));
        record.set_trace_context(trace, span, Some(TraceFlags::SAMPLED));
    }
    record
}

/// Returns a value in the type of the SDK, if it is of a kind that records have.
fn any(value: v1::AnyValue) -> Option<AnyValue> {
    Some(match value.value? {
        any_value::Value::StringValue(text) => text.into(),
        any_value::Value::BoolValue(flag) => flag.into(),
        any_value::Value::IntValue(number) => number.into(),
        any_value::Value::DoubleValue(number) => number.into(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::log_record::RecordWriter;
    use super::*;
    use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
    use tracing::Level;

    #[test]
    fn a_request_has_a_scope_for_each_target() {
        let resource = Resource::builder_empty().with_service_name("here").build();
        let targets = ["tuffet::transfer", "tuffet::sinks", "tuffet::transfer"];
        let records = targets.map(|target| RecordWriter::new(Level::INFO, target).finish());
        let request = request(&encoded(&resource), "1.2", &records);
        let request = ExportLogsServiceRequest::decode(&*request).unwrap();
        let [resource] = &request.resource_logs[..] else { unreachable!("{request:?}") };
        let attributes = &resource.resource.as_ref().unwrap().attributes;
        assert_eq!((attributes.len(), &*attributes[0].key), (1, "service.name"));
        let scopes = resource.scope_logs.iter().map(|scope| {
            let about = scope.scope.as_ref().unwrap();
            (&*about.name, &*about.version, scope.log_records.len())
        });
        assert_eq!(scopes.collect::<Vec<_>>(), [("tuffet::transfer", "1.2", 2), ("tuffet", "1.2", 1)]);
    }

    /// What gRPC sends is what HTTP sends.
    #[test]
    fn a_decoded_record_is_encoded_the_same() {
        let logger = SdkLoggerProvider::builder().build().logger("test");
        for level in [Level::ERROR, Level::WARN, Level::INFO, Level::DEBUG, Level::TRACE] {
            let record = RecordWriter::new(level, "tuffet::transfer").finish();
            let sdk = decoded(&logger, &record);
            assert_eq!(LogRecord::from(&sdk), LogRecord::decode(&*record.bytes).unwrap());
        }
    }
}
