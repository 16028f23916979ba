//! The rate over time, from samples of the received bytes.

use serde::Serialize;
use std::time::Duration;
use tuffet_core::Time;

/// The most samples kept; a longer run keeps its first ones.
const MAX_SAMPLES: usize = 100_000;

/// Samples the sum of bytes at intervals.
#[derive(Debug)]
pub(crate) struct OverTime {
    interval: Option<Duration>,
    next: Time,
    seen: Vec<(Time, u64)>,
}

/// The rates at a moment: since the previous sample, and since the start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Sample {
    pub(crate) seconds: f64,
    pub(crate) bytes: u64,
    pub(crate) mb_s: f64,
    pub(crate) cumulative_mb_s: f64,
}

impl OverTime {
    pub(crate) fn new(interval: Option<Duration>) -> OverTime {
        OverTime {
            interval,
            next: interval.map_or(Time::NEVER, |first| Time::default() + first),
            seen: Vec::new(),
        }
    }

    /// The time of the next sample.
    pub(crate) fn next(&self) -> Time {
        self.next
    }

    /// Takes a sample if it is due.
    pub(crate) fn look(&mut self, now: Time, bytes: u64) {
        let Some(interval) = self.interval else { return };
        while self.next <= now {
            self.next = self.next + interval;
        }
        self.last(now, bytes);
    }

    /// Takes the last sample, at the end of the run.
    pub(crate) fn last(&mut self, now: Time, bytes: u64) {
        let later = self.seen.last().is_none_or(|(before, _)| *before < now);
        if self.interval.is_some() && later && self.seen.len() < MAX_SAMPLES {
            self.seen.push((now, bytes));
        }
    }

    pub(crate) fn samples(&self) -> Vec<Sample> {
        let mut before = (Time::default(), 0);
        let mut samples = Vec::with_capacity(self.seen.len());
        for &(now, bytes) in &self.seen {
            let rate = |bytes: u64, time: Duration| bytes as f64 / time.as_micros().max(1) as f64;
            samples.push(Sample {
                seconds: now.as_micros() as f64 / 1e6,
                bytes,
                // A failed transfer does not take back bytes that had arrived.
                mb_s: rate(bytes.saturating_sub(before.1), now.since(before.0)),
                cumulative_mb_s: rate(bytes, now.since(Time::default())),
            });
            before = (now, bytes);
        }
        samples
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_since_the_last_sample_and_since_the_start() {
        let mut over_time = OverTime::new(Some(Duration::from_millis(100)));
        let at = |ms: u64| Time::from_micros(ms * 1_000);
        over_time.look(at(100), 1_000_000);
        // The loop was late: the next sample is at the next multiple.
        over_time.look(at(250), 1_000_000);
        assert_eq!(over_time.next(), at(300));
        over_time.last(at(300), 4_000_000);
        over_time.last(at(300), 4_000_000);
        let samples = over_time.samples();
        let rates: Vec<_> =
            samples.iter().map(|sample| (sample.mb_s, sample.cumulative_mb_s.round())).collect();
        assert_eq!(rates, [(10.0, 10.0), (0.0, 4.0), (60.0, 13.0)]);
    }

    #[test]
    fn nothing_is_kept_unless_asked() {
        let mut over_time = OverTime::new(None);
        assert_eq!(over_time.next(), Time::NEVER);
        over_time.last(Time::from_micros(5), 7);
        assert!(over_time.samples().is_empty());
    }
}
