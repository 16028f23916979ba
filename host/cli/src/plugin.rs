//! `tuffet plugin …`: the crate `tuffet-author`, within this server's program.

use super::{keys, replay};
use clap::Subcommand;
use std::path::PathBuf;
use std::process::ExitCode;
use tuffet_author::{Refusal, ServerProgram};
use tuffet_config::{Config, Privileges, default_compiled};
use tuffet_daemon::privileges::{self, PrivilegeError};
use tuffet_daemon::{ServeError, may_fill_code_cache};

#[derive(Debug, Subcommand)]
pub(super) enum PluginCommand {
    #[command(flatten)]
    Author(Box<tuffet_author::PluginCommand>),
    /// List, read, change, export and import the keys of a plugin (the grant `kv`).
    ///
    /// In the running server, or with --config without one. Exit code 0, 1 if a key is missing, 64 for a mistake in the
    /// arguments or the configuration, 66 if a file cannot be read, 69 if neither a server nor the store is there.
    Keys(keys::KeysArgs),
    /// Ask a changed configuration what it would answer to earlier requests, and print what differs.
    ///
    /// The requests are those of LOGs, or without one the last 1,000 of the running server. They are decided as by `tuffet
    /// explain`: nothing is sent or stored, and plugins have no keys. Exit code 0 if nothing differs, 1 if something does, 64
    /// for a mistake in the configuration, 66 if a LOG cannot be read, 69 if no server answers.
    Replay(replay::ReplayArgs),
}

pub(super) fn run(command: &PluginCommand) -> ExitCode {
    match command {
        PluginCommand::Author(command) => tuffet_author::run(command, &ThisProgram),
        PluginCommand::Keys(args) => keys::run(args),
        PluginCommand::Replay(args) => replay::run(args),
    }
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
