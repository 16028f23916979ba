//! Metrics in the text format of Prometheus, version 0.0.4, which every scraper reads and `promtool check metrics`
//! validates.

use super::families::{Family, Point, Unit, Values, families};
use super::process;
use std::fmt::{self, Display, Write};
use tuffet_request::{BOUNDS_US, Distribution};
use tuffet_server::watch::{Watch, Word};

/// The `Content-Type` of [`exposition`].
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Returns all current metrics.
pub fn exposition(watch: &Watch) -> String {
    let mut text = render(&families(watch, &watch.totals()));
    process::write_exposition(&mut text);
    text
}

pub(super) fn render(families: &[Family]) -> String {
    let mut text = String::with_capacity(16 * 1024);
    for family in families {
        // Writing to a String cannot fail.
        let _ = write_family(&mut text, family);
    }
    text
}

/// Returns the name of a metric: `tuffet_plugin_duration_seconds`.
pub(super) fn name(family: &Family) -> String {
    let mut name = format!("tuffet_{}", family.name.replace('.', "_"));
    name += match family.unit {
        Unit::Of(_) => "",
        Unit::Bytes => "_bytes",
        Unit::BytesPerSecond => "_bytes_per_second",
        Unit::Seconds => "_seconds",
    };
    if matches!(family.values, Values::Counter(_)) {
        name += "_total";
    }
    name
}

fn write_family(text: &mut String, family: &Family) -> fmt::Result {
    let (kind, empty) = match &family.values {
        Values::Counter(points) => ("counter", points.is_empty()),
        Values::Gauge(points) => ("gauge", points.is_empty()),
        Values::Measure(points) => ("gauge", points.is_empty()),
        Values::Histogram(points) => ("histogram", points.is_empty()),
    };
    if empty {
        return Ok(());
    }
    let name = name(family);
    writeln!(text, "# HELP {name} {}.\n# TYPE {name} {kind}", family.help)?;
    match &family.values {
        Values::Counter(points) | Values::Gauge(points) => {
            points.iter().try_for_each(|point| line(text, &name, &point.labels, None, point.value))
        }
        Values::Measure(points) => {
            points.iter().try_for_each(|point| line(text, &name, &point.labels, None, point.value))
        }
        Values::Histogram(points) => points.iter().try_for_each(|point| histogram(text, &name, point)),
    }
}

fn histogram(text: &mut String, name: &str, point: &Point<Distribution>) -> fmt::Result {
    let (buckets, mut count) = (format!("{name}_bucket"), 0);
    let bounds = BOUNDS_US.iter().map(|micros| (*micros as f64 / 1e6).to_string());
    for (bound, inside) in bounds.chain(["+Inf".to_owned()]).zip(&point.value.buckets) {
        count += inside;
        line(text, &buckets, &point.labels, Some(&bound), count)?;
    }
    line(text, &format!("{name}_sum"), &point.labels, None, point.value.sum_us as f64 / 1e6)?;
    line(text, &format!("{name}_count"), &point.labels, None, count)
}

fn line(
    text: &mut String,
    name: &str,
    labels: &[(Word, Word)],
    bound: Option<&str>,
    value: impl Display,
) -> fmt::Result {
    text.push_str(name);
    let labels = labels.iter().map(|(label, value)| (&**label, &**value)).chain(bound.map(|le| ("le", le)));
    let mut before = '{';
    for (label, value) in labels {
        write!(text, "{before}{label}=\"{}\"", escape(value))?;
        before = ',';
    }
    if before == ',' {
        text.push('}');
    }
    writeln!(text, " {value}")
}

/// Names in the configuration need no escapes, but this code does not rely on that.
fn escape(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
