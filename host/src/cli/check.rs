//! `tuffet check`.

use super::complain;
use crate::features;
use crate::server::{self, ServeError};
use clap::Args;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use tuffet_config::{Config, ConfigError, Overrides, reach};

/// What standard input is called in messages.
const STDIN: &str = "<stdin>";
/// Problems that are listed; more are only counted.
const MAX_LISTED: usize = 100;
/// Beyond this many problems, a last line counts them.
const MANY: usize = 5;

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// The YAML file; - reads standard input, whose paths are relative to the current folder.
    file: PathBuf,
    /// Who would serve, where root starts the server: as `tuffet serve --user`.
    #[arg(long, value_name = "USER")]
    user: Option<String>,
    /// Pull components from registries that have not been pulled, for the server and for this check.
    #[arg(long)]
    pull: bool,
}

pub(super) fn check(args: &CheckArgs) -> ExitCode {
    reach::look_by_process(true);
    let overrides = Overrides { user: args.user.clone(), ..Overrides::default() };
    let is_stdin = args.file.as_os_str() == "-";
    let config = if is_stdin {
        Config::read(io::stdin(), STDIN, &overrides)
    } else {
        Config::load_with(&args.file, &overrides)
    };
    let config = config.and_then(|config| features::check(&config).map(|()| config));
    match config.map_err(ServeError::from).and_then(|config| server::check(&config, args.pull)) {
        Ok(warnings) => {
            for warning in warnings {
                complain(format_args!("warning: {warning}"));
            }
            println!("{}: good", if is_stdin { STDIN.into() } else { args.file.display().to_string() });
            ExitCode::SUCCESS
        }
        Err(error) => {
            match &error {
                ServeError::Config(error) => complain(summary(error)),
                error => complain(error),
            }
            ExitCode::from(error.exit_code())
        }
    }
}

/// Lists the problems, and says what else there is to correct or to check.
fn summary(error: &ConfigError) -> String {
    let problems = error.problems();
    let mut lines: Vec<String> = problems.iter().take(MAX_LISTED).map(ToString::to_string).collect();
    let more = match problems.len().saturating_sub(MAX_LISTED) {
        0 => String::new(),
        more => format!(", {more} of them not listed"),
    };
    let count = match problems.len() {
        1 => "1 problem".to_owned(),
        count => format!("{count} problems"),
    };
    match error.not_checked() {
        Some(rest) => {
            lines.push(format!(
                "{count}{more}; there may be more: {rest} are checked when these are corrected"
            ));
        }
        None if problems.len() > MANY => lines.push(format!("{count}{more}")),
        None => {}
    }
    lines.join("\n")
}
