//! The command line.

use crate::setup::Programs;
use std::path::PathBuf;
use std::time::Duration;

/// Run a server for a long time with every kind of load at once, and fail if it grows.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) programs: Programs,

    /// The component of the misbehaving plugin (host/tests/plugins/misbehave)
    #[arg(long, value_name = "FILE")]
    pub(crate) misbehave: PathBuf,

    /// The duration of the run; the first third is the warm-up
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = humantime::parse_duration)]
    pub(crate) duration: Duration,

    /// The interval at which memory, descriptors and threads are read
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = humantime::parse_duration)]
    pub(crate) interval: Duration,

    /// The folder for the page, the figures and the plot: DATE-soak.md, .json and .svg
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,

    /// Requests of honest clients per second, beside all other load
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) rate: u32,
}
