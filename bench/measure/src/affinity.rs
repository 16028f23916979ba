//! The cores of the two sides of a measurement.
//!
//! `taskset` pins a thread, and `/proc` lists its cores. The system call would need a feature of `rustix`
//! that nothing else here uses, and another set of features would build the policy runtime a second time.

use crate::{MeasureError, read};
use std::fs;
use std::io;
use std::process::{Command, Stdio};

/// The cores of a measurement, as flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Args)]
pub struct Cores {
    /// The core of the servers; its busy time is measured
    #[arg(long = "server-core", value_name = "CORE", default_value_t = 0)]
    pub server: usize,
    /// The core of everything else
    #[arg(long = "generator-core", alias = "client-core", value_name = "CORE", default_value_t = 1)]
    pub generator: usize,
}

impl Cores {
    /// Returns all cores that this process may use, which must include these two.
    ///
    /// # Errors
    /// It does not, or they are the same core.
    pub fn check(self) -> Result<Vec<usize>, MeasureError> {
        let cores = cores()?;
        let both = [self.server, self.generator].iter().all(|core| cores.contains(core));
        if both && self.server != self.generator { Ok(cores) } else { Err(MeasureError::TwoCores(cores)) }
    }

    /// Pins the calling thread, and everything it starts, to the generator's core.
    ///
    /// # Errors
    /// These are not two cores of this machine, or as [`pin`].
    pub fn keep(self) -> Result<(), MeasureError> {
        self.check()?;
        pin(self.generator)
    }
}

/// Pins the calling thread, and everything it starts from now on, to this core.
///
/// # Errors
/// `taskset` is missing, the machine lacks this core, or this process may not use it.
pub fn pin(core: usize) -> Result<(), MeasureError> {
    taskset(core).map_err(|source| MeasureError::Pin { core, source })
}

fn taskset(core: usize) -> io::Result<()> {
    let link = fs::read_link("/proc/thread-self")?;
    let thread = link.file_name().ok_or_else(|| io::Error::other("/proc/thread-self names no thread"))?;
    let output = Command::new("taskset")
        .args(["--cpu-list", "--pid", &core.to_string()])
        .arg(thread)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| io::Error::new(error.kind(), format!("taskset of util-linux is needed: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

/// Returns the cores that the calling thread may use, sorted.
///
/// # Errors
/// `/proc` does not list them.
pub fn cores() -> Result<Vec<usize>, MeasureError> {
    let status = read("/proc/thread-self/status")?;
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    Ok(list.map(parse_list).unwrap_or_default())
}

/// Parses a list such as `0-3,8`.
fn parse_list(list: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse::<usize>().ok()?..=last.parse().ok()?)
    };
    list.trim().split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        assert_eq!(parse_list("\t0-2,5\n"), [0, 1, 2, 5]);
        assert!(parse_list("").is_empty());
    }

    #[test]
    fn a_server_needs_a_core_of_its_own() {
        let first = cores().unwrap()[0];
        for (server, generator) in [(first, first), (first, 100_000)] {
            assert!(Cores { server, generator }.check().is_err());
        }
    }

    #[test]
    fn a_thread_stays_where_it_is_put() {
        let last = cores().unwrap().pop().unwrap();
        let seen = std::thread::spawn(move || {
            pin(last).unwrap();
            cores().unwrap()
        });
        assert_eq!(seen.join().unwrap(), [last]);
        assert!(pin(100_000).is_err());
    }
}
