//! The setup of every comparison: flags, programs, a core for each side, servers, files.

use crate::command::last_lines;
use crate::files::Workplace;
use crate::generator::Generator;
use crate::install::{Installed, Installer};
use crate::load::{Load, Report};
use crate::server::{Contender, OwnPrograms, SERVERS, Server};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tuffet_measure::{Busy, CoreMeter, Cores};

/// The duration of the idle baseline of the servers' core.
const IDLE: Duration = Duration::from_millis(1_500);

/// The highest idle baseline, in percent, of a core for measuring.
pub(crate) const QUIET: f64 = 5.0;

/// The programs of this project, and the folder for fetched ones.
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

/// The common flags of comparisons with peers.
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
    /// Returns the path of the server.
    ///
    /// # Errors
    /// It does not exist.
    pub(crate) fn tuffet(&self) -> Result<PathBuf, String> {
        existing_program(program_path(self.tuffet.as_deref(), "tuffet")?, "tuffet")
    }

    /// Returns the path of the load generator.
    ///
    /// # Errors
    /// It does not exist.
    pub(crate) fn load(&self) -> Result<PathBuf, String> {
        existing_program(program_path(self.load.as_deref(), "tuffet-load")?, "tuffet-load")
    }

    /// Returns the folder, created if missing.
    ///
    /// # Errors It cannot be created.
    pub(crate) fn cache(&self) -> Result<PathBuf, String> {
        let path = std::path::absolute(&self.cache).map_err(|error| error.to_string())?;
        std::fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }
}

/// Returns the absolute path of the given program, or of the one beside this program.
///
/// # Errors The path of this program is unknown.
pub(crate) fn program_path(given: Option<&Path>, name: &str) -> Result<PathBuf, String> {
    let found = match given {
        Some(path) => Ok(path.to_owned()),
        None => std::env::current_exe().map(|own| own.with_file_name(name)),
    };
    found.and_then(std::path::absolute).map_err(|error| format!("{name}: {error}"))
}

/// Returns the program if it exists.
///
/// # Errors
/// How to get it.
pub(crate) fn existing_program(program: PathBuf, name: &str) -> Result<PathBuf, String> {
    if program.is_file() {
        return Ok(program);
    }
    Err(format!(
        "{} is not there: `cargo build --release --workspace --bin {name}` builds it",
        program.display()
    ))
}

/// Runs single cases: one core for the servers, files in memory, the generator.
pub(crate) struct Rig {
    pub(crate) place: Workplace,
    /// The core of the servers.
    pub(crate) core: usize,
    /// Its idle baseline.
    pub(crate) idle: Busy,
    generator: Generator,
    installer: Installer,
    own_programs: OwnPrograms,
}

impl Rig {
    /// Pins this program to the generator's core. `fetch`: peers may be fetched and built.
    ///
    /// # Errors A program or a core is missing.
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
            installer: Installer { cache, may_install: fetch && !setup.no_install },
            own_programs: OwnPrograms { tuffet, micro: None },
        })
    }

    /// The idle baseline of the server's core in percent.
    pub(crate) fn idle_percent(&self) -> f64 {
        self.idle.busy * 100.0 / self.idle.seconds.max(1e-6)
    }

    /// Installs the server of this name.
    ///
    /// # Errors There is no such server, or it is not available.
    pub(crate) fn install(&self, name: &str) -> Result<(Contender, Installed), String> {
        let known = SERVERS.iter().find(|server| server.name == name);
        let known = known.ok_or_else(|| format!("{name}: no such server"))?;
        Ok((Contender { ..*known }, (known.install)(&self.installer, &self.own_programs)?))
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
