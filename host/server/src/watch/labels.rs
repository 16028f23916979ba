//! Ended requests by the labels that plugins gave them.

use super::snapshot::Labelled;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use tuffet_request::Label;
use tuffet_request::events::Summary;

/// The most labels of a plugin that are counted by themselves.
const MAX_LABELS: usize = 64;

/// The word for all further labels of a plugin. No label has brackets.
const OTHERS: &str = "(others)";

/// The counters of a plugin.
#[derive(Debug, Default)]
struct OfPlugin {
    labels: BTreeMap<Label, u64>,
    others: u64,
}

/// The counters of all plugins, from the start of the process.
#[derive(Debug, Default)]
pub(super) struct LabelCounts(Mutex<BTreeMap<Arc<str>, OfPlugin>>);

impl LabelCounts {
    /// Counts an ended request once for each plugin that labelled it.
    pub(super) fn count(&self, summary: &Summary) {
        for (plugin, label) in summary.record.request.calls.labels() {
            self.add(plugin, Some(label), 1);
        }
    }

    /// Adds to the counter of a label; `None` for those that count together.
    pub(super) fn add(&self, plugin: Arc<str>, label: Option<Label>, more: u64) {
        let mut all = self.0.lock();
        let OfPlugin { labels, others } = all.entry(plugin).or_default();
        let has_room = labels.len() < MAX_LABELS;
        match label {
            Some(label) if has_room || labels.contains_key(&label) => {
                *labels.entry(label).or_default() += more
            }
            _ => *others += more,
        }
    }

    /// Returns the counters at this moment.
    pub(super) fn read(&self) -> Vec<Labelled> {
        let mut read = Vec::new();
        for (plugin, its) in &*self.0.lock() {
            let others = (its.others > 0).then_some((OTHERS, its.others));
            let counts = its.labels.iter().map(|(label, count)| (label.as_str(), *count)).chain(others);
            read.extend(counts.map(|(label, count)| Labelled {
                plugin: plugin.to_string(),
                label: label.to_owned(),
                count,
            }));
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;
    use tuffet_request::events::{Answered, DecisionRecord, Outcome};
    use tuffet_request::{Call, Request};

    fn ended(labels: &[(&str, &str)]) -> Summary {
        let request = Request::sample("a");
        for (plugin, label) in labels {
            request.calls.note(Call::labelling(plugin, label.parse().unwrap()));
        }
        let record = DecisionRecord::new(Arc::new(request), Instant::now());
        Summary::new(record, Outcome::Served, Answered::Granted)
    }

    #[test]
    fn a_request_counts_once_for_each_plugin_that_labelled_it() {
        let counts = LabelCounts::default();
        counts.count(&ended(&[]));
        assert_eq!(counts.read(), []);
        counts.count(&ended(&[("a", "new"), ("a", "canary"), ("b", "lab")]));
        counts.count(&ended(&[("a", "canary")]));
        let labelled = |plugin: &str, label: &str, count| Labelled {
            plugin: plugin.to_owned(),
            label: label.to_owned(),
            count,
        };
        assert_eq!(counts.read(), [labelled("a", "canary", 2), labelled("b", "lab", 1)]);
    }

    #[test]
    fn labels_beyond_the_limit_count_together() {
        let counts = LabelCounts::default();
        for number in 0..MAX_LABELS + 3 {
            counts.count(&ended(&[("a", &format!("l{number}"))]));
        }
        counts.count(&ended(&[("a", "l0"), ("b", "x")]));
        let read = counts.read();
        assert_eq!(read.len(), MAX_LABELS + 2);
        let others = Labelled { plugin: "a".to_owned(), label: OTHERS.to_owned(), count: 3 };
        assert!(read.contains(&others), "{read:?}");
        assert_eq!((&*read[0].label, read[0].count), ("l0", 2));
    }
}
