//! `tuffet plugin …`: tools for the authors of plugins, on the runtime of the server itself.

mod bench;
mod build;
mod bytes;
mod case;
mod check;
mod diff;
mod events;
mod host;
mod inspect;
mod lab;
mod new;
mod record;
mod request;
mod run;
mod subject;
mod test;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Subcommand;

use super::complain;
use crate::server::ServeError;

#[derive(Debug, Subcommand)]
pub(super) enum PluginCommand {
    /// Begin a plugin: a folder NAME with a project that builds, its tests, cases and a configuration.
    ///
    /// Exit code 0, 64 if there is something of this name already, 73 if it cannot be written.
    New(new::NewArgs),
    /// Build the plugin of a project, and check it.
    ///
    /// The component becomes FOLDER/NAME.wasm. It is checked with the settings and grants that
    /// FOLDER/tuffet.yaml has for it, or with what is given here. Exit code 0 if it is good, 1 if it does not
    /// compile, 64 if there is no project or the check finds it wrong, 69 if the compiler is missing, 73 if
    /// it cannot be written.
    Build(build::BuildArgs),
    /// Show what a plugin says of itself: hooks, imports, the grants that it asks for, size and digest.
    ///
    /// Nothing of it runs. Exit code 0, or 64 if it is no plugin.
    Inspect(inspect::InspectArgs),
    /// Load a plugin as a server would and let it check its settings.
    ///
    /// Exit code 0 if it is good, 64 if not.
    Check(check::CheckArgs),
    /// Ask a plugin about one request.
    ///
    /// Nothing that it does has an effect outside, but for requests by HTTP: keys are in memory and gone
    /// afterwards, what it sends to sinks is shown. Exit code 0 if it answered, 1 if the call failed, 64 if
    /// it cannot be loaded.
    Run(run::RunArgs),
    /// Ask a plugin about the requests of case files, and compare its verdicts with what they expect.
    ///
    /// Files, keys, answers by HTTP and MAC addresses are those of the case, the clock stands, and random
    /// numbers are constant; a call of the host that the case does not answer fails it. Exit code 0 if all cases pass, 1
    /// if one fails, 64 if a file is wrong.
    Test(test::TestArgs),
    /// Measure what a call of a plugin costs, with a fresh instance for each and with one that is kept.
    ///
    /// Exit code 0, 1 if a call failed, 64 if it cannot be loaded.
    Bench(bench::BenchArgs),
}

pub(super) fn run(command: &PluginCommand) -> ExitCode {
    match command {
        PluginCommand::New(args) => new::new(args),
        PluginCommand::Build(args) => build::build(args),
        PluginCommand::Inspect(args) => inspect::inspect(args),
        PluginCommand::Check(args) => check::check(args),
        PluginCommand::Run(args) => run::run(args),
        PluginCommand::Test(args) => test::test(args),
        PluginCommand::Bench(args) => bench::bench(args),
    }
}

/// Says what is wrong, and gives the exit code.
fn wrong(error: impl Into<ServeError>) -> ExitCode {
    let error = error.into();
    complain(&error);
    ExitCode::from(error.exit_code())
}

/// Prints to standard output; a reader that closes early, such as head(1), is no error.
fn print(text: &str) {
    let _ = io::stdout().write_all(text.as_bytes());
}
