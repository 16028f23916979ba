//! Converts lines to log records.
//!
//! A queued line carries its time and plugin, so that both survive a restart.

use std::time::{SystemTime, UNIX_EPOCH};

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::common::v1::{
    AnyValue, ArrayValue, InstrumentationScope, KeyValue, KeyValueList,
};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs, SeverityNumber};
use opentelemetry_proto::tonic::resource::v1::Resource;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::resource::{message, resource};

/// The maximum nesting of maps and lists. Deeper ones are sent as JSON in a string, because decoders have limits,
/// too.
const MAX_DEPTH: u32 = 16;

/// The time and plugin of a line, stored before it.
#[derive(Serialize, Deserialize)]
struct Mark {
    /// Nanoseconds since 1970.
    #[serde(rename = "tuffet.at")]
    at: u64,
    #[serde(rename = "tuffet.plugin")]
    plugin: String,
}

/// A marked line.
#[derive(Deserialize)]
struct Marked {
    #[serde(flatten)]
    mark: Mark,
    #[serde(rename = "tuffet.line")]
    line: Value,
}

/// Returns the line with its mark, as it is queued.
pub(crate) fn mark(plugin: &str, line: &str) -> String {
    let mark = Mark { at: now(), plugin: plugin.to_owned() };
    let mut marked = serde_json::to_string(&mark).unwrap_or_default();
    // Reopens the map with two keys for the line, which is already JSON.
    marked.pop();
    marked + ",\"tuffet.line\":" + line + "}"
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64)
}

/// Builds requests from lines.
pub(super) struct Records {
    sink: String,
    resource: Resource,
}

impl Records {
    pub(super) fn new(sink: &str, attributes: &[(String, String)]) -> Records {
        Records { sink: sink.to_owned(), resource: message(&resource(attributes)) }
    }

    pub(super) fn request(&self, lines: &[String]) -> ExportLogsServiceRequest {
        let scope = InstrumentationScope {
            name: "tuffet".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            ..InstrumentationScope::default()
        };
        let scope_logs = ScopeLogs {
            scope: Some(scope),
            log_records: lines.iter().map(|line| self.record(line)).collect(),
            ..ScopeLogs::default()
        };
        ExportLogsServiceRequest {
            resource_logs: vec![ResourceLogs {
                resource: Some(self.resource.clone()),
                scope_logs: vec![scope_logs],
                ..ResourceLogs::default()
            }],
        }
    }

    fn record(&self, line: &str) -> LogRecord {
        // A spool may hold lines from before the sink's kind was changed.
        let (mark, line) = match serde_json::from_str::<Marked>(line) {
            Ok(Marked { mark, line }) => (Some(mark), line),
            Err(_) => (None, serde_json::from_str(line).unwrap_or_else(|_| line.into())),
        };
        let queued_at = mark.as_ref().map_or_else(now, |mark| mark.at);
        let (number, word) = severity(&line);
        let mut attributes = vec![text("tftp.sink.name", &self.sink)];
        attributes.extend(mark.map(|mark| text("tftp.plugin.name", &mark.plugin)));
        LogRecord {
            time_unix_nano: event_time(&line).unwrap_or(queued_at),
            observed_time_unix_nano: queued_at,
            severity_number: number.into(),
            severity_text: word.into(),
            body: Some(any(line, MAX_DEPTH)),
            attributes,
            ..LogRecord::default()
        }
    }
}

/// Returns the time of the event from `unix_ms`, which `audit` and `publish` write.
fn event_time(line: &Value) -> Option<u64> {
    line.get("unix_ms")?.as_u64()?.checked_mul(1_000_000)
}

/// Returns the severity from `level` or `severity`; information by default.
fn severity(line: &Value) -> (SeverityNumber, &'static str) {
    let word = line.get("level").or_else(|| line.get("severity")).and_then(Value::as_str);
    match word.map(str::to_ascii_lowercase).as_deref() {
        Some("trace") => (SeverityNumber::Trace, "TRACE"),
        Some("debug") => (SeverityNumber::Debug, "DEBUG"),
        Some("warn" | "warning") => (SeverityNumber::Warn, "WARN"),
        Some("error") => (SeverityNumber::Error, "ERROR"),
        Some("fatal" | "critical") => (SeverityNumber::Fatal, "FATAL"),
        _ => (SeverityNumber::Info, "INFO"),
    }
}

fn text(key: &str, value: &str) -> KeyValue {
    pair(key.into(), AnyValue { value: Some(Any::StringValue(value.into())) })
}

fn pair(key: String, value: AnyValue) -> KeyValue {
    KeyValue { key, value: Some(value), ..KeyValue::default() }
}

fn any(value: Value, depth: u32) -> AnyValue {
    let value = match value {
        Value::Null => None,
        Value::Bool(flag) => Some(Any::BoolValue(flag)),
        Value::Number(number) => Some(match number.as_i64() {
            Some(whole) => Any::IntValue(whole),
            None => Any::DoubleValue(number.as_f64().unwrap_or(f64::NAN)),
        }),
        Value::String(text) => Some(Any::StringValue(text)),
        nested if depth == 0 => Some(Any::StringValue(nested.to_string())),
        Value::Array(values) => {
            let values = values.into_iter().map(|value| any(value, depth - 1)).collect();
            Some(Any::ArrayValue(ArrayValue { values }))
        }
        Value::Object(map) => {
            let values = map.into_iter().map(|(key, value)| pair(key, any(value, depth - 1))).collect();
            Some(Any::KvlistValue(KeyValueList { values }))
        }
    };
    AnyValue { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(line: &str) -> LogRecord {
        Records::new("out", &[]).record(line)
    }

    fn of<'a>(record: &'a LogRecord, key: &str) -> Option<&'a Any> {
        let Some(AnyValue { value: Some(Any::KvlistValue(list)) }) = &record.body else { return None };
        list.values.iter().find(|pair| pair.key == key)?.value.as_ref()?.value.as_ref()
    }

    #[test]
    fn a_line_becomes_a_record() {
        let line = r#"{"unix_ms":1700000000123,"level":"warning","n":-7,"x":0.5,"list":[true,null,"a"],"big":18446744073709551615}"#;
        let record = record(&mark("audit", line));
        assert_eq!(record.time_unix_nano, 1_700_000_000_123_000_000);
        assert!(record.observed_time_unix_nano > record.time_unix_nano);
        assert_eq!((record.severity_number(), &*record.severity_text), (SeverityNumber::Warn, "WARN"));
        let attributes = [text("tftp.sink.name", "out"), text("tftp.plugin.name", "audit")];
        assert_eq!(record.attributes, attributes);
        assert_eq!(of(&record, "n"), Some(&Any::IntValue(-7)));
        assert_eq!(of(&record, "x"), Some(&Any::DoubleValue(0.5)));
        assert_eq!(of(&record, "big"), Some(&Any::DoubleValue(18_446_744_073_709_551_615.0)));
        let values = [Some(Any::BoolValue(true)), None, Some(Any::StringValue("a".into()))];
        let values = values.map(|value| AnyValue { value }).into();
        assert_eq!(of(&record, "list"), Some(&Any::ArrayValue(ArrayValue { values })));
    }

    #[test]
    fn any_line_becomes_a_record() {
        for (line, body) in [("7", Any::IntValue(7)), ("cut {", Any::StringValue("cut {".into()))] {
            let record = record(line);
            assert_eq!(record.body, Some(AnyValue { value: Some(body) }));
            assert_eq!(record.attributes, [text("tftp.sink.name", "out")]);
            assert_eq!(record.time_unix_nano, record.observed_time_unix_nano);
            assert_eq!(&*record.severity_text, "INFO");
        }
        assert_eq!(record(&mark("p", "null")).body, Some(AnyValue { value: None }));
    }

    /// At the deepest nesting that a plugin may send, the record can be decoded.
    #[test]
    fn deep_lines_can_be_decoded() {
        use prost::Message;
        let line = format!("{}7{}", "[".repeat(100), "]".repeat(100));
        let request = Records::new("out", &[]).request(&[mark("p", &line)]);
        let decoded = ExportLogsServiceRequest::decode(&*request.encode_to_vec());
        assert_eq!(decoded.ok(), Some(request));
    }
}
