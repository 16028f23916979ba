//! The sources of the SDK of the TFTP server Tuffet, for `tuffet plugin new` and `tuffet plugin build`.

static SDK: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/sdk.rs"));

/// Iterates over the sources: paths below `sdk`, and texts.
pub fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    SDK.iter().copied()
}
