//! Times in half of their size, for tens of thousands of records.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// An [`Instant`] in 8 bytes: nanoseconds since [`BASE`], at most 292 years.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PackedInstant(i64);

/// Any moment in the life of this process.
static BASE: LazyLock<Instant> = LazyLock::new(Instant::now);

impl From<Instant> for PackedInstant {
    fn from(instant: Instant) -> PackedInstant {
        let nanos = |span: Duration| i64::try_from(span.as_nanos()).unwrap_or(i64::MAX);
        let base = *BASE;
        PackedInstant(match instant.checked_duration_since(base) {
            Some(after) => nanos(after),
            None => -nanos(base.saturating_duration_since(instant)),
        })
    }
}

impl From<PackedInstant> for Instant {
    fn from(PackedInstant(nanos): PackedInstant) -> Instant {
        let (base, span) = (*BASE, Duration::from_nanos(nanos.unsigned_abs()));
        let instant = if nanos < 0 { base.checked_sub(span) } else { base.checked_add(span) };
        instant.unwrap_or(base)
    }
}

/// A duration in 4 bytes, or none: whole microseconds, at most 71 minutes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PackedDuration(u32);

const NONE: u32 = u32::MAX;

impl From<Option<Duration>> for PackedDuration {
    fn from(span: Option<Duration>) -> PackedDuration {
        let micros = |span: Duration| u32::try_from(span.as_micros()).unwrap_or(NONE).min(NONE - 1);
        PackedDuration(span.map_or(NONE, micros))
    }
}

impl From<PackedDuration> for Option<Duration> {
    fn from(PackedDuration(micros): PackedDuration) -> Option<Duration> {
        (micros != NONE).then(|| Duration::from_micros(micros.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(86_400);

    #[test]
    fn instants_are_exact() {
        let nanosecond = Duration::from_nanos(1);
        for instant in [*BASE, *BASE + nanosecond, *BASE - nanosecond, *BASE + DAY * 400, Instant::now()] {
            assert_eq!(Instant::from(PackedInstant::from(instant)), instant);
        }
    }

    #[test]
    fn durations_have_whole_microseconds_and_a_longest() {
        let packed = |span: Option<Duration>| Option::<Duration>::from(PackedDuration::from(span));
        assert_eq!(packed(None), None);
        assert_eq!(packed(Some(Duration::ZERO)), Some(Duration::ZERO));
        assert_eq!(packed(Some(Duration::from_nanos(90_999))), Some(Duration::from_micros(90)));
        assert_eq!(packed(Some(DAY)), Some(Duration::from_micros(u64::from(NONE) - 1)));
    }
}
