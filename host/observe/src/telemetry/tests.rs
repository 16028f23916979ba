use super::families::{Family, Point, Unit, Values};
use super::prometheus::render;
use std::time::Duration;
use tuffet_request::{BOUNDS_US, Histogram};

fn family(unit: Unit, values: Values) -> Family {
    Family { name: "plugin.cost", help: "What it costs", unit, values }
}

#[test]
fn counters_and_gauges_as_prometheus_names_them() {
    let point = |value| Point {
        labels: vec![("plugin".into(), "a\"b\\c\nd".into()), ("hook".into(), "x".into())],
        value,
    };
    assert_eq!(
        render(&[family(Unit::Bytes, Values::Counter(vec![point(7)]))]),
        "# HELP tuffet_plugin_cost_bytes_total What it costs.\n\
         # TYPE tuffet_plugin_cost_bytes_total counter\n\
         tuffet_plugin_cost_bytes_total{plugin=\"a\\\"b\\\\c\\nd\",hook=\"x\"} 7\n"
    );
    let bare = Point { labels: Vec::new(), value: 3 };
    assert!(
        render(&[family(Unit::Of("{call}"), Values::Gauge(vec![bare]))])
            .ends_with("\ntuffet_plugin_cost 3\n")
    );
    assert_eq!(render(&[family(Unit::Bytes, Values::Counter(Vec::new()))]), "");
}

#[test]
fn histograms_are_cumulative_and_in_seconds() {
    let times = Histogram::default();
    for micros in [20, 30, 3_600_000_000] {
        times.observe(Duration::from_micros(micros));
    }
    let point = Point { labels: vec![("hook".into(), "x".into())], value: times.read() };
    let text = render(&[family(Unit::Seconds, Values::Histogram(vec![point]))]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2 + BOUNDS_US.len() + 1 + 2);
    for line in [
        "tuffet_plugin_cost_seconds_bucket{hook=\"x\",le=\"0.000025\"} 1",
        "tuffet_plugin_cost_seconds_bucket{hook=\"x\",le=\"0.00005\"} 2",
        "tuffet_plugin_cost_seconds_bucket{hook=\"x\",le=\"1800\"} 2",
        "tuffet_plugin_cost_seconds_bucket{hook=\"x\",le=\"+Inf\"} 3",
        "tuffet_plugin_cost_seconds_sum{hook=\"x\"} 3600.00005",
        "tuffet_plugin_cost_seconds_count{hook=\"x\"} 3",
    ] {
        assert!(lines.contains(&line), "{line} is missing in:\n{text}");
    }
}
