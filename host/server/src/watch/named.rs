//! Counters by name, which a process passes to the one that has replaced it: its last transfers end there, and its own views
//! are closed. The two may be of different versions, so each ignores names that it does not know.

use super::counts::Counts;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tuffet_request::events::Outcome;
use tuffet_request::{Histogram, Protocol};

/// What precedes the plugin and its label. Neither has a slash.
const LABEL: &str = "label/";

/// Counters by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedCounts(BTreeMap<String, u64>);

impl NamedCounts {
    /// Returns how much the counters have grown since an earlier moment; none of those that have not.
    pub fn since(&self, earlier: &NamedCounts) -> NamedCounts {
        let grown = self.0.iter().map(|(name, now)| {
            let before = earlier.0.get(name).copied().unwrap_or_default();
            (name.clone(), now.saturating_sub(before))
        });
        NamedCounts(grown.filter(|(_, grown)| *grown > 0).collect())
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Counts {
    /// Returns the counters at this moment.
    pub(super) fn read(&self) -> NamedCounts {
        let counters = self.named().into_iter().map(|(name, counter)| (name, counter.load(Relaxed)));
        let labels = self.labels.read().into_iter();
        let labels = labels.map(|its| (format!("{LABEL}{}/{}", its.plugin, its.label), its.count));
        NamedCounts(counters.chain(labels).collect())
    }

    /// Adds to the counters.
    pub(super) fn add(&self, more: &NamedCounts) {
        for (name, counter) in self.named() {
            if let Some(count) = more.0.get(&name) {
                counter.fetch_add(*count, Relaxed);
            }
        }
        for (name, count) in &more.0 {
            if let Some((plugin, label)) = name.strip_prefix(LABEL).and_then(|its| its.split_once('/')) {
                self.labels.add(plugin.into(), label.parse().ok(), *count);
            }
        }
    }

    /// The counters that only grow, without those of labels. The lengths of queues are no counters.
    fn named(&self) -> Vec<(String, &AtomicU64)> {
        let mut all: Vec<(String, &AtomicU64)> = vec![
            ("admitted".into(), &self.admitted),
            ("decided".into(), &self.decided),
            ("unanswered".into(), &self.unanswered),
            ("retransmissions".into(), &self.retransmissions),
            ("duplicates".into(), &self.duplicates),
            ("timeouts".into(), &self.timeouts),
            ("needless-timeouts".into(), &self.needless_timeouts),
            ("progress-left-out".into(), &self.progress_left_out),
        ];
        for (index, operation) in ["read", "write"].into_iter().enumerate() {
            for (protocol, ended) in Protocol::ALL.into_iter().zip(&self.ended) {
                let of =
                    protocol.unless_tftp().map_or_else(|| "ended".to_owned(), |name| format!("ended-{name}"));
                all.extend(Outcome::ALL.into_iter().map(|outcome| {
                    (format!("{of}/{operation}/{}", outcome.as_str()), &ended[index][outcome as usize])
                }));
            }
            all.push((format!("bytes/{operation}"), &self.bytes[index]));
            all.push((format!("blocks/{operation}"), &self.blocks[index]));
            all.extend(of_histogram(&format!("duration/{operation}"), &self.duration[index]));
        }
        for (name, histogram) in
            [("rtt", &self.rtt), ("first-block", &self.first_block), ("decision", &self.decision)]
        {
            all.extend(of_histogram(name, histogram));
        }
        all
    }
}

fn of_histogram<'a>(name: &str, histogram: &'a Histogram) -> Vec<(String, &'a AtomicU64)> {
    let (buckets, sum) = histogram.counters();
    let bucket = |(bound, counter): (Option<u64>, &'a AtomicU64)| {
        let bound = bound.map_or_else(|| "more".to_owned(), |bound| bound.to_string());
        (format!("{name}/{bound}"), counter)
    };
    buckets.map(bucket).chain([(format!("{name}/sum"), sum)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::time::{Duration, Instant};
    use tuffet_request::events::{Answered, DecisionRecord, Summary};
    use tuffet_request::{Call, Request};

    fn ended(label: &str) -> Summary {
        let request = Request::sample("a");
        request.calls.note(Call::labelling("a", label.parse().unwrap()));
        let record = DecisionRecord::new(Arc::new(request), Instant::now());
        let times = Some(Duration::from_millis(3));
        Summary {
            blocks: 2,
            duration: Duration::from_secs(4000),
            rtt: times,
            first_block_after: times,
            ..Summary::new(record, Outcome::Served, Answered::Granted)
        }
    }

    #[test]
    fn what_has_grown_is_added_elsewhere_whatever_the_version() {
        let (of_one, of_other) = (Counts::default(), Counts::default());
        of_one.ended(&ended("new"));
        let earlier = of_one.read();
        of_one.ended(&ended("new"));
        of_one.ended(&ended("old"));
        of_one.decided(Duration::from_micros(30));
        let mut grown = of_one.read().since(&earlier);
        grown.0.insert("later/counter".into(), 5);
        of_other.ended(&ended("new"));
        of_other.add(&grown);
        assert_eq!(of_other.read(), of_one.read());
        assert_eq!(of_other.duration[0].read(), of_one.duration[0].read());
        assert!(of_one.read().since(&of_other.read()).is_empty());
        // Those of all versions.
        grown.0.keys().filter(|name| *name != "later/counter").for_each(|name| {
            assert!(of_one.read().0.contains_key(name), "{name}");
        });
    }
}
