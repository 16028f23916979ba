//! `tuffet plugin inspect`.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;

use super::super::complain;
use super::lab::{self, Lab};
use tuffet_config::EXIT_CONFIG;
use tuffet_policy::Inspected;

#[derive(Debug, Args)]
pub(in crate::cli) struct InspectArgs {
    /// The component: a file, or builtin:NAME.
    #[arg(value_name = "COMPONENT")]
    component: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn inspect(args: &InspectArgs) -> ExitCode {
    let lab = match Lab::open() {
        Ok(lab) => lab,
        Err(error) => return super::wrong(error),
    };
    match Inspected::of(lab.runtime(), &lab::source(&args.component, Path::new(""))) {
        Ok(inspected) if args.json => super::print(&format!("{:#}\n", serde_json::json!(inspected))),
        Ok(inspected) => super::print(&inspected.text()),
        Err(message) => {
            complain(format_args!("{}: {message}", args.component));
            return ExitCode::from(EXIT_CONFIG);
        }
    }
    ExitCode::SUCCESS
}
