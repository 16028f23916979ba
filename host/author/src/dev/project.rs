//! The project, and the commands that this process runs in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, io};

use super::stop::Stop;
use crate::build::CONFIG;
use tuffet_terminal::print_stderr;

/// A project, by absolute paths.
pub(super) struct Project {
    pub folder: PathBuf,
    pub config: PathBuf,
    /// Whether the configuration was named on the command line.
    pub named: bool,
}

impl Project {
    pub fn find(folder: &Path, config: Option<&Path>) -> Result<Project, String> {
        let absolute = |path: &Path| {
            path.canonicalize()
                .map_err(|error| format!("{}: {error}; name the folder of a project", path.display()))
        };
        let folder = absolute(folder)?;
        let named = config.is_some();
        let config = config.map_or_else(|| folder.join(CONFIG), Path::to_owned);
        let config = config.canonicalize().map_err(|error| {
            format!("{}: {error}; name the configuration of a server with --config", config.display())
        })?;
        Ok(Project { folder, config, named })
    }

    /// Runs `tuffet` in the folder, with the output of this process. Returns whether it succeeded; false if a signal
    /// ended it.
    pub fn run(&self, words: &[&std::ffi::OsStr], stop: &Stop) -> bool {
        let child = tuffet()
            .and_then(|mut tuffet| tuffet.args(words).current_dir(&self.folder).stdin(Stdio::null()).spawn());
        match child {
            Ok(child) => stop.wait_for(child).is_some_and(|status| status.success()),
            Err(error) => {
                print_stderr(format_args!("tuffet cannot be run: {error}"));
                false
            }
        }
    }
}

/// This program.
pub(super) fn tuffet() -> io::Result<Command> {
    Ok(Command::new(env::current_exe()?))
}
