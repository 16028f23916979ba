//! A histogram of durations with fixed buckets.

use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The inclusive upper bounds of the buckets in microseconds; one more bucket holds longer times.
pub const BOUNDS_US: [u64; 22] = [
    25,
    50,
    100,
    250,
    500,
    1_000,
    2_500,
    5_000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    30_000_000,
    60_000_000,
    300_000_000,
    1_800_000_000,
];

/// Counts in buckets. Cheap to add to from any thread.
#[derive(Debug, Default)]
pub struct Histogram {
    buckets: [AtomicU64; BOUNDS_US.len() + 1],
    sum_us: AtomicU64,
}

impl Histogram {
    /// Counts one duration.
    pub fn observe(&self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.buckets[BOUNDS_US.partition_point(|bound| *bound < micros)].fetch_add(1, Relaxed);
        self.sum_us.fetch_add(micros, Relaxed);
    }

    /// Returns the counters: of the buckets, each with its bound in microseconds, `None` for the last one; and the sum of all
    /// times.
    pub fn counters(&self) -> (impl Iterator<Item = (Option<u64>, &AtomicU64)>, &AtomicU64) {
        let bounds = BOUNDS_US.into_iter().map(Some).chain([None]);
        (bounds.zip(&self.buckets), &self.sum_us)
    }

    /// Returns the current counts.
    pub fn read(&self) -> Distribution {
        Distribution {
            sum_us: self.sum_us.load(Relaxed),
            buckets: self.buckets.iter().map(|bucket| bucket.load(Relaxed)).collect(),
        }
    }
}

/// A histogram at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distribution {
    /// The sum of all times.
    pub sum_us: u64,
    /// The counts of the buckets of [`BOUNDS_US`] and of the last one; not cumulative.
    pub buckets: Vec<u64>,
}

impl Distribution {
    /// Returns the number of durations.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// Returns the difference from an earlier snapshot of the same histogram.
    pub fn since(&self, earlier: &Distribution) -> Distribution {
        let before = earlier.buckets.iter().copied().chain(std::iter::repeat(0));
        Distribution {
            sum_us: self.sum_us.saturating_sub(earlier.sum_us),
            buckets: self
                .buckets
                .iter()
                .zip(before)
                .map(|(now, before)| now.saturating_sub(before))
                .collect(),
        }
    }

    /// Estimates the quantile `part` (0 to 1) in microseconds, by linear interpolation within a bucket. `None` if the
    /// histogram is empty.
    pub fn quantile_us(&self, part: f64) -> Option<u64> {
        let count = self.count();
        if count == 0 {
            return None;
        }
        let wanted = (count as f64 * part).ceil().max(1.0);
        let (mut before, mut lower) = (0.0, 0);
        for (index, &inside) in self.buckets.iter().enumerate() {
            // The last bucket has only a lower bound.
            let upper = BOUNDS_US.get(index).copied().unwrap_or(lower);
            let inside = inside as f64;
            if before + inside >= wanted {
                return Some(lower + ((upper - lower) as f64 * (wanted - before) / inside) as u64);
            }
            before += inside;
            lower = upper;
        }
        Some(lower)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(micros: &[u64]) -> Histogram {
        let histogram = Histogram::default();
        micros.iter().for_each(|micros| histogram.observe(Duration::from_micros(*micros)));
        histogram
    }

    #[test]
    fn a_time_on_a_bound_is_inside() {
        let read = of(&[0, 25, 26, 1_800_000_000, 1_800_000_001]).read();
        assert_eq!((read.buckets[0], read.buckets[1]), (2, 1));
        assert_eq!(read.buckets[BOUNDS_US.len() - 1..], [1, 1]);
        assert_eq!((read.count(), read.sum_us), (5, 3_600_000_052));
    }

    #[test]
    fn quantiles_lie_in_their_bucket() {
        assert_eq!(of(&[]).read().quantile_us(0.5), None);
        assert_eq!(of(&[70]).read().quantile_us(0.5), Some(100));
        let read = of(&[10, 10, 10, 10, 10, 10, 10, 10, 10, 700]).read();
        assert_eq!(read.quantile_us(0.5), Some(13), "five of nine parts of 25");
        assert_eq!(read.quantile_us(0.99), Some(1_000));
        assert_eq!(of(&[u64::MAX / 2]).read().quantile_us(0.5), Some(1_800_000_000));
    }

    #[test]
    fn the_difference_to_an_earlier_state() {
        let histogram = of(&[10, 10]);
        let before = histogram.read();
        histogram.observe(Duration::from_micros(700));
        let since = histogram.read().since(&before);
        assert_eq!((since.count(), since.sum_us, since.quantile_us(0.5)), (1, 700, Some(1_000)));
        assert_eq!(before.since(&Distribution::default()), before);
    }
}
