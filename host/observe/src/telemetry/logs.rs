//! Exports log records over OTLP: the line of each request, warnings and errors.
//!
//! A layer of the log queues them. It exists from the start of the process, and does nothing until the configuration
//! names a destination.

use super::endpoint::Endpoint;
use super::export::wait_for;
use super::queue::{Export, Queue};
use crate::dialect::COMPATIBLE;
use opentelemetry::logs::{AnyValue, LogRecord, Logger, LoggerProvider, Severity};
use opentelemetry::trace::{SpanId, TraceFlags, TraceId};
use opentelemetry::{InstrumentationScope, Key};
use opentelemetry_otlp::LogExporter;
use opentelemetry_sdk::logs::{LogBatch, LogExporter as _, SdkLogRecord, SdkLogger, SdkLoggerProvider};
use std::error::Error;
use std::fmt::Debug;
use std::sync::OnceLock;
use std::time::SystemTime;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::dynamic_filter_fn;
use tracing_subscriber::layer::{Context, Filter};
use tuffet_policy::PluginFields;

/// The queue of records. A process has one log.
static QUEUE: OnceLock<Queue<Record>> = OnceLock::new();

/// Starts to queue records.
pub(super) fn set_destination(queue: &Queue<Record>) {
    // The exporters start only once.
    if QUEUE.set(queue.clone()).is_ok() {
        tracing::callsite::rebuild_interest_cache();
    }
}

/// The layer that queues records.
#[derive(Debug, Default)]
pub struct LogBridge;

impl LogBridge {
    /// Returns the filter of the exported lines, once there is a destination.
    ///
    /// Lines that no layer takes must cost nothing: `tracing` forms them anyway, unless each filter says of their
    /// callsite that it never takes them.
    pub fn filter<S: Subscriber>() -> impl Filter<S> {
        dynamic_filter_fn(|about, _| has_destination_for(about))
            .with_callsite_filter(|about| match has_destination_for(about) {
                true => Interest::always(),
                false => Interest::never(),
            })
            .with_max_level_hint(LevelFilter::INFO)
    }
}

fn has_destination_for(about: &Metadata<'_>) -> bool {
    QUEUE.get().is_some() && is_exported(about)
}

fn is_exported(about: &Metadata<'_>) -> bool {
    let target = about.target();
    let is_transfer = target == "tuffet::transfer" && *about.level() <= Level::INFO;
    // Exporting the exporter's own messages would never end.
    is_transfer
        || (*about.level() <= Level::WARN && target.starts_with("tuffet") && target != "tuffet::telemetry")
}

impl<S: Subscriber> Layer<S> for LogBridge {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let Some(queue) = QUEUE.get() else { return };
        let about = event.metadata();
        // Without room, no record is created.
        if queue.is_full() {
            return queue.count_dropped();
        }
        let mut record = Record::new(*about.level(), about.target());
        event.record(&mut record);
        queue.push([record]);
    }
}

/// A line of the log.
#[derive(Debug)]
pub(super) struct Record {
    at: SystemTime,
    level: Level,
    target: &'static str,
    body: String,
    fields: Vec<(Key, AnyValue)>,
    trace: Option<TraceId>,
    span: Option<SpanId>,
}

impl Record {
    fn new(level: Level, target: &str) -> Record {
        let target = match target {
            "tuffet::transfer" => "tuffet::transfer",
            "tuffet::plugin" => "tuffet::plugin",
            "tuffet::policy" => "tuffet::policy",
            _ => "tuffet",
        };
        let (at, body, fields) = (SystemTime::now(), String::new(), Vec::with_capacity(32));
        Record { at, level, target, body, fields, trace: None, span: None }
    }

    fn put(&mut self, field: &Field, value: impl Into<AnyValue>) {
        self.fields.push((Key::from_static_str(field.name()), value.into()));
    }

    fn text(&mut self, field: &Field, text: String) {
        match field.name() {
            "message" => self.body = text,
            // A repetition of the other fields.
            COMPATIBLE => {}
            "trace_id" => self.trace = TraceId::from_hex(&text).ok(),
            "span_id" => self.span = SpanId::from_hex(&text).ok(),
            _ => self.put(field, text),
        }
    }
}

impl Visit for Record {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.text(field, value.to_owned());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, i64::try_from(value).unwrap_or(i64::MAX));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value);
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        match PluginFields::of(value) {
            Some(fields) => {
                let attribute =
                    |(name, value): (&str, &str)| (Key::from(name.to_owned()), value.to_owned().into());
                self.fields.extend(fields.iter().map(attribute));
            }
            None => self.text(field, value.to_string()),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.text(field, format!("{value:?}"));
    }
}

/// Sends records.
pub(super) struct RecordSender {
    exporter: LogExporter,
    endpoint: Endpoint,
    /// Only creates the records of the SDK.
    logger: SdkLogger,
    scope: InstrumentationScope,
}

impl RecordSender {
    pub(super) fn new(
        exporter: LogExporter,
        endpoint: Endpoint,
        scope: InstrumentationScope,
    ) -> RecordSender {
        let logger = SdkLoggerProvider::builder().build().logger_with_scope(scope.clone());
        RecordSender { exporter, endpoint, logger, scope }
    }

    fn record(&self, from: Record) -> SdkLogRecord {
        let mut record = self.logger.create_log_record();
        let (severity, word) = match from.level {
            Level::ERROR => (Severity::Error, "ERROR"),
            Level::WARN => (Severity::Warn, "WARN"),
            Level::INFO => (Severity::Info, "INFO"),
            Level::DEBUG => (Severity::Debug, "DEBUG"),
            Level::TRACE => (Severity::Trace, "TRACE"),
        };
        record.set_timestamp(from.at);
        record.set_observed_timestamp(from.at);
        record.set_severity_number(severity);
        record.set_severity_text(word);
        record.set_target(from.target);
        record.set_body(from.body.into());
        record.add_attribute("log.target", from.target);
        record.add_attributes(from.fields);
        if let (Some(trace), Some(span)) = (from.trace, from.span) {
            record.set_trace_context(trace, span, Some(TraceFlags::SAMPLED));
        }
        record
    }
}

impl Export<Record> for RecordSender {
    fn export(&mut self, batch: Vec<Record>) -> Result<(), String> {
        let records: Vec<SdkLogRecord> = batch.into_iter().map(|record| self.record(record)).collect();
        let borrowed: Vec<_> = records.iter().map(|record| (record, &self.scope)).collect();
        wait_for(self.exporter.export(LogBatch::new(&borrowed)))
            .map_err(|error| self.endpoint.explain(&error))
    }

    fn endpoint(&self) -> &str {
        self.endpoint.url()
    }
}
