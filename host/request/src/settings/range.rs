//! The ranges of settings, for programs: a configuration has them in its schema.

use std::fmt::{self, Display};
use std::ops::RangeInclusive;

/// The least rate in bytes per second: slower transfers would end by their time-outs.
pub(super) const MIN_RATE: u64 = 1024;

/// The largest number of transfers, requests or events: their tables and queues have room for all.
pub(super) const MAX_COUNT: usize = 1 << 24;

/// A setting that is out of its range.
#[derive(Debug)]
pub struct OutOfRange {
    setting: String,
    range: String,
}

impl OutOfRange {
    pub(super) fn unless(is_good: bool, setting: &str, range: &str) -> Result<(), OutOfRange> {
        if is_good { Ok(()) } else { Err(OutOfRange { setting: setting.into(), range: range.into() }) }
    }
}

impl Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is out of range: it must be {}", self.setting, self.range)
    }
}

pub(super) fn number<T: PartialOrd + Display>(
    setting: &str,
    value: T,
    range: RangeInclusive<T>,
) -> Result<(), OutOfRange> {
    OutOfRange::unless(range.contains(&value), setting, &format!("{} to {}", range.start(), range.end()))
}

/// As [`number`], for a setting that may be missing.
pub(super) fn optional<T: PartialOrd + Display>(
    setting: &str,
    value: Option<T>,
    range: RangeInclusive<T>,
) -> Result<(), OutOfRange> {
    value.map_or(Ok(()), |value| number(setting, value, range))
}
