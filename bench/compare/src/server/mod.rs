//! The servers: how each is had, started and stopped.

mod audience;
mod decisions;
mod list;
mod probe;
mod running;
mod tuffet;

pub(crate) use decisions::{Mark, quantile};
pub use list::SERVERS;
pub(crate) use probe::{Answer, probe};
pub use running::{Server, Where};
pub(crate) use tuffet::{with_all_settings, with_inventory, with_settings};

use crate::install::{Installed, Workshop};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A server that can take part.
pub struct Contender {
    /// For `--peer`, and the key in the results.
    pub name: &'static str,
    /// Whether it is Tuffet set up differently.
    pub variant: bool,
    pub install: fn(&Workshop, &Places) -> Result<Installed, String>,
    /// The command that serves in the foreground, at its best: flags that cost it speed are left out.
    pub command: fn(&Installed, &Launch<'_>) -> Result<Command, String>,
    /// Whether it takes uploads.
    pub uploads: bool,
    /// Whether it can only listen on port 69, and so only for root.
    pub port_69: bool,
    /// Cores that it gets, as far as there are so many beside the generator's.
    pub cores: usize,
    /// How many transfers it is asked to hold open at most: a process for each has its limit.
    pub max_open: u32,
    /// Whether a collector and viewers of the live view are there.
    pub watched: bool,
    /// Whether its first start takes a minute or so, in a build for development: no smoke run waits for that.
    pub slow_start: bool,
}

/// Where the programs of this project are.
#[derive(Debug, Clone)]
pub struct Places {
    pub tuffet: PathBuf,
}

/// With what a server is started.
#[derive(Debug)]
pub struct Launch<'a> {
    /// Where it listens.
    pub address: SocketAddr,
    /// What it serves, and where uploads go.
    pub root: &'a Path,
    pub uploads: bool,
    /// For its own files.
    pub scratch: &'a Path,
    /// Where it is watched, if it is.
    pub watch: Option<Watch>,
}

/// Where a server tells about itself.
#[derive(Debug, Clone, Copy)]
pub struct Watch {
    /// The collector.
    pub collector: SocketAddr,
    /// Who takes live events.
    pub bus: SocketAddr,
    /// Where its admin listener is to be.
    pub admin: SocketAddr,
}

impl Contender {
    /// Whether it is Tuffet, in any form.
    pub fn is_tuffet(&self) -> bool {
        self.name == "tuffet" || self.variant
    }
}
