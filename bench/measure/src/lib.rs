//! What the benchmarks measure with: the busy time of a core, its pinning, medians, and the facts of the
//! machine that a result is worth nothing without.
#![forbid(unsafe_code)]

mod affinity;
mod busy;
mod machine;
mod median;
mod process;

pub use affinity::{cores, pin};
pub use busy::{Busy, CoreMeter, CoreTimes};
pub use machine::Machine;
pub use median::{median, spread};
pub use process::{Footprint, Wakeups, descendants};

/// What could not be read of the machine, or set.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// A file below `/proc` or `/sys` could not be read.
    #[error("{path} cannot be read ({source}): the figures come from there, so this needs Linux with /proc")]
    Read {
        /// Which one.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// `/proc/stat` has no line for a core.
    #[error("/proc/stat has no core {0}: choose one of those that `nproc --all` counts")]
    NoCore(usize),
    /// A thread could not be pinned.
    #[error(
        "core {core} cannot be used ({source}): see which ones this process may use with `taskset -p $$`"
    )]
    Pin {
        /// The core that was asked for.
        core: usize,
        /// Why.
        source: std::io::Error,
    },
}

pub(crate) fn read(path: &str) -> Result<String, MeasureError> {
    std::fs::read_to_string(path).map_err(|source| MeasureError::Read { path: path.to_owned(), source })
}
