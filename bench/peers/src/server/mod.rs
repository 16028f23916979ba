//! The servers: how each is had, started and stopped.

mod audience;
mod decisions;
mod list;
mod probe;
mod running;
mod tuffet;

pub(crate) use decisions::{Mark, quantile};
pub(crate) use list::SERVERS;
pub(crate) use probe::{Answer, probe};
pub(crate) use running::Server;

use crate::install::{Installed, Workshop};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A server that can take part.
pub(crate) struct Contender {
    /// For `--peer`, and the key in the results.
    pub(crate) name: &'static str,
    /// Whether it is Tuffet set up differently.
    pub(crate) variant: bool,
    pub(crate) install: fn(&Workshop, &Places) -> Result<Installed, String>,
    /// The command that serves in the foreground, at its best: flags that cost it speed are left out.
    pub(crate) command: fn(&Installed, &Launch<'_>) -> Result<Command, String>,
    /// Whether it takes uploads.
    pub(crate) uploads: bool,
    /// Whether it can only listen on port 69, and so only for root.
    pub(crate) port_69: bool,
    /// Cores that it gets, as far as there are so many beside the generator's.
    pub(crate) cores: usize,
    /// How many transfers it is asked to hold open at most: a process for each has its limit.
    pub(crate) max_open: u32,
    /// Whether a collector and viewers of the live view are there.
    pub(crate) watched: bool,
}

/// Where the programs of this project are.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    pub(crate) tuffet: PathBuf,
}

/// With what a server is started.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// What it serves, and where uploads go.
    pub(crate) root: &'a Path,
    pub(crate) uploads: bool,
    /// For its own files.
    pub(crate) scratch: &'a Path,
    /// Where it is watched, if it is.
    pub(crate) watch: Option<Watch>,
}

/// Where a server tells about itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watch {
    /// The collector.
    pub(crate) collector: SocketAddr,
    /// Who takes live events.
    pub(crate) bus: SocketAddr,
    /// Where its admin listener is to be.
    pub(crate) admin: SocketAddr,
}

impl Contender {
    /// Whether it is Tuffet, in any form.
    pub(crate) fn is_tuffet(&self) -> bool {
        self.name == "tuffet" || self.variant
    }
}
