//! Counters and gauges of the plugin's own, among the metrics of the server: the grant `metrics`.
//!
//! They appear as `tuffet_plugin_counter_total` and `tuffet_plugin_gauge`, with the plugin's name, the `name` given here,
//! and the labels. A plugin has at most 64 series, each a name with values of its labels, so never use what clients
//! choose freely. The interface (`sdk/wit/policy.wit`) has the rules for names. Not available in
//! [`configure`](crate::Plugin).

pub use crate::Error;

#[cfg(target_family = "wasm")]
use crate::bindings::metrics::tuffet::policy::metrics as host;
#[cfg(not(target_family = "wasm"))]
use crate::testing::metrics as host;

/// Adds to a counter, which starts at 0.
///
/// ```
/// # use tuffet_sdk::metrics;
/// metrics::add("lookups", 1, &[("answer", "hit")])?;
/// # Ok::<(), metrics::Error>(())
/// ```
///
/// # Errors
/// It is not granted, the plugin has 64 other series ([`QUOTA`](crate::code::QUOTA)), name, labels or value break the
/// rules, or the name is that of a gauge.
pub fn add(name: &str, by: u64, labels: &[(&str, &str)]) -> Result<(), Error> {
    host::add(name, by, &owned(labels))
}

/// Sets a gauge.
///
/// # Errors
/// As [`add`].
pub fn set(name: &str, value: f64, labels: &[(&str, &str)]) -> Result<(), Error> {
    host::set(name, value, &owned(labels))
}

fn owned(labels: &[(&str, &str)]) -> Vec<(String, String)> {
    labels.iter().map(|(label, value)| ((*label).into(), (*value).into())).collect()
}
