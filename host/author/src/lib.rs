//! `tuffet plugin …`: the tools of plugin authors, on the server's own runtime.

mod annotate;
mod bench;
mod build;
mod case;
mod check;
mod component;
mod dev;
mod diff;
mod driver;
mod error;
mod export;
mod files;
mod input;
mod inspect;
mod lab;
mod manifest;
mod new;
mod plugin_args;
mod program;
mod record;
mod registry;
mod run;
pub mod schema;
mod settings_schema;
mod stale;
mod starting_point;
mod test;
mod wit;

pub use program::{Refusal, ServerProgram};

use std::process::ExitCode;

use clap::Subcommand;

use tuffet_config::reach;

#[derive(Debug, Subcommand)]
#[allow(missing_docs, reason = "clap would show it in place of the command's own help")]
pub enum PluginCommand {
    /// Create a plugin: a folder NAME with a project that builds, tests, cases and a configuration.
    ///
    /// Exit code 0, 64 if NAME already exists, 73 if it cannot be written.
    New(new::NewArgs),
    /// Build the plugin of a project, and check it.
    ///
    /// The component becomes FOLDER/NAME.wasm. It is checked with its settings and grants in
    /// FOLDER/tuffet.yaml, or with those given here. Exit code 0 if it is valid, 1 if it does not compile, 64
    /// if there is no project or the check fails, 69 if the compiler is missing, 73 if it cannot be written.
    Build(build::BuildArgs),
    /// Build, test and reload a plugin after each change of its project, and show requests as they come.
    ///
    /// Runs a server with the configuration of the project, or reloads the one that runs already. If a build fails,
    /// the last good component stays active. Ends with Ctrl-C. Exit code 0, or 64 if there is no project, no configuration or
    /// no control socket.
    Dev(dev::DevArgs),
    /// Put a manifest or the schema of its settings into a component that another tool built, in place of an older one.
    ///
    /// Exit code 0, 64 if manifest, schema or component is invalid, 73 if the result cannot be written.
    Annotate(annotate::AnnotateArgs),
    /// Write the WIT of one plugin into FOLDER, for a toolchain of your own.
    ///
    /// Its world `plugin` exports the hooks and imports the interfaces of the grants, and nothing else: toolchains
    /// that import the whole world then ask for no grant in excess. Exit code 0, or 73 if it cannot be written.
    Wit(wit::WitArgs),
    /// Show a plugin's hooks, imports, requested grants, settings, size and digest, and a configuration to begin with.
    ///
    /// Runs no code of the plugin. With oci://…, also shows its manifest in the registry. Exit code 0, 1 if the registry
    /// does not provide it, or 64 if it is not a plugin.
    Inspect(inspect::InspectArgs),
    /// Pull a component from a registry into a file, or all of a configuration for its server.
    ///
    /// `pull REF -o FILE` writes a file. `pull --config FILE` fills the folder from which the server starts without
    /// a network; run by root, it does so as the server's user. Exit code 0, 1 if one cannot be pulled, 64 if the
    /// configuration is invalid, 73 if the file cannot be written.
    Pull(registry::PullArgs),
    /// Push a component to a registry, and print its reference with its digest.
    ///
    /// The login is that of `docker login`, unless the configuration has one. The same file is the same artifact
    /// again: its time stamp is that of the file, or `SOURCE_DATE_EPOCH`. Exit code 0, 1 if the registry does not take
    /// it, or 64 if it is not a plugin.
    Push(registry::PushArgs),
    /// Load a plugin as a server would and let it check its settings.
    ///
    /// Exit code 0 if it is valid, 64 if not.
    Check(check::CheckArgs),
    /// Run a plugin with one request.
    ///
    /// The call has no effect outside, except for HTTP requests: keys are in memory and discarded afterwards,
    /// and lines sent to sinks are shown. Exit code 0 if the plugin answered, 1 if the call failed, 64 if the
    /// plugin cannot be loaded.
    Run(run::RunArgs),
    /// Run a plugin with the requests of case files, and compare its answers with the expected ones.
    ///
    /// Files, keys, HTTP answers and MAC addresses come from the case, the clock stands still, and random
    /// numbers are constant. A call of the host that the case does not answer fails the case. Exit code 0 if
    /// all cases pass, 1 if one fails, 64 if a file is invalid.
    Test(test::TestArgs),
    /// Measure the cost of a plugin's calls, with fresh instances and with a reused one.
    ///
    /// Exit code 0, 1 if a call failed, 64 if the plugin cannot be loaded.
    Bench(bench::BenchArgs),
}

/// Runs a command. `server` is the program that contains these tools.
pub fn run(command: &PluginCommand, server: &dyn ServerProgram) -> ExitCode {
    reach::check_by_process(true);
    match command {
        PluginCommand::New(args) => new::new(args),
        PluginCommand::Build(args) => build::build(args, server),
        PluginCommand::Dev(args) => dev::dev(args),
        PluginCommand::Annotate(args) => annotate::annotate(args),
        PluginCommand::Wit(args) => wit::wit(args),
        PluginCommand::Inspect(args) => inspect::inspect(args, server),
        PluginCommand::Pull(args) => registry::pull(args, server),
        PluginCommand::Push(args) => registry::push(args, server),
        PluginCommand::Check(args) => check::check(args, server),
        PluginCommand::Run(args) => run::run(args, server),
        PluginCommand::Test(args) => test::test(args, server),
        PluginCommand::Bench(args) => bench::bench(args, server),
    }
}
