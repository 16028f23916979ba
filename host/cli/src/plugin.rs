//! `tuffet plugin …`: the crate `tuffet-author`, within this server's program.

use std::path::PathBuf;
use std::process::ExitCode;
use tuffet_author::{PluginCommand, Refusal, ServerProgram};
use tuffet_config::{Config, Privileges, default_compiled};
use tuffet_daemon::privileges::{self, PrivilegeError};
use tuffet_daemon::{ServeError, may_fill_code_cache};

pub(super) fn run(command: &PluginCommand) -> ExitCode {
    tuffet_author::run(command, &ThisProgram)
}

struct ThisProgram;

impl ServerProgram for ThisProgram {
    fn code_cache(&self) -> Option<PathBuf> {
        default_compiled().filter(|folder| may_fill_code_cache(folder, &Privileges::default()))
    }

    fn become_server(&self, config: &Config) -> Result<(), Refusal> {
        let done = privileges::prepare(config).and_then(|_| privileges::become_server(config));
        done.map(drop).map_err(|error: PrivilegeError| {
            let error = ServeError::from(error);
            Refusal { message: error.to_string(), exit_code: error.exit_code() }
        })
    }
}
