//! Exports log records over OTLP: the line of each request, warnings and errors.
//!
//! A layer of the log queues them. It exists from the start of the process, and does nothing until the configuration
//! names a destination.

use super::log_record::{Record, RecordWriter};
use super::queue::Queue;
use std::sync::OnceLock;
use tracing::level_filters::LevelFilter;
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::dynamic_filter_fn;
use tracing_subscriber::layer::{Context, Filter};

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
        let mut record = RecordWriter::new(*about.level(), about.target());
        event.record(&mut record);
        queue.push([record.finish()]);
    }
}
