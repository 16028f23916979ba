//! `tuffet check`.

use super::complain;
use crate::features;
use crate::server::{self, ServeError};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use tuffet_config::{Config, Overrides, reach};

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// The YAML file.
    file: PathBuf,
    /// Who would serve, where root starts the server: as `tuffet serve --user`.
    #[arg(long, value_name = "USER")]
    user: Option<String>,
}

pub(super) fn check(args: &CheckArgs) -> ExitCode {
    reach::look_by_process(true);
    let overrides = Overrides { user: args.user.clone(), ..Overrides::default() };
    let config = Config::load_with(&args.file, &overrides);
    let config = config.and_then(|config| features::check(&config).map(|()| config));
    match config.map_err(ServeError::from).and_then(|config| server::check(&config)) {
        Ok(warnings) => {
            for warning in warnings {
                complain(format_args!("warning: {warning}"));
            }
            println!("{}: good", args.file.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            complain(&error);
            ExitCode::from(error.exit_code())
        }
    }
}
