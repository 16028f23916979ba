//! The command line.

use crate::setup::Programs;
use std::path::PathBuf;
use std::time::Duration;

/// Runs a server for long with everything at once, and fails if it grows.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) programs: Programs,

    /// The component of the plugin that does what it should not (plugins/misbehave)
    #[arg(long, value_name = "FILE")]
    pub(crate) misbehave: PathBuf,

    /// How long; the first third warms the server up
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = humantime::parse_duration)]
    pub(crate) duration: Duration,

    /// How often memory, descriptors and threads are read
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = humantime::parse_duration)]
    pub(crate) interval: Duration,

    /// Where the page, the figures and the plot go, as DATE-soak.md, .json and .svg
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,

    /// Requests of honest clients in a second, beside all else
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) rate: u32,
}
