//! All metrics: name, help text, current values. One list for all exporters.

mod row;
mod rows;

use row::{each, of};
use tuffet_request::Distribution;
use tuffet_server::watch::{Totals, Watch, Word};

/// A metric and its values.
#[derive(Debug, PartialEq)]
pub(crate) struct Family {
    /// With dots, without its unit: `plugin.duration`.
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    pub(crate) unit: Unit,
    pub(crate) values: Values,
}

/// What a metric counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Things, in UCUM braces: `{request}`.
    Of(&'static str),
    Bytes,
    BytesPerSecond,
    Seconds,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Values {
    /// Never falls while the process runs.
    Counter(Vec<Point<u64>>),
    /// The current value.
    Gauge(Vec<Point<u64>>),
    /// The current value, a fraction.
    Measure(Vec<Point<f64>>),
    /// Times, in the buckets of [`tuffet_request::BOUNDS_US`].
    Histogram(Vec<Point<Distribution>>),
}

/// A value and its labels.
#[derive(Debug, PartialEq)]
pub(crate) struct Point<T> {
    pub(crate) labels: Vec<(Word, Word)>,
    pub(crate) value: T,
}

/// Returns the current values of all metrics, with these totals.
pub(crate) fn families(watch: &Watch, totals: &Totals) -> Vec<Family> {
    let report = watch.report();
    let mut all = of(rows::PROCESS, watch);
    all.extend(of(rows::REPORT, &report));
    all.extend(each(rows::HTTP, report.http_connections.as_slice(), |_| None));
    all.extend(of(rows::TRANSFERS, totals));
    all.extend(each(rows::PROFILES, &totals.profiles, |its| Some(("profile", its.profile.clone().into()))));
    all.extend(of(rows::TIMES, totals));
    all.extend(of(rows::QUEUES, totals));
    all.extend(of(rows::GROUPS, &watch.groups()));
    all.extend(each(rows::ROOTS, &report.roots, |its| Some(("root", its.root.clone().into()))));
    all.extend(each(rows::ORIGINS, &report.origins, |its| Some(("root", its.root.clone().into()))));
    all.extend(each(rows::SINKS, &report.sinks, |its| Some(("sink", its.sink.clone().into()))));
    all.extend(each(rows::KEYS, report.kv.as_slice(), |its| Some(("bucket", its.bucket.clone().into()))));
    all.extend(each(rows::PLUGINS, &totals.plugins, |its| Some(("plugin", its.plugin.clone().into()))));
    all.extend(each(rows::SERIES, &watch.series(), |its| Some(("plugin", its.plugin.to_string().into()))));
    all.extend(each(rows::COMPONENTS, &report.plugins, |its| Some(("plugin", its.plugin.clone().into()))));
    if let Some(published) = watch.published() {
        all.extend(of(rows::EVENTS, published));
    }
    all.extend(each(rows::TELEMETRY, watch.exported(), |(signal, _)| Some(("signal", (*signal).into()))));
    all
}
