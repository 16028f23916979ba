//! A strict reader of the text format of Prometheus, 0.0.4.

use std::collections::{BTreeMap, BTreeSet};

/// The parsed metrics: kinds by name, series by name and labels.
#[derive(Debug, Default)]
pub struct Exposition {
    /// Counter, gauge or histogram.
    pub kinds: BTreeMap<String, String>,
    pub series: BTreeMap<(String, BTreeMap<String, String>), f64>,
}

impl Exposition {
    /// Parses the whole text.
    ///
    /// # Panics
    /// A line violates the format, or the conventions for names.
    #[track_caller]
    pub fn read(text: &str) -> Exposition {
        assert!(text.ends_with('\n'), "the last line has no end");
        let mut read = Exposition::default();
        let (mut helped, mut current) = (None, String::new());
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# HELP ") {
                let (name, help) = rest.split_once(' ').unwrap_or_else(|| panic!("no help: {line}"));
                assert!(help.ends_with('.') && help.len() > 4, "{line}");
                helped = Some(name);
            } else if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').unwrap_or_else(|| panic!("no type: {line}"));
                assert_eq!(helped.take(), Some(name), "HELP comes before TYPE");
                assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
                assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
                assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{line}");
                assert!(read.kinds.insert(name.into(), kind.into()).is_none(), "twice: {line}");
                name.clone_into(&mut current);
            } else {
                read.sample(line, &current);
            }
        }
        read.check_histograms();
        read
    }

    fn sample(&mut self, line: &str, current: &str) {
        let (series, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("no value: {line}"));
        let value: f64 = value.parse().unwrap_or_else(|_| panic!("no number: {line}"));
        let (name, labels) = match series.split_once('{') {
            Some((name, rest)) => {
                (name, labels(rest.strip_suffix('}').unwrap_or_else(|| panic!("no brace: {line}"))))
            }
            None => (series, BTreeMap::new()),
        };
        let suffix = name.strip_prefix(current).unwrap_or_else(|| panic!("outside of its metric: {line}"));
        let suffixes: &[&str] = match self.kinds[current].as_str() {
            "histogram" => &["_bucket", "_sum", "_count"],
            _ => &[""],
        };
        assert!(suffixes.contains(&suffix) && value >= 0.0, "{line}");
        assert!(self.series.insert((name.into(), labels), value).is_none(), "twice: {line}");
    }

    /// Checks that buckets never fall, and the last one is the count.
    fn check_histograms(&self) {
        let histograms = self.kinds.iter().filter(|(_, kind)| *kind == "histogram");
        for (name, _) in histograms {
            let mut of_one: BTreeMap<_, Vec<(f64, f64)>> = BTreeMap::new();
            let (buckets, count) = (format!("{name}_bucket"), format!("{name}_count"));
            for ((series, labels), value) in &self.series {
                if *series == buckets {
                    let mut labels = labels.clone();
                    let bound = labels.remove("le").unwrap();
                    let bound = if bound == "+Inf" { f64::INFINITY } else { bound.parse().unwrap() };
                    of_one.entry(labels).or_default().push((bound, *value));
                }
            }
            assert!(!of_one.is_empty(), "{name} has no buckets");
            for (labels, mut buckets) in of_one {
                buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
                assert!(buckets.is_sorted_by_key(|(_, value)| *value), "{name}{labels:?} falls: {buckets:?}");
                let last = buckets[buckets.len() - 1];
                assert!(last.0.is_infinite());
                assert_eq!(self.series[&(count.clone(), labels)], last.1, "{name}");
            }
        }
    }

    /// Returns the value of the series with exactly these labels.
    #[track_caller]
    pub fn value(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let labels = labels.iter().map(|(label, value)| ((*label).into(), (*value).into())).collect();
        let key = (name.to_owned(), labels);
        *self.series.get(&key).unwrap_or_else(|| panic!("no {key:?}"))
    }

    pub fn names(&self) -> BTreeSet<String> {
        self.kinds.keys().cloned().collect()
    }
}

fn labels(text: &str) -> BTreeMap<String, String> {
    let mut labels = BTreeMap::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (label, behind) = rest.split_once("=\"").unwrap_or_else(|| panic!("no label: {text}"));
        assert!(label.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{text}");
        let (value, behind) = behind.split_once('"').unwrap_or_else(|| panic!("no end: {text}"));
        assert!(!value.contains('\\'), "no name in these tests needs an escape: {text}");
        assert!(labels.insert(label.into(), value.into()).is_none(), "twice: {text}");
        rest = behind.strip_prefix(',').unwrap_or(behind);
    }
    labels
}
