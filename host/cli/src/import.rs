//! `tuffet import`: the crate `tuffet-import`, which checks plugins with this server.

use std::process::ExitCode;
use tuffet_config::Config;
use tuffet_daemon::ServeError;
use tuffet_import::{CheckError, ImportArgs};

pub(super) fn import(args: &ImportArgs) -> ExitCode {
    tuffet_import::import(args, &check_plugins)
}

fn check_plugins(config: &Config) -> Result<(), CheckError> {
    tuffet_daemon::check_plugins(config).map_err(|error| match error {
        ServeError::Config(error) => CheckError::Refused(error),
        error => CheckError::Failed(error.to_string()),
    })
}
