//! The counters of running transfers.

use hdrhistogram::Histogram;
use std::collections::BTreeMap;
use std::time::Duration;
use tuffet_core::{OptionSet, Stats, Time};

/// The longest measurable time in microseconds: an hour.
const LONGEST: u64 = 3_600_000_000;

/// Different error texts that are counted separately; further ones are counted together.
const TEXTS: usize = 32;

/// How a transfer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Completed,
    Failed(String),
    /// The server was silent for too long; records whether it had ever answered.
    TimedOut {
        answered: bool,
    },
    WrongBytes(String),
    Stalled,
}

/// A transfer that has ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended {
    pub(crate) scheduled: Time,
    pub(crate) bytes: u64,
    pub(crate) stats: Stats,
    pub(crate) options: OptionSet,
}

/// Counters and histograms; see the README for what each means.
#[derive(Debug)]
pub(crate) struct Figures {
    pub(crate) completed: u64,
    pub(crate) failed: u64,
    pub(crate) timed_out: u64,
    pub(crate) wrong_bytes: u64,
    pub(crate) stalled: u64,
    pub(crate) errors: BTreeMap<String, u64>,
    pub(crate) bytes: u64,
    pub(crate) retransmissions: u64,
    pub(crate) client_timeouts: u64,
    pub(crate) duplicates: u64,
    pub(crate) packets_in: u64,
    pub(crate) packets_out: u64,
    pub(crate) lost_in: u64,
    pub(crate) lost_out: u64,
    pub(crate) unsent: u64,
    pub(crate) strays: u64,
    pub(crate) options: Option<OptionSet>,
    pub(crate) options_differed: u64,
    pub(crate) answer: Times,
    pub(crate) first_block: Times,
    pub(crate) turnaround: Times,
    pub(crate) completion: Times,
    pub(crate) start_delay: Times,
}

impl Figures {
    pub(crate) fn new() -> Self {
        Figures {
            completed: 0,
            failed: 0,
            timed_out: 0,
            wrong_bytes: 0,
            stalled: 0,
            errors: BTreeMap::new(),
            bytes: 0,
            retransmissions: 0,
            client_timeouts: 0,
            duplicates: 0,
            packets_in: 0,
            packets_out: 0,
            lost_in: 0,
            lost_out: 0,
            unsent: 0,
            strays: 0,
            options: None,
            options_differed: 0,
            answer: Times::new(),
            first_block: Times::new(),
            turnaround: Times::new(),
            completion: Times::new(),
            start_delay: Times::new(),
        }
    }

    /// Records an ended transfer.
    pub(crate) fn record(&mut self, now: Time, outcome: Outcome, ended: &Ended) {
        self.bytes += ended.bytes;
        self.retransmissions += u64::from(ended.stats.retransmissions);
        self.client_timeouts += u64::from(ended.stats.timeouts);
        self.duplicates += u64::from(ended.stats.duplicates);
        match outcome {
            Outcome::Completed => {
                self.completed += 1;
                self.completion.record(now.since(ended.scheduled));
                self.agreed(ended.options);
            }
            Outcome::Failed(text) => {
                self.failed += 1;
                self.error(text);
            }
            Outcome::TimedOut { answered } => {
                self.timed_out += 1;
                let text = if answered {
                    "the server fell silent in the middle of the transfer"
                } else {
                    "no answer to the request; does a TFTP server listen at --server?"
                };
                self.error(text.to_owned());
            }
            Outcome::WrongBytes(text) => {
                self.wrong_bytes += 1;
                self.error(text);
            }
            Outcome::Stalled => self.stalled += 1,
        }
    }

    /// Counts an error by its text.
    pub(crate) fn error(&mut self, text: String) {
        let full = self.errors.len() >= TEXTS && !self.errors.contains_key(&text);
        *self.errors.entry(if full { "others".to_owned() } else { text }).or_default() += 1;
    }

    /// Records the options of the first transfer, and counts transfers whose options differ; sizes may.
    fn agreed(&mut self, options: OptionSet) {
        let sizeless = |options: OptionSet| OptionSet { tsize: options.tsize.map(|_| 0), ..options };
        let first = *self.options.get_or_insert(options);
        self.options_differed += u64::from(sizeless(first) != sizeless(options));
    }
}

/// A distribution of times, from a microsecond to an hour with three exact digits.
#[derive(Debug)]
pub(crate) struct Times(Histogram<u64>);

impl Times {
    fn new() -> Self {
        Times(
            Histogram::new_with_bounds(1, LONGEST, 3)
                .expect("1 is below half of LONGEST, 3 digits are allowed"),
        )
    }

    pub(crate) fn record(&mut self, time: Duration) {
        self.0.saturating_record(u64::try_from(time.as_micros()).unwrap_or(LONGEST));
    }

    /// The time in milliseconds that this part (0 to 1) of all values did not exceed; `None` without values.
    pub(crate) fn quantile_ms(&self, part: f64) -> Option<f64> {
        (!self.0.is_empty()).then(|| self.0.value_at_quantile(part) as f64 / 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_exact_to_three_digits() {
        let mut times = Times::new();
        assert_eq!(times.quantile_ms(0.5), None);
        (1..=10_000).for_each(|micros| times.record(Duration::from_micros(micros * 100)));
        for (part, ms) in [(0.5, 500.0), (0.99, 990.0), (0.999, 999.0), (1.0, 1_000.0)] {
            let got = times.quantile_ms(part).unwrap();
            assert!((got - ms).abs() <= ms / 1_000.0, "{part}: {got}");
        }
        times.record(Duration::from_secs(86_400));
        assert!(times.quantile_ms(1.0).unwrap() >= 3_600_000.0, "too long is the longest, not lost");
    }

    #[test]
    fn error_texts_are_bounded() {
        let mut figures = Figures::new();
        (0..1_000).for_each(|number| figures.error(format!("error {number}")));
        figures.error("error 7".into());
        assert_eq!(figures.errors.len(), TEXTS + 1);
        assert_eq!((figures.errors["error 7"], figures.errors["others"]), (2, 1_000 - TEXTS as u64));
    }

    #[test]
    fn differing_options_show() {
        let mut figures = Figures::new();
        let ended = |blksize, tsize| Ended {
            scheduled: Time::default(),
            bytes: 10,
            stats: Stats::default(),
            options: OptionSet { blksize, tsize, ..OptionSet::default() },
        };
        for ended in [ended(Some(1_400), Some(1)), ended(Some(1_400), Some(2)), ended(None, None)] {
            figures.record(Time::default(), Outcome::Completed, &ended);
        }
        assert_eq!((figures.options_differed, figures.completed, figures.bytes), (1, 3, 30));
    }
}
