//! The common parts of the benchmarks: the command line and exit codes ([`program`]), measuring (the busy time of a
//! core, its pinning, processes, medians), and reports ([`report`], [`plot`]) with the facts of the machine, without
//! which a result is worth nothing.
#![forbid(unsafe_code)]

mod affinity;
mod busy;
mod cpu;
mod machine;
mod median;
mod number;
pub mod plot;
mod process;
pub mod program;
pub mod report;

pub use affinity::{Cores, cores, pin};
pub use busy::{Busy, CoreMeter, CoreTimes};
pub use cpu::CpuTime;
pub use machine::Machine;
pub use median::{median, spread};
pub use number::{grouped, known, short};
pub use process::{Footprint, Wakeups, descendants, raise_descriptors, status};

/// A property of the machine could not be read or set.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// A file below `/proc` or `/sys` could not be read.
    #[error("{path} cannot be read ({source}): the figures come from there, so this needs Linux with /proc")]
    Read {
        /// The path.
        path: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// `/proc/stat` has no line for a core.
    #[error("/proc/stat has no core {0}: choose one of those that `nproc --all` counts")]
    NoCore(usize),
    /// The two sides of a measurement have no separate cores.
    #[error("two cores are needed; there are {0:?} (--server-core, --generator-core)")]
    TwoCores(Vec<usize>),
    /// A thread could not be pinned.
    #[error(
        "core {core} cannot be used ({source}): see which ones this process may use with `taskset -p $$`"
    )]
    Pin {
        /// The requested core.
        core: usize,
        /// The system's error.
        source: std::io::Error,
    },
}

pub(crate) fn read(path: &str) -> Result<String, MeasureError> {
    std::fs::read_to_string(path).map_err(|source| MeasureError::Read { path: path.to_owned(), source })
}
