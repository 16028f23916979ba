//! What plugins count themselves. The names that they choose are labels, so the list of metrics stays one of this
//! program, and no plugin gives a metric another kind than somebody else does.

use super::{Family, Point, Unit, Values, counter};
use tuffet::watch::Word;
use tuffet_policy::{PluginSeries, SeriesName, SeriesValue};

pub(super) fn own(plugins: &[PluginSeries]) -> Vec<Family> {
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
        counter("plugin.counter", "A counter of a plugin's own, by its name for it", Unit::Of("1"), counters),
        Family {
            name: "plugin.gauge",
            help: "A gauge of a plugin's own, by its name for it",
            unit: Unit::Of("1"),
            values: Values::Measure(gauges),
        },
        counter(
            "plugin.series.refused",
            "Changes of a plugin's own metrics that it has too many series for",
            series,
            refused.collect(),
        ),
    ]
}

fn labels(plugin: &PluginSeries, series: &SeriesName) -> Vec<(Word, Word)> {
    let ours =
        [("plugin".into(), plugin.plugin.to_string().into()), ("name".into(), series.name.clone().into())];
    let its = series.labels.iter().map(|(label, value)| (label.clone().into(), value.clone().into()));
    ours.into_iter().chain(its).collect()
}
