//! Judges growth: compares the medians of the first quarter after the warm-up and of the last quarter.

use crate::soak::server::Resources;
use serde::Serialize;
use tuffet_measure::median;

/// The part of the run that warms the server up: caches fill, threads start, pools reach their size.
pub(crate) const WARM_UP: f64 = 1.0 / 3.0;

/// The allowed growth between the two quarters: for memory a twentieth and 8 MiB (the allocator, audit pages, a cache
/// of another size), for descriptors and threads the fluctuation with requests (plus a tenth of the descriptors, for
/// uploads of silent clients).
const MEMORY_PART: f64 = 0.05;
const MEMORY_KIB: f64 = 8.0 * 1024.0;
const DESCRIPTORS: f64 = 16.0;
const THREADS: f64 = 8.0;

/// A sample of the server's resources.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Sample {
    pub(crate) seconds: f64,
    pub(crate) resident_kib: u64,
    pub(crate) descriptors: u64,
    pub(crate) threads: u64,
}

impl Sample {
    pub(crate) fn new(seconds: f64, resources: Resources) -> Sample {
        let Resources { resident_kib, descriptors, threads } = resources;
        Sample { seconds, resident_kib, descriptors, threads }
    }
}

/// A resource over the run.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Growth {
    pub(crate) what: &'static str,
    pub(crate) unit: &'static str,
    /// Median of the first quarter after the warm-up, and of the last quarter.
    pub(crate) first: f64,
    pub(crate) last: f64,
    /// The upper bound for the last quarter.
    pub(crate) bound: f64,
    /// Minimum and maximum after the warm-up.
    pub(crate) least: f64,
    pub(crate) most: f64,
    /// Growth per hour after the warm-up, by least squares.
    pub(crate) slope: f64,
}

impl Growth {
    /// The name with its unit.
    pub(crate) fn title(&self) -> String {
        if self.unit.is_empty() { self.what.to_owned() } else { format!("{}, {}", self.what, self.unit) }
    }

    pub(crate) fn is_flat(&self) -> bool {
        self.last <= self.bound
    }
}

/// Judges memory, descriptors and threads; `None` with too few samples.
pub(crate) fn judge(samples: &[Sample]) -> Option<Vec<Growth>> {
    let warm = &samples[(samples.len() as f64 * WARM_UP) as usize..];
    if warm.len() < 4 {
        return None;
    }
    let growth = |what, unit, scale: f64, of: fn(&Sample) -> u64, more: fn(f64) -> f64| {
        let values: Vec<f64> = warm.iter().map(|sample| of(sample) as f64).collect();
        let quarter = (values.len() / 4).max(1);
        let middle = |part: &[f64]| median(part.iter().copied()).unwrap_or(0.0);
        let (first, last) = (middle(&values[..quarter]), middle(&values[values.len() - quarter..]));
        let (least, most) = values.iter().fold((f64::MAX, 0.0_f64), |(a, b), v| (a.min(*v), b.max(*v)));
        let points: Vec<(f64, f64)> = warm.iter().map(|it| it.seconds).zip(values).collect();
        Growth {
            what,
            unit,
            first: first / scale,
            last: last / scale,
            bound: more(first) / scale,
            least: least / scale,
            most: most / scale,
            slope: slope(&points) * 3600.0 / scale,
        }
    };
    Some(vec![
        growth(
            "resident memory",
            "MiB",
            1024.0,
            |it| it.resident_kib,
            |it| it * (1.0 + MEMORY_PART) + MEMORY_KIB,
        ),
        growth("descriptors", "", 1.0, |it| it.descriptors, |it| it * 1.1 + DESCRIPTORS),
        growth("threads", "", 1.0, |it| it.threads, |it| it + THREADS),
    ])
}

fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let above: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let below: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    if below > 0.0 { above / below } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(memory: impl Fn(u64) -> u64, descriptors: impl Fn(u64) -> u64) -> Vec<Growth> {
        let sample = |number: u64| Sample {
            seconds: 5.0 * number as f64,
            resident_kib: memory(number),
            descriptors: descriptors(number),
            threads: 9,
        };
        judge(&(0..120).map(sample).collect::<Vec<_>>()).expect("enough samples")
    }

    #[test]
    fn what_grows_slowly_is_found_and_what_comes_and_goes_is_not() {
        let flat = run(
            |number| if number < 30 { 1000 * number } else { 100_000 + 5_000 * (number % 3) },
            |n| 40 + n % 9,
        );
        assert!(flat.iter().all(Growth::is_flat), "{flat:#?}");
        let leaks = run(|number| 100_000 + 400 * number, |_| 40);
        assert!(!leaks[0].is_flat() && leaks[1].is_flat(), "{leaks:#?}");
        assert!((leaks[0].slope - 400.0 / 5.0 * 3600.0 / 1024.0).abs() < 1.0, "{leaks:#?}");
        let leaks = run(|_| 100_000, |number| 40 + number / 2);
        assert!(leaks[0].is_flat() && !leaks[1].is_flat(), "{leaks:#?}");
    }

    #[test]
    fn too_few_samples_say_nothing() {
        assert!(judge(&[]).is_none());
    }
}
