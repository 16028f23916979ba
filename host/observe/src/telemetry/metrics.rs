//! Exports metrics over OTLP: the same list as for Prometheus, read for each export.

use super::families::{Family, Point, Unit, Values, families};
use super::process::Usage;
use super::sender::{Sender, scope};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value;
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint, ResourceMetrics,
    ScopeMetrics, Sum,
};
use opentelemetry_proto::tonic::resource::v1::Resource;
use prost::Message as _;
use std::io;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tuffet_request::{BOUNDS_US, Distribution};
use tuffet_server::watch::{ExportCounts, Watch, Word};

/// What counters and histograms tell: `OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Temporality {
    /// All since the start.
    Cumulative,
    /// All since the export before.
    Delta,
    /// Histograms since the export before, counters since the start.
    LowMemory,
}

/// The export of metrics.
#[derive(Debug)]
pub(super) struct Metrics {
    /// Asks the thread for its last export; it says when that is done.
    end: mpsc::Sender<mpsc::Sender<()>>,
    counts: Arc<ExportCounts>,
}

impl Metrics {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system has no thread for it.
    pub(super) fn start(
        mut sender: Sender,
        interval: Duration,
        temporality: Temporality,
        resource: Resource,
        watch: &Watch,
    ) -> io::Result<Metrics> {
        let (end, asked_to_end) = mpsc::channel::<mpsc::Sender<()>>();
        let (counts, watch) = (sender.counts(), watch.clone());
        let mut series = Series { temporality, start: nanos_now(), before: None };
        thread::Builder::new().name("tuffet-metrics".into()).spawn(move || {
            let mut due = Instant::now() + interval;
            loop {
                let done = match asked_to_end.recv_timeout(due.saturating_duration_since(Instant::now())) {
                    Ok(done) => Some(done),
                    Err(mpsc::RecvTimeoutError::Timeout) => None,
                    Err(mpsc::RecvTimeoutError::Disconnected) => return,
                };
                let (all, now) = (all_metrics(&watch), nanos_now());
                if sender.send(1, request(&resource, series.export(&all, now))) {
                    series.before = Some((now, all));
                }
                if let Some(done) = done {
                    // `finish` may have given up.
                    let _ = done.send(());
                    return;
                }
                due = (due + interval).max(Instant::now());
            }
        })?;
        Ok(Metrics { end, counts })
    }

    pub(super) fn counts(&self) -> Arc<ExportCounts> {
        Arc::clone(&self.counts)
    }

    /// Exports a last time and ends, within about `patience`. Blocks.
    pub(super) fn finish(&self, patience: Duration) {
        let (done, ended) = mpsc::channel();
        if self.end.send(done).is_err() || ended.recv_timeout(patience).is_err() {
            tracing::warn!(
                target: "tuffet::telemetry", signal = "metrics",
                "the last metrics were not exported in time"
            );
        }
    }
}

/// Makes what is exported of what is counted.
struct Series {
    temporality: Temporality,
    /// When counting began, in nanoseconds since 1970; likewise all times here.
    start: u64,
    /// When the collector last accepted an export, and what had been counted then.
    before: Option<(u64, Vec<Metric>)>,
}

impl Series {
    /// Returns what to export of these metrics, which count from the start.
    fn export(&self, all: &[Metric], now: u64) -> Vec<Metric> {
        let start = self.before.as_ref().map_or(self.start, |(then, _)| *then);
        let export = |metric: &Metric| {
            let before =
                self.before.iter().flat_map(|(_, all)| all).find(|before| before.name == metric.name);
            let before = before.and_then(|before| before.data.as_ref());
            let mut metric = metric.clone();
            match &mut metric.data {
                Some(Data::Gauge(gauge)) => {
                    gauge.data_points.iter_mut().for_each(|point| point.time_unix_nano = now)
                }
                Some(Data::Sum(sum)) => {
                    let is_delta = sum.is_monotonic && self.temporality == Temporality::Delta;
                    let start = if is_delta { start } else { self.start };
                    for point in &mut sum.data_points {
                        (point.start_time_unix_nano, point.time_unix_nano) = (start, now);
                        let Some(Data::Sum(before)) = before.filter(|_| is_delta) else { continue };
                        let same = |before: &&NumberDataPoint| before.attributes == point.attributes;
                        let before = before.data_points.iter().find(same).and_then(|before| before.value);
                        point.value = point.value.map(|value| difference(value, before));
                    }
                    sum.aggregation_temporality = kind(is_delta);
                }
                Some(Data::Histogram(histogram)) => {
                    let is_delta = self.temporality != Temporality::Cumulative;
                    let start = if is_delta { start } else { self.start };
                    for point in &mut histogram.data_points {
                        (point.start_time_unix_nano, point.time_unix_nano) = (start, now);
                        let Some(Data::Histogram(before)) = before.filter(|_| is_delta) else { continue };
                        let same = |before: &&HistogramDataPoint| before.attributes == point.attributes;
                        let Some(before) = before.data_points.iter().find(same) else { continue };
                        point.count -= before.count.min(point.count);
                        point.sum = point.sum.zip(before.sum).map(|(sum, before)| sum - before);
                        for (count, before) in point.bucket_counts.iter_mut().zip(&before.bucket_counts) {
                            *count -= (*before).min(*count);
                        }
                    }
                    histogram.aggregation_temporality = kind(is_delta);
                }
                _ => {}
            }
            metric
        };
        all.iter().map(export).collect()
    }
}

fn kind(is_delta: bool) -> i32 {
    let kind = if is_delta { AggregationTemporality::Delta } else { AggregationTemporality::Cumulative };
    kind.into()
}

fn difference(value: Value, before: Option<Value>) -> Value {
    match (value, before) {
        (Value::AsInt(value), Some(Value::AsInt(before))) => Value::AsInt(value - before),
        (Value::AsDouble(value), Some(Value::AsDouble(before))) => Value::AsDouble(value - before),
        (value, _) => value,
    }
}

/// Returns an encoded `ExportMetricsServiceRequest`.
fn request(resource: &Resource, metrics: Vec<Metric>) -> Vec<u8> {
    let scope_metrics = ScopeMetrics { scope: Some(scope("tuffet")), metrics, ..ScopeMetrics::default() };
    let resource_metrics = ResourceMetrics {
        resource: Some(resource.clone()),
        scope_metrics: vec![scope_metrics],
        ..ResourceMetrics::default()
    };
    ExportMetricsServiceRequest { resource_metrics: vec![resource_metrics] }.encode_to_vec()
}

/// Returns the metrics of this process, without times: the one that it has replaced exports its own until it ends.
fn all_metrics(watch: &Watch) -> Vec<Metric> {
    let mut all = Usage::read().map_or_else(Vec::new, |usage| process_metrics(&usage));
    all.extend(families(watch, &watch.totals_of_process()).into_iter().filter_map(metric));
    all
}

/// Returns the metric of a family; `None` if it has no values.
fn metric(family: Family) -> Option<Metric> {
    fn points<T>(points: Vec<Point<T>>, value: impl Fn(T) -> Value) -> Vec<NumberDataPoint> {
        points.into_iter().map(|point| number(attributes(point.labels), value(point.value))).collect()
    }
    let whole = |number: u64| Value::AsInt(i64::try_from(number).unwrap_or(i64::MAX));
    let (data, count) = match family.values {
        Values::Counter(values) => sum(points(values, whole), true),
        Values::Gauge(values) => gauge(points(values, whole)),
        Values::Measure(values) => gauge(points(values, Value::AsDouble)),
        Values::Histogram(values) => {
            let data_points: Vec<_> = values.into_iter().map(times).collect();
            let count = data_points.len();
            (Data::Histogram(Histogram { data_points, ..Histogram::default() }), count)
        }
    };
    let unit = match family.unit {
        Unit::Of(word) => word,
        Unit::Bytes => "By",
        Unit::BytesPerSecond => "By/s",
        Unit::Seconds => "s",
    };
    (count > 0).then(|| named(format!("tuffet.{}", family.name), unit, family.help, data))
}

fn times(point: Point<Distribution>) -> HistogramDataPoint {
    let Distribution { sum_us, buckets } = point.value;
    HistogramDataPoint {
        attributes: attributes(point.labels),
        count: buckets.iter().sum(),
        sum: Some(sum_us as f64 / 1e6),
        bucket_counts: buckets,
        explicit_bounds: BOUNDS_US.iter().map(|micros| *micros as f64 / 1e6).collect(),
        ..HistogramDataPoint::default()
    }
}

/// Returns the metrics of the process, with the names of the semantic conventions.
fn process_metrics(usage: &Usage) -> Vec<Metric> {
    let mode = |word: &'static str| attributes(vec![("cpu.mode".into(), word.into())]);
    let cpu = [
        number(mode("user"), Value::AsDouble(usage.user)),
        number(mode("system"), Value::AsDouble(usage.system)),
    ];
    let current = |name: &str, unit, help, value: u64| {
        let value = Value::AsInt(i64::try_from(value).unwrap_or(i64::MAX));
        named(name.into(), unit, help, sum(vec![number(Vec::new(), value)], false).0)
    };
    let uptime = usage.started.elapsed().ok().map(|uptime| {
        let point = number(Vec::new(), Value::AsDouble(uptime.as_secs_f64()));
        named("process.uptime".into(), "s", "Time since the start of the process", gauge(vec![point]).0)
    });
    let all = [
        named("process.cpu.time".into(), "s", "CPU time, by mode", sum(cpu.into(), true).0),
        current("process.memory.usage", "By", "Resident memory", usage.resident),
        current("process.memory.virtual", "By", "Virtual memory", usage.virtual_),
        current("process.thread.count", "{thread}", "Threads", usage.threads),
        current(
            "process.unix.file_descriptor.count",
            "{file_descriptor}",
            "Open file descriptors",
            usage.descriptors,
        ),
    ];
    all.into_iter().chain(uptime).collect()
}

fn named(name: String, unit: &str, help: &str, data: Data) -> Metric {
    Metric { name, unit: unit.into(), description: help.into(), data: Some(data), ..Metric::default() }
}

fn sum(data_points: Vec<NumberDataPoint>, is_monotonic: bool) -> (Data, usize) {
    let count = data_points.len();
    (Data::Sum(Sum { data_points, is_monotonic, ..Sum::default() }), count)
}

fn gauge(data_points: Vec<NumberDataPoint>) -> (Data, usize) {
    let count = data_points.len();
    (Data::Gauge(Gauge { data_points }), count)
}

fn number(attributes: Vec<KeyValue>, value: Value) -> NumberDataPoint {
    NumberDataPoint { attributes, value: Some(value), ..NumberDataPoint::default() }
}

fn attributes(labels: Vec<(Word, Word)>) -> Vec<KeyValue> {
    let attribute = |(label, word): (Word, Word)| KeyValue {
        key: label.into_owned(),
        value: Some(AnyValue { value: Some(any_value::Value::StringValue(word.into_owned())) }),
        ..KeyValue::default()
    };
    labels.into_iter().map(attribute).collect()
}

fn nanos_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuffet_request::Histogram as Times;

    fn counted(requests: &[(&'static str, u64)], micros: &[u64]) -> Vec<Metric> {
        let times = Times::default();
        micros.iter().for_each(|micros| times.observe(Duration::from_micros(*micros)));
        let requests = requests.iter().map(|(operation, value)| Point {
            labels: vec![("operation".into(), (*operation).into())],
            value: *value,
        });
        let family = |name, unit, values| Family { name, help: "Help", unit, values };
        let all = [
            family("requests", Unit::Of("{request}"), Values::Counter(requests.collect())),
            family(
                "active",
                Unit::Of("{transfer}"),
                Values::Gauge(vec![Point { labels: Vec::new(), value: 3 }]),
            ),
            family(
                "rtt",
                Unit::Seconds,
                Values::Histogram(vec![Point { labels: Vec::new(), value: times.read() }]),
            ),
            family("nothing", Unit::Bytes, Values::Counter(Vec::new())),
        ];
        all.into_iter().filter_map(metric).collect()
    }

    /// The temporality, the beginning and the values of each metric, and the sums and counts of histograms.
    fn told(metrics: &[Metric]) -> Vec<(&str, i32, u64, Vec<f64>)> {
        let number = |point: &NumberDataPoint| match point.value {
            Some(Value::AsInt(value)) => value as f64,
            Some(Value::AsDouble(value)) => value,
            None => f64::NAN,
        };
        let told = |metric: &Metric| match metric.data.as_ref().unwrap() {
            Data::Sum(sum) => {
                let points = &sum.data_points;
                let start = points[0].start_time_unix_nano;
                (sum.aggregation_temporality, start, points.iter().map(number).collect())
            }
            Data::Gauge(gauge) => (0, 0, gauge.data_points.iter().map(number).collect()),
            Data::Histogram(histogram) => {
                let point = &histogram.data_points[0];
                assert_eq!(point.bucket_counts.len(), point.explicit_bounds.len() + 1);
                assert_eq!(point.bucket_counts.iter().sum::<u64>(), point.count);
                let start = point.start_time_unix_nano;
                (histogram.aggregation_temporality, start, vec![point.sum.unwrap(), point.count as f64])
            }
            _ => unreachable!("{metric:?}"),
        };
        metrics
            .iter()
            .map(|metric| {
                let (temporality, start, values) = told(metric);
                (metric.name.as_str(), temporality, start, values)
            })
            .collect()
    }

    #[test]
    fn counters_tell_all_or_what_is_new() {
        let (delta, cumulative) = (1, 2);
        for (temporality, of_counters, of_times) in [
            (Temporality::Cumulative, cumulative, cumulative),
            (Temporality::Delta, delta, delta),
            (Temporality::LowMemory, cumulative, delta),
        ] {
            let mut series = Series { temporality, start: 1, before: None };
            let first = counted(&[("read", 5)], &[1_000_000]);
            let active = ("tuffet.active", 0, 0, vec![3.0]);
            assert_eq!(
                told(&series.export(&first, 7)),
                [
                    ("tuffet.requests", of_counters, 1, vec![5.0]),
                    active.clone(),
                    ("tuffet.rtt", of_times, 1, vec![1.0, 1.0]),
                ]
            );
            series.before = Some((7, first));
            let second = counted(&[("write", 2), ("read", 9)], &[1_000_000, 2_000_000, 2_000_000]);
            let (requests, times) = (
                if of_counters == delta { (7, vec![2.0, 4.0]) } else { (1, vec![2.0, 9.0]) },
                if of_times == delta { (7, vec![4.0, 2.0]) } else { (1, vec![5.0, 3.0]) },
            );
            assert_eq!(
                told(&series.export(&second, 9)),
                [
                    ("tuffet.requests", of_counters, requests.0, requests.1),
                    active,
                    ("tuffet.rtt", of_times, times.0, times.1),
                ],
                "{temporality:?}"
            );
        }
    }
}
