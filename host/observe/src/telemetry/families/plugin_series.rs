//! Metrics that plugins define. Their names are labels of fixed metrics, so the list of metrics stays that of this
//! program, and two plugins cannot give one metric different types.

use super::{Family, Point, Unit, Values, counter};
use tuffet::watch::Word;
use tuffet_policy::{PluginSeries, SeriesName, SeriesValue};

pub(super) fn plugin_series(plugins: &[PluginSeries]) -> Vec<Family> {
    let (mut counters, mut gauges) = (Vec::new(), Vec::new());
    for plugin in plugins {
        for (name, value) in &plugin.series {
            let labels = labels(plugin, name);
            match *value {
                SeriesValue::Counter(value) => counters.push(Point { labels, value }),
                SeriesValue::Gauge(value) => gauges.push(Point { labels, value }),
            }
        }
    }
    let refused = plugins.iter().filter(|plugin| !plugin.series.is_empty()).map(|plugin| Point {
        labels: vec![("plugin".into(), plugin.plugin.to_string().into())],
        value: plugin.refused,
    });
    let series = Unit::Of("{series}");
    vec![
        counter("plugin.counter", "A counter that a plugin defines, by its name", Unit::Of("1"), counters),
        Family {
            name: "plugin.gauge",
            help: "A gauge that a plugin defines, by its name",
            unit: Unit::Of("1"),
            values: Values::Measure(gauges),
        },
        counter(
            "plugin.series.refused",
            "Changes of a plugin's metrics refused because it has too many series",
            series,
            refused.collect(),
        ),
    ]
}

fn labels(plugin: &PluginSeries, series: &SeriesName) -> Vec<(Word, Word)> {
    let fixed =
        [("plugin".into(), plugin.plugin.to_string().into()), ("name".into(), series.name.clone().into())];
    let chosen = series.labels.iter().map(|(label, value)| (label.clone().into(), value.clone().into()));
    fixed.into_iter().chain(chosen).collect()
}
