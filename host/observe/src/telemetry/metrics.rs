//! Exports metrics over OTLP: the same list as for Prometheus, read for each export.
//!
//! The SDK accepts no precomputed histograms. So while metrics are exported, the durations of requests and of calls are
//! also recorded in histograms of the SDK, with the same buckets.

use super::endpoint::Endpoint;
use super::export;
use super::families::{Family, Point, Unit, Values, families};
use super::process::Usage;
use super::settings::Destination;
use opentelemetry::metrics::{Histogram, Meter, MeterProvider};
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_otlp::MetricExporter;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::metrics::data::ResourceMetrics;
use opentelemetry_sdk::metrics::exporter::PushMetricExporter;
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider, Temporality};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};
use tuffet_request::BOUNDS_US;
use tuffet_request::events::{Answered, Summary};
use tuffet_server::watch::ExportCounts as Counts;
use tuffet_server::watch::{Watch, Word};

/// How long the cached values are current: for all instruments of one export.
const MAX_AGE: Duration = Duration::from_millis(50);

/// Exports metrics.
#[derive(Debug)]
pub(super) struct Metrics {
    provider: SdkMeterProvider,
    counts: Arc<Counts>,
    duration: Histogram<f64>,
    decision: Histogram<f64>,
    first_block: Histogram<f64>,
    rtt: Histogram<f64>,
}

impl Metrics {
    /// # Errors
    /// The message for the operator.
    pub(super) fn start(
        destination: &Destination,
        interval: Duration,
        temporality: Temporality,
        resource: Resource,
        scope: InstrumentationScope,
        watch: &Watch,
    ) -> Result<Metrics, String> {
        let (exporter, endpoint) = export::metrics(destination, temporality)?;
        let counts = Arc::<Counts>::default();
        let exporter = CountingExporter {
            exporter,
            endpoint,
            counts: Arc::clone(&counts),
            broken: AtomicBool::new(false),
        };
        let reader = PeriodicReader::builder(exporter).with_interval(interval).build();
        let provider = SdkMeterProvider::builder().with_reader(reader).with_resource(resource).build();
        let meter = provider.meter_with_scope(scope);
        let cache = Arc::new(FamilyCache { watch: watch.clone(), last: Mutex::default() });
        register_process_metrics(&meter);
        let mut times = own_families(watch)
            .iter()
            .filter_map(|family| instrument(&meter, family, &cache))
            .collect::<std::collections::HashMap<_, _>>();
        let mut take_histogram =
            |name: &'static str| times.remove(name).ok_or_else(|| format!("a bug: no histogram {name}"));
        let plugin_duration = take_histogram("plugin.duration")?;
        watch.on_call(move |plugin, hook, time| {
            let labels = [KeyValue::new("plugin", Arc::clone(plugin)), KeyValue::new("hook", hook)];
            plugin_duration.record(time.as_secs_f64(), &labels);
        });
        Ok(Metrics {
            provider,
            counts,
            duration: take_histogram("transfer.duration")?,
            decision: take_histogram("decision.duration")?,
            first_block: take_histogram("first.block")?,
            rtt: take_histogram("rtt")?,
        })
    }

    pub(super) fn counts(&self) -> Arc<Counts> {
        Arc::clone(&self.counts)
    }

    /// Records an ended request.
    pub(super) fn ended(&self, summary: &Summary) {
        let record = |histogram: &Histogram<f64>, time: Option<Duration>| {
            if let Some(time) = time {
                histogram.record(time.as_secs_f64(), &[]);
            }
        };
        if summary.decision == Answered::Granted {
            let operation = summary.record.request.operation.as_str();
            self.duration.record(summary.duration.as_secs_f64(), &[KeyValue::new("operation", operation)]);
        }
        record(&self.decision, summary.record.decided_after);
        record(&self.first_block, summary.first_block_after);
        record(&self.rtt, summary.rtt);
    }

    /// Exports a last time and ends, within about `patience`. Blocks.
    pub(super) fn finish(&self, patience: Duration) {
        // The SDK waits as long as its exporter does.
        let (provider, (done, ended)) = (self.provider.clone(), mpsc::channel());
        let spawned = std::thread::Builder::new().name("tuffet-metrics".into()).spawn(move || {
            let _ = done.send(provider.shutdown().is_ok());
        });
        if spawned.is_err() || ended.recv_timeout(patience) != Ok(true) {
            tracing::warn!(
                target: "tuffet::telemetry", signal = "metrics",
                "the last metrics were not exported in time"
            );
        }
    }
}

/// Returns the metrics of this process alone: the one that it has replaced exports its own until it ends.
fn own_families(watch: &Watch) -> Vec<Family> {
    families(watch, &watch.totals_of_process())
}

/// Creates the instrument of a family. Returns a histogram, to be recorded in; the others read from the cache.
fn instrument(
    meter: &Meter,
    family: &Family,
    cache: &Arc<FamilyCache>,
) -> Option<(&'static str, Histogram<f64>)> {
    let name = format!("tuffet.{}", family.name);
    let (cache, which) = (Arc::clone(cache), family.name);
    match (&family.values, unit(family.unit)) {
        (Values::Counter(_), unit) => {
            let counter = meter.u64_observable_counter(name).with_unit(unit).with_description(family.help);
            let _ = counter
                .with_callback(move |observer| {
                    cache.each(which, |value, labels| observer.observe(value, labels));
                })
                .build();
            None
        }
        (Values::Gauge(_), unit) => {
            let gauge = meter.u64_observable_gauge(name).with_unit(unit).with_description(family.help);
            let _ = gauge
                .with_callback(move |observer| {
                    cache.each(which, |value, labels| observer.observe(value, labels));
                })
                .build();
            None
        }
        (Values::Measure(_), unit) => {
            let gauge = meter.f64_observable_gauge(name).with_unit(unit).with_description(family.help);
            let _ = gauge
                .with_callback(move |observer| {
                    cache.each_measure(which, |value, labels| observer.observe(value, labels));
                })
                .build();
            None
        }
        (Values::Histogram(_), unit) => {
            let bounds = BOUNDS_US.iter().map(|micros| *micros as f64 / 1e6).collect();
            let histogram = meter.f64_histogram(name).with_unit(unit).with_description(family.help);
            Some((which, histogram.with_boundaries(bounds).build()))
        }
    }
}

/// Registers the metrics of the process, with the names of the semantic conventions.
fn register_process_metrics(meter: &Meter) {
    let modes = [[KeyValue::new("cpu.mode", "user")], [KeyValue::new("cpu.mode", "system")]];
    let _ = meter
        .f64_observable_counter("process.cpu.time")
        .with_unit("s")
        .with_description("CPU time, by mode")
        .with_callback(move |observer| {
            let Some(usage) = Usage::read() else { return };
            observer.observe(usage.user, &modes[0]);
            observer.observe(usage.system, &modes[1]);
        })
        .build();
    let gauge = |name: &'static str, unit, description, value: fn(&Usage) -> u64| {
        let read = move || i64::try_from(value(&Usage::read()?)).ok();
        let _ = meter
            .i64_observable_up_down_counter(name)
            .with_unit(unit)
            .with_description(description)
            .with_callback(move |observer| read().into_iter().for_each(|value| observer.observe(value, &[])))
            .build();
    };
    gauge("process.memory.usage", "By", "Resident memory", |usage| usage.resident);
    gauge("process.memory.virtual", "By", "Virtual memory", |usage| usage.virtual_);
    gauge("process.thread.count", "{thread}", "Threads", |usage| usage.threads);
    gauge("process.unix.file_descriptor.count", "{file_descriptor}", "Open file descriptors", |usage| {
        usage.descriptors
    });
    let _ = meter
        .f64_observable_gauge("process.uptime")
        .with_unit("s")
        .with_description("Time since the start of the process")
        .with_callback(|observer| {
            let uptime = Usage::read().and_then(|usage| usage.started.elapsed().ok());
            uptime.into_iter().for_each(|uptime| observer.observe(uptime.as_secs_f64(), &[]));
        })
        .build();
}

fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Of(word) => word,
        Unit::Bytes => "By",
        Unit::BytesPerSecond => "By/s",
        Unit::Seconds => "s",
    }
}

/// The current metrics, read once for all instruments of an export.
struct FamilyCache {
    watch: Watch,
    last: Mutex<Option<(Instant, Arc<Vec<Family>>)>>,
}

impl FamilyCache {
    fn families(&self) -> Arc<Vec<Family>> {
        let mut last = self.last.lock();
        match &*last {
            Some((when, families)) if when.elapsed() < MAX_AGE => Arc::clone(families),
            _ => {
                let families = Arc::new(own_families(&self.watch));
                *last = Some((Instant::now(), Arc::clone(&families)));
                families
            }
        }
    }

    fn each(&self, name: &str, mut observe: impl FnMut(u64, &[KeyValue])) {
        let families = self.families();
        let values = families.iter().find(|family| family.name == name).map(|family| &family.values);
        if let Some(Values::Counter(points) | Values::Gauge(points)) = values {
            points.iter().for_each(|Point { labels, value }| observe(*value, &attributes(labels)));
        }
    }

    fn each_measure(&self, name: &str, mut observe: impl FnMut(f64, &[KeyValue])) {
        let families = self.families();
        let values = families.iter().find(|family| family.name == name).map(|family| &family.values);
        if let Some(Values::Measure(points)) = values {
            points.iter().for_each(|Point { labels, value }| observe(*value, &attributes(labels)));
        }
    }
}

fn attributes(labels: &[(Word, Word)]) -> Vec<KeyValue> {
    labels.iter().map(|(label, word)| KeyValue::new(label.to_string(), word.to_string())).collect()
}

/// Counts exports, and logs when the collector fails or recovers.
struct CountingExporter {
    exporter: MetricExporter,
    endpoint: Endpoint,
    counts: Arc<Counts>,
    broken: AtomicBool,
}

impl PushMetricExporter for CountingExporter {
    async fn export(&self, metrics: &ResourceMetrics) -> OTelSdkResult {
        let result = self.exporter.export(metrics).await;
        match &result {
            Ok(()) => {
                self.counts.exported.fetch_add(1, Relaxed);
                if self.broken.swap(false, Relaxed) {
                    tracing::info!(
                        target: "tuffet::telemetry", signal = "metrics", endpoint = self.endpoint.url(),
                        "the collector works again"
                    );
                }
            }
            Err(error) => {
                self.counts.failures.fetch_add(1, Relaxed);
                self.counts.dropped.fetch_add(1, Relaxed);
                if !self.broken.swap(true, Relaxed) {
                    tracing::warn!(
                        target: "tuffet::telemetry", signal = "metrics", endpoint = self.endpoint.url(),
                        error = self.endpoint.explain(error),
                        "the collector does not accept data; it is dropped and counted until it does"
                    );
                }
            }
        }
        result
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn temporality(&self) -> Temporality {
        self.exporter.temporality()
    }
}
