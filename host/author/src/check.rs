//! `tuffet plugin check`.

use std::process::ExitCode;

use clap::Args;

use crate::error::fail;
use crate::lab::Lab;
use crate::plugin_args::{PluginArgs, Unloaded};
use crate::program::ServerProgram;
use tuffet_terminal::{print, print_stderr};
use tuffet_wasm::READ_CLOCK;

#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    plugin_args: PluginArgs,
}

pub(crate) fn check(args: &CheckArgs, server: &dyn ServerProgram) -> ExitCode {
    check_plugin(&args.plugin_args, server).map_or_else(ExitCode::from, |()| ExitCode::SUCCESS)
}

/// Loads a plugin and prints the result.
///
/// # Errors
/// It cannot be loaded: that was printed.
pub(crate) fn check_plugin(plugin_args: &PluginArgs, server: &dyn ServerProgram) -> Result<(), Unloaded> {
    let planned = plugin_args.plan().map_err(fail)?;
    let lab = Lab::open(server).map_err(fail)?;
    let trial = planned.load(&lab)?;
    if trial.has_read_unasked_clock() {
        print_stderr(format_args!("warning: {plugin_args}: {READ_CLOCK}"));
    }
    let hooks: Vec<&str> = trial.hooks().iter().map(|hook| hook.word()).collect();
    print(&format!("{}: good ({})\n", plugin_args, hooks.join(", ")));
    Ok(())
}
