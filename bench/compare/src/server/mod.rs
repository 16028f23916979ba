//! The servers: installation, start and stop.

mod list;
mod log;
mod probe;
mod process;
mod tuffet;
mod watchers;

pub use list::SERVERS;
pub(crate) use log::{LogPosition, quantile};
pub(crate) use probe::{ProbeAnswer, probe};
pub use process::{Placement, Server};
pub(crate) use tuffet::{with_all_settings, with_inventory, with_settings};

use crate::install::{Installed, Installer};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The name of the floor: a program that does the least that UDP sockets require.
pub const FLOOR: &str = "floor";

/// Whether this is the name of another project's server.
pub fn is_peer(name: &str) -> bool {
    SERVERS.iter().any(|contender| contender.name == name && contender.is_peer())
}

/// A server that can take part.
pub struct Contender {
    /// The name for `--peer` and in the results.
    pub name: &'static str,
    /// Whether it is a variant of Tuffet, or the floor: such servers take part only in cases that name them.
    pub variant: bool,
    pub install: fn(&Installer, &OwnPrograms) -> Result<Installed, String>,
    /// The command that serves in the foreground, without flags that cost speed.
    pub command: fn(&Installed, &Launch<'_>) -> Result<Command, String>,
    /// Whether it accepts uploads.
    pub uploads: bool,
    /// Whether it can only listen on port 69, and so needs root.
    pub port_69: bool,
    /// The number of its cores, if the machine has enough beside the generator's.
    pub cores: usize,
    /// The most open transfers: a server with a process for each has its limit.
    pub max_open: u32,
    /// How it is watched.
    pub watched: &'static [Way],
    /// Whether its first start takes about a minute in a debug build; smoke runs skip it.
    pub slow_start: bool,
}

/// The paths of this project's programs.
#[derive(Debug, Clone)]
pub struct OwnPrograms {
    pub tuffet: PathBuf,
    /// `tuffet-micro`, for the floor; other benchmarks do not use it.
    pub micro: Option<PathBuf>,
}

/// The arguments for starting a server.
#[derive(Debug)]
pub struct Launch<'a> {
    /// Where it listens.
    pub address: SocketAddr,
    /// The served folder, also for uploads.
    pub root: &'a Path,
    pub uploads: bool,
    /// The folder for its own files.
    pub scratch: &'a Path,
    /// The addresses of its watchers, if it has any.
    pub watch: Option<WatchAddresses>,
}

/// A way of watching a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The plugin `audit`, which writes a chained line for each transfer to a file.
    Audit,
    /// The plugin `publish`, which sends live events over UDP.
    Publish,
    /// Traces over OTLP.
    Traces,
    /// Metrics over OTLP.
    Metrics,
    /// Log records over OTLP.
    Logs,
    /// Two viewers of the live view.
    Views,
}

impl Way {
    /// All of them.
    const ALL: &'static [Way] = &[Way::Audit, Way::Publish, Way::Traces, Way::Metrics, Way::Logs, Way::Views];

    /// Whether it needs a collector.
    fn exports(self) -> bool {
        matches!(self, Way::Traces | Way::Metrics | Way::Logs)
    }
}

/// How a server is watched, and the addresses of it and its watchers.
#[derive(Debug, Clone, Copy)]
pub struct WatchAddresses {
    /// The ways.
    pub ways: &'static [Way],
    /// The collector.
    pub collector: SocketAddr,
    /// The receiver of live events.
    pub bus: SocketAddr,
    /// Its admin listener.
    pub admin: SocketAddr,
}

impl Contender {
    /// Whether it is Tuffet or a variant of it.
    pub fn is_tuffet(&self) -> bool {
        self.name == "tuffet" || (self.variant && self.name != FLOOR)
    }

    /// Whether it is the server of another project.
    pub fn is_peer(&self) -> bool {
        self.name != "tuffet" && !self.variant
    }
}
