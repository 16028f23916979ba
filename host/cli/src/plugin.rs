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
        let of_user = |stays_root| {
            default_compiled(stays_root).filter(|folder| may_fill_code_cache(folder, &Privileges::default()))
        };
        // Root uses its own, if a server that stayed root has made one.
        of_user(false).or_else(|| of_user(true))
    }

    fn become_server(&self, config: &Config) -> Result<(), Refusal> {
        let done = privileges::prepare(config).and_then(|_| privileges::become_server(config));
        done.map(drop).map_err(|error: PrivilegeError| {
            let error = ServeError::from(error);
            Refusal { message: error.to_string(), exit_code: error.exit_code() }
        })
    }
}
