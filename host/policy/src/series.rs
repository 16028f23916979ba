//! Counters and gauges defined by plugins.

use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The maximum number of series of a plugin.
const MAX_SERIES: usize = 64;

/// The name of a series, with its labels.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeriesName {
    /// The name that the plugin chose.
    pub name: String,
    /// Names and values, sorted.
    pub labels: Vec<(String, String)>,
}

/// The value of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SeriesValue {
    /// Never falls while the process runs.
    Counter(u64),
    /// The last value.
    Gauge(f64),
}

/// The series of one plugin.
#[derive(Debug, Clone)]
pub struct PluginSeries {
    /// The plugin's name.
    pub plugin: Arc<str>,
    /// Its series.
    pub series: Vec<(SeriesName, SeriesValue)>,
    /// Refused changes: the plugin has too many series.
    pub refused: u64,
}

/// Why a change is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeriesError {
    /// The plugin has too many series.
    Full,
    /// A series with this name has the other kind.
    OtherKind,
}

/// The series of a plugin, from the start of the process.
#[derive(Debug, Default)]
pub struct SeriesTable {
    series: Mutex<BTreeMap<SeriesName, SeriesValue>>,
    refused: AtomicU64,
}

impl SeriesTable {
    /// Adds to a counter, or sets a gauge.
    pub fn change(&self, name: SeriesName, change: SeriesValue) -> Result<(), SeriesError> {
        let mut all = self.lock();
        let is_other = |value: &SeriesValue| std::mem::discriminant(value) != std::mem::discriminant(&change);
        if all.iter().any(|(series, value)| series.name == name.name && is_other(value)) {
            return Err(SeriesError::OtherKind);
        }
        let is_full = all.len() >= MAX_SERIES;
        match all.get_mut(&name) {
            Some(SeriesValue::Counter(count)) => {
                if let SeriesValue::Counter(by) = change {
                    // Counters wrap, as in other monitoring systems.
                    *count = count.wrapping_add(by);
                }
            }
            Some(gauge) => *gauge = change,
            None if is_full => {
                self.refused.fetch_add(1, Relaxed);
                return Err(SeriesError::Full);
            }
            None => {
                all.insert(name, change);
            }
        }
        Ok(())
    }

    /// Returns all series and their values.
    pub fn read(&self) -> Vec<(SeriesName, SeriesValue)> {
        self.lock().iter().map(|(name, value)| (name.clone(), *value)).collect()
    }

    /// Returns how many changes were refused.
    pub fn refused(&self) -> u64 {
        self.refused.load(Relaxed)
    }

    /// Removes all series, for the next call of a trial.
    pub fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<SeriesName, SeriesValue>> {
        self.series.lock()
    }
}

/// As Prometheus writes it: `downloads{site="a"}`.
impl Display for SeriesName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (index, (label, value)) in self.labels.iter().enumerate() {
            write!(f, "{}{label}={value:?}", if index == 0 { '{' } else { ',' })?;
        }
        if self.labels.is_empty() { Ok(()) } else { f.write_str("}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(name: &str, value: usize) -> SeriesName {
        SeriesName { name: name.into(), labels: vec![("l".into(), value.to_string())] }
    }

    #[test]
    fn series_are_bounded_and_have_one_kind() {
        let table = SeriesTable::default();
        for value in 0..MAX_SERIES {
            assert_eq!(table.change(name("a", value), SeriesValue::Counter(2)), Ok(()));
        }
        assert_eq!(table.change(name("a", 0), SeriesValue::Counter(3)), Ok(()), "it exists");
        assert_eq!(table.change(name("a", 64), SeriesValue::Counter(3)), Err(SeriesError::Full));
        assert_eq!(table.change(name("b", 0), SeriesValue::Gauge(3.0)), Err(SeriesError::Full));
        assert_eq!(table.change(name("a", 0), SeriesValue::Gauge(3.0)), Err(SeriesError::OtherKind));
        assert_eq!(table.refused(), 2);
        let read = table.read();
        assert_eq!((read.len(), &read[0]), (64, &(name("a", 0), SeriesValue::Counter(5))));
        assert_eq!(read[0].0.to_string(), "a{l=\"0\"}");
    }
}
