//! A metric as a row of a table: name, help text, unit, kind and getter.

use super::{Family, Point, Unit, Values};
use tuffet_request::Distribution;
use tuffet_server::watch::Word;

/// A metric that is read from an `S`.
pub(super) struct Row<S> {
    name: &'static str,
    help: &'static str,
    unit: Unit,
    get: Get<S>,
}

/// The kind of a metric and its getter: of a number, or of points with labels of their own.
enum Get<S> {
    Counter(fn(&S) -> u64),
    Gauge(fn(&S) -> u64),
    Counters(fn(&S) -> Vec<Point<u64>>),
    Gauges(fn(&S) -> Vec<Point<u64>>),
    Measures(fn(&S) -> Vec<Point<f64>>),
    Histograms(fn(&S) -> Vec<Point<Distribution>>),
}

/// Declares functions that create rows: those of a kind.
macro_rules! rows {
    ($($name:ident = $kind:ident: $value:ty),+ $(,)?) => {$(
        pub(super) const fn $name<S>(
            name: &'static str,
            help: &'static str,
            unit: Unit,
            get: fn(&S) -> $value,
        ) -> Row<S> {
            Row { name, help, unit, get: Get::$kind(get) }
        }
    )+};
}

rows! {
    counter = Counter: u64,
    gauge = Gauge: u64,
    counters = Counters: Vec<Point<u64>>,
    gauges = Gauges: Vec<Point<u64>>,
    measures = Measures: Vec<Point<f64>>,
}

/// Times are in seconds.
pub(super) const fn histograms<S>(
    name: &'static str,
    help: &'static str,
    get: fn(&S) -> Vec<Point<Distribution>>,
) -> Row<S> {
    Row { name, help, unit: Unit::Seconds, get: Get::Histograms(get) }
}

/// Returns the metrics of these rows, without labels but their own.
pub(super) fn of<S>(rows: &[Row<S>], source: &S) -> Vec<Family> {
    each(rows, std::slice::from_ref(source), |_| None)
}

/// Returns the metrics of these rows, with the points of all items. `label` returns the label of an item.
pub(super) fn each<S>(
    rows: &[Row<S>],
    items: &[S],
    label: impl Fn(&S) -> Option<(&'static str, Word)>,
) -> Vec<Family> {
    let points = Points { items, label };
    let family = |row: &Row<S>| {
        let values = match row.get {
            Get::Counter(get) => Values::Counter(points.single(get)),
            Get::Gauge(get) => Values::Gauge(points.single(get)),
            Get::Counters(get) => Values::Counter(points.all(get)),
            Get::Gauges(get) => Values::Gauge(points.all(get)),
            Get::Measures(get) => Values::Measure(points.all(get)),
            Get::Histograms(get) => Values::Histogram(points.all(get)),
        };
        Family { name: row.name, help: row.help, unit: row.unit, values }
    };
    rows.iter().map(family).collect()
}

struct Points<'a, S, L> {
    items: &'a [S],
    label: L,
}

impl<S, L: Fn(&S) -> Option<(&'static str, Word)>> Points<'_, S, L> {
    fn labels(&self, item: &S) -> Vec<(Word, Word)> {
        (self.label)(item).into_iter().map(|(label, word)| (label.into(), word)).collect()
    }

    fn single(&self, get: fn(&S) -> u64) -> Vec<Point<u64>> {
        self.items.iter().map(|item| Point { labels: self.labels(item), value: get(item) }).collect()
    }

    fn all<T>(&self, get: fn(&S) -> Vec<Point<T>>) -> Vec<Point<T>> {
        let of_item = |item| {
            get(item).into_iter().map(|mut point| {
                point.labels.splice(0..0, self.labels(item));
                point
            })
        };
        self.items.iter().flat_map(of_item).collect()
    }
}
