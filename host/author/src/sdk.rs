//! The sources of the SDK, which this program contains.

/// By their path below `sdk`; `build.rs` generates the table.
static SDK: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/sdk.rs"));

/// Iterates over the sources: paths below `sdk`, and texts.
pub(crate) fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    SDK.iter().copied()
}
