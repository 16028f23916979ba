//! What every comparison needs around it: flags, programs, a core for each side, servers, files.

use crate::command::last_lines;
use crate::files::Workplace;
use crate::generator::Generator;
use crate::install::{Installed, Workshop};
use crate::load::{Load, Report};
use crate::server::{Contender, Places, SERVERS, Server};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tuffet_measure::{Busy, CoreMeter, Cores};

/// How long the core of the servers is watched with nothing to do.
const IDLE: Duration = Duration::from_millis(1_500);

/// A core that is busier than this (in percent) with nothing to do is not for measuring.
pub(crate) const QUIET: f64 = 5.0;

/// The programs of this project, and where fetched ones are kept.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Programs {
    /// The measured server [default: `tuffet` beside this program]
    #[arg(long, value_name = "PROGRAM")]
    tuffet: Option<PathBuf>,
    /// The load generator [default: `tuffet-load` beside this program]
    #[arg(long, value_name = "PROGRAM")]
    load: Option<PathBuf>,
    /// The folder for fetched and built peers and for compiled plugins
    #[arg(long, value_name = "DIR", default_value = "target/peers")]
    cache: PathBuf,
}

/// What the comparisons with peers have in common.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Setup {
    #[command(flatten)]
    pub(crate) programs: Programs,
    /// Use only installed peers; fetch and build nothing
    #[arg(long)]
    pub(crate) no_install: bool,
    #[command(flatten)]
    pub(crate) cores: Cores,
}

impl Programs {
    /// The server.
    ///
    /// # Errors
    /// When it is not there.
    pub(crate) fn tuffet(&self) -> Result<PathBuf, String> {
        there(beside(self.tuffet.as_deref(), "tuffet")?, "tuffet")
    }

    /// The load generator.
    ///
    /// # Errors
    /// When it is not there.
    pub(crate) fn load(&self) -> Result<PathBuf, String> {
        there(beside(self.load.as_deref(), "tuffet-load")?, "tuffet-load")
    }

    /// The folder, made if it was not there.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn cache(&self) -> Result<PathBuf, String> {
        let path = std::path::absolute(&self.cache).map_err(|error| error.to_string())?;
        std::fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }
}

/// The program that was named, or the one that lies beside this one; as an absolute path.
///
/// # Errors
/// When this program's own place cannot be told.
pub(crate) fn beside(given: Option<&Path>, name: &str) -> Result<PathBuf, String> {
    let found = match given {
        Some(path) => Ok(path.to_owned()),
        None => std::env::current_exe().map(|own| own.with_file_name(name)),
    };
    found.and_then(std::path::absolute).map_err(|error| format!("{name}: {error}"))
}

/// The program, if it is there.
///
/// # Errors
/// How to get it.
pub(crate) fn there(program: PathBuf, name: &str) -> Result<PathBuf, String> {
    if program.is_file() {
        return Ok(program);
    }
    Err(format!(
        "{} is not there: `cargo build --release --workspace --bin {name}` builds it",
        program.display()
    ))
}

/// What runs single cases: one core for the servers, files in memory, the generator.
pub(crate) struct Rig {
    pub(crate) place: Workplace,
    /// Of the servers.
    pub(crate) core: usize,
    /// How busy it is with nothing to do.
    pub(crate) idle: Busy,
    generator: Generator,
    workshop: Workshop,
    places: Places,
}

impl Rig {
    /// Keeps this program to the generator's core from now on. `fetch`: peers may be fetched and built.
    ///
    /// # Errors
    /// When a program or a core is missing.
    pub(crate) fn new(setup: &Setup, fetch: bool) -> Result<Rig, String> {
        let (tuffet, program) = (setup.programs.tuffet()?, setup.programs.load()?);
        tuffet_measure::raise_descriptors();
        setup.cores.keep().map_err(|error| error.to_string())?;
        let cache = setup.programs.cache()?;
        let place = Workplace::new(&cache).map_err(|error| error.to_string())?;
        let core = setup.cores.server;
        Ok(Rig {
            core,
            idle: CoreMeter::baseline(&[core], IDLE).map_err(|error| error.to_string())?,
            generator: Generator { program, files: place.files(), downloads: place.downloads() },
            place,
            workshop: Workshop { cache, may_install: fetch && !setup.no_install },
            places: Places { tuffet },
        })
    }

    /// How busy the server's core is with nothing to do, in percent.
    pub(crate) fn idle_percent(&self) -> f64 {
        self.idle.busy * 100.0 / self.idle.seconds.max(1e-6)
    }

    /// The server of this name, which may be changed.
    ///
    /// # Errors
    /// When there is no such server, or it cannot be had.
    pub(crate) fn install(&self, name: &str) -> Result<(Contender, Installed), String> {
        let known = SERVERS.iter().find(|server| server.name == name);
        let known = known.ok_or_else(|| format!("{name}: no such server"))?;
        Ok((Contender { ..*known }, (known.install)(&self.workshop, &self.places)?))
    }

    /// Runs a load to its end.
    ///
    /// # Errors
    /// As [`Generator::load_with`]; with the server's last words if it has ended.
    pub(crate) fn load(
        &self,
        server: &mut Server,
        address: SocketAddr,
        load: &Load,
        file: &str,
        flags: &[&str],
    ) -> Result<Report, String> {
        let report = self.generator.load_with(address, load, file, "w", flags);
        report.map_err(|error| match server.lives() {
            true => error,
            false => format!("{error}; {}", last_lines(&server.last_words())),
        })
    }
}
