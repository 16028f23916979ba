//! Subcommands that this build leaves out: they are known, and say how to get them.

use super::complain;
use crate::features::how_to_get;
use clap::Args;
use std::ffi::OsString;
use std::process::ExitCode;
use tuffet_config::EXIT_CONFIG;

/// Whatever the subcommand would take.
#[derive(Debug, Args)]
pub(super) struct AbsentArgs {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _any: Vec<OsString>,
}

pub(super) fn refuse(subcommand: &str) -> ExitCode {
    complain(format_args!(
        "this build of tuffet leaves out `tuffet {subcommand}`; {}",
        how_to_get(subcommand)
    ));
    ExitCode::from(EXIT_CONFIG)
}
