//! Exports over OTLP: starts the exporters, selects the requests that become traces, and ends the queues.

use super::log_record::{self, Record};
use super::logs;
use super::metrics::Metrics;
use super::queue::Queue;
use super::selection::{self, PerSecond};
use super::sender::Sender;
use super::settings::Settings;
use super::{fetch_spans, spans};
use opentelemetry::InstrumentationScope;
use opentelemetry_proto::transform::common::tonic::ResourceAttributesWithSchema;
use opentelemetry_sdk::trace::SpanData;
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tuffet_request::Traced;
use tuffet_request::events::Summary;
use tuffet_server::origins::FetchNote;
use tuffet_server::sampling::Sampling;
use tuffet_server::watch::{ExportCounts, Watch};
use tuffet_sinks::otlp::{Destination, Signal, message, resource};

/// The enabled exports over OTLP. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Telemetry {
    traces: Option<Traces>,
    metrics: Option<Arc<Metrics>>,
    logs: Option<Queue<Record>>,
}

#[derive(Debug, Clone)]
struct Traces {
    sampling: Sampling,
    limit: Arc<PerSecond>,
    queue: Queue<SpanData>,
    /// The address of each listener.
    listeners: Arc<HashMap<Arc<str>, SocketAddr>>,
    scope: InstrumentationScope,
}

impl Telemetry {
    /// Starts to export. Must be called on the runtime of control. Failures are only logged: a server works without
    /// telemetry.
    pub fn start(
        settings: Option<Settings>,
        listeners: impl Iterator<Item = (Arc<str>, SocketAddr)>,
        watch: &Watch,
    ) -> Telemetry {
        let Some(settings) = settings else { return Telemetry::default() };
        let resource = resource(&settings.resource);
        let listeners = Arc::new(listeners.collect::<HashMap<_, _>>());
        let traces = settings.traces.and_then(|(to, batching, chosen)| {
            let resource = ResourceAttributesWithSchema::from(&resource);
            let queue = started(Signal::Traces, &to, |sender| {
                Queue::start(batching, sender, move |batch| spans::request(&resource, batch))
            })?;
            let sampling = Sampling::ratio(chosen.part);
            let limit = Arc::new(PerSecond::new(chosen.per_second));
            let scope =
                InstrumentationScope::builder("tuffet").with_version(env!("CARGO_PKG_VERSION")).build();
            Some(Traces { sampling, limit, queue, listeners, scope })
        });
        let logs = settings.logs.and_then(|(to, batching)| {
            let resource = message(&resource);
            started(Signal::Logs, &to, |sender| {
                Queue::start(batching, sender, move |batch| log_record::request(&resource, &batch))
            })
        });
        let metrics = settings.metrics.and_then(|(to, interval, temporality)| {
            started(Signal::Metrics, &to, |sender| {
                Metrics::start(sender, interval, temporality, message(&resource), watch)
            })
        });
        let telemetry = Telemetry { traces, metrics: metrics.map(Arc::new), logs };
        watch.exports(telemetry.counts());
        if let Some(queue) = &telemetry.logs {
            logs::set_destination(queue);
        }
        telemetry
    }

    /// Returns the sampling of traces; `None` without traces.
    pub fn sampling(&self) -> Option<Sampling> {
        self.traces.as_ref().map(|traces| traces.sampling)
    }

    /// Exports an ended request. Returns its trace, if that is exported.
    pub fn ended(&self, summary: &Summary) -> Option<Traced> {
        let (traces, trail) = (self.traces.as_ref()?, summary.record.request.trail.as_deref()?);
        if !selection::is_exported(summary, trail, &traces.limit) {
            return None;
        }
        let steps = trail.take();
        let listener = traces.listeners.get(&summary.record.request.listener).copied();
        traces.queue.push(spans::spans(summary, trail, steps, listener, &traces.scope));
        Some(trail.traced())
    }

    /// Exports an ended request to an origin. Takes a lock for a moment, and does not block otherwise.
    pub fn fetched(&self, fetch: &FetchNote) {
        let Some(traces) = &self.traces else { return };
        if let Some(trace) = selection::trace_of_fetch(traces.sampling, fetch.error.is_some(), &traces.limit)
        {
            traces.queue.push(vec![fetch_spans::span(fetch, trace, &traces.scope)]);
        }
    }

    /// Returns the export counters, by signal.
    fn counts(&self) -> Vec<(&'static str, Arc<ExportCounts>)> {
        let traces = self.traces.iter().map(|traces| ("traces", traces.queue.counts()));
        let metrics = self.metrics.iter().map(|metrics| ("metrics", metrics.counts()));
        let logs = self.logs.iter().map(|logs| ("logs", logs.counts()));
        traces.chain(metrics).chain(logs).collect()
    }

    /// Exports the queued items, within `patience`. Blocks.
    pub fn finish(&self, patience: Duration) {
        // In parallel, so that a hanging collector takes no time from the others.
        std::thread::scope(|scope| {
            scope.spawn(|| self.traces.as_ref().map(|traces| traces.queue.finish(patience)));
            scope.spawn(|| self.logs.as_ref().map(|logs| logs.finish(patience)));
            if let Some(metrics) = &self.metrics {
                metrics.finish(patience);
            }
        });
    }
}

/// Starts the thread of a signal, and logs whether that went well; `None` if not.
fn started<T>(signal: Signal, to: &Destination, start: impl FnOnce(Sender) -> io::Result<T>) -> Option<T> {
    let started = Sender::new(signal, to).and_then(|sender| start(sender).map_err(|error| error.to_string()));
    let (signal, endpoint) = (signal.as_str(), &to.endpoint);
    match &started {
        Ok(_) => tracing::info!(target: "tuffet::telemetry", signal, endpoint, "exporting"),
        Err(error) => tracing::error!(
            target: "tuffet::telemetry", signal, endpoint, %error,
            "the export cannot start; the server continues without it"
        ),
    }
    started.ok()
}
