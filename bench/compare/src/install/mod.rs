//! Provides the programs: installed ones, or ones fetched and built once into a cache below `target/`. The machine
//! itself gets only shared libraries and compilers.

mod crates;
mod debian;
mod source;

pub(crate) use crates::crate_binary;
pub(crate) use debian::package_binary;
pub(crate) use source::source_binary;

use crate::command::{run, succeed};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// An available program.
#[derive(Debug, Clone)]
pub struct Installed {
    pub program: PathBuf,
    /// Its version, and its origin if that is not obvious.
    pub version: String,
}

/// Fetches and builds programs.
#[derive(Debug)]
pub struct Installer {
    /// The folder for fetched programs.
    pub cache: PathBuf,
    /// Whether it may fetch missing programs.
    pub may_install: bool,
}

/// The time limit of a download or a build.
const PATIENCE: Duration = Duration::from_secs(900);

impl Installer {
    /// Returns a folder of the cache, created if missing.
    fn folder(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.cache.join(name);
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(folder)
    }

    /// Installs Debian packages on this machine: required libraries and compilers.
    fn apt_install(&self, packages: &[String]) -> Result<(), String> {
        if packages.is_empty() {
            return Ok(());
        }
        if !rustix::process::geteuid().is_root() {
            return Err(format!("install these packages, or run as root: {}", packages.join(" ")));
        }
        let mut install = Command::new("apt-get");
        install.env("DEBIAN_FRONTEND", "noninteractive");
        install.args(["install", "--yes", "--no-install-recommends"]).args(packages);
        succeed(install, PATIENCE).map(drop)
    }
}

/// Returns the first line that `PROGRAM ARGUMENT` prints.
pub(crate) fn first_output_line(program: &Path, argument: &str) -> Option<String> {
    let mut command = Command::new(program);
    command.arg(argument);
    let done = run(command, Duration::from_secs(10)).ok()?;
    let text = if done.stdout.trim().is_empty() { done.stderr } else { done.stdout };
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

/// Finds a program on the PATH or in the folders of daemons.
pub fn on_this_machine(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let daemons = ["/usr/sbin", "/usr/local/sbin", "/sbin"].map(PathBuf::from);
    let mut folders = std::env::split_paths(&path).chain(daemons);
    folders.find_map(|folder| Some(folder.join(program)).filter(|file| file.is_file()))
}

fn nothing_installed(what: &str) -> String {
    format!("{what} is not here and nothing is to be fetched (--no-install)")
}
