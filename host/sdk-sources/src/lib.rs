//! The sources of the SDK and of the example plugins of the TFTP server Tuffet, for `tuffet plugin new` and `tuffet plugin build`.

static SDK: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/sdk.rs"));

/// Iterates over the sources: paths below `sdk`, and texts.
pub fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    SDK.iter().copied()
}

static EXAMPLES: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/examples.rs"));

/// Iterates over the files of the example plugins: paths that begin with the name of the example, and contents.
pub fn examples() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    EXAMPLES.iter().copied()
}
