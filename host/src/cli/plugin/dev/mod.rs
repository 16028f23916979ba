//! `tuffet plugin dev`: after each change of a project, builds it, runs its cases and reloads the server that
//! runs it; and shows the requests of that server as they come.
//!
//! Builds and cases run as processes of their own, with the commands that authors use by hand.

mod changes;
mod live;
mod log;
mod server;
mod stop;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use std::{env, io, thread};

use clap::Args;

use super::super::complain;
use changes::Tree;
use server::Server;
use stop::Stop;
use tuffet_config::EXIT_CONFIG;

/// The pause between two looks at the project, and the time for which a change must have come to an end.
const POLL: Duration = Duration::from_millis(300);

#[derive(Debug, Args)]
pub(in crate::cli) struct DevArgs {
    /// The project's folder.
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
    /// The configuration of the server [default: FOLDER/tuffet.yaml].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Reload the server at this control socket, instead of running one.
    #[arg(long, value_name = "PATH")]
    control: Option<PathBuf>,
}

/// A project, by absolute paths.
struct Project {
    folder: PathBuf,
    config: PathBuf,
    /// Whether the configuration was named on the command line.
    named: bool,
}

pub(super) fn dev(args: &DevArgs) -> ExitCode {
    let project = match Project::find(args) {
        Ok(project) => project,
        Err(message) => {
            complain(message);
            return ExitCode::from(EXIT_CONFIG);
        }
    };
    let stop = match Stop::on_signals() {
        Ok(stop) => stop,
        Err(error) => {
            complain(format_args!("the signals that end this command cannot be watched: {error}"));
            return ExitCode::from(71);
        }
    };
    let mut server = match Server::of(&project, args.control.clone()) {
        Ok(server) => server,
        Err(message) => {
            complain(message);
            return ExitCode::from(EXIT_CONFIG);
        }
    };
    follow(&project, &mut server, &stop);
    server.end();
    ExitCode::SUCCESS
}

/// Works off one change after the other, until this process is to end.
fn follow(project: &Project, server: &mut Server, stop: &Stop) {
    let (mut done, mut before) = (None, Tree::default());
    while !stop.requested() {
        let now = Tree::read(&project.folder, &project.config, &before);
        // An editor may be in the middle of writing.
        if now == before && done.as_ref() != Some(&now) {
            done = Some(now.clone());
            round(project, server, stop);
        }
        before = now;
        server.look();
        thread::sleep(POLL);
    }
}

/// Builds, tries out, reloads.
fn round(project: &Project, server: &mut Server, stop: &Stop) {
    let began = Instant::now();
    let mut build = vec!["plugin".as_ref(), "build".as_ref(), ".".as_ref()];
    if project.named {
        build.extend(["--config".as_ref(), project.config.as_os_str()]);
    }
    if !project.run(&build, stop) {
        if !stop.requested() {
            say(&format!("not built; {}", server.goes_on()));
        }
        return;
    }
    let cases = project.folder.join("cases.yaml");
    let failed =
        cases.is_file() && !project.run(&["plugin".as_ref(), "test".as_ref(), "cases.yaml".as_ref()], stop);
    if stop.requested() {
        return;
    }
    let remark = if failed { "; a case failed" } else { "" };
    match server.take_up(stop) {
        Ok(what) => say(&format!("{what}, after {:.1} s{remark}", began.elapsed().as_secs_f64())),
        Err(message) => say(&format!("{message}{remark}")),
    }
}

impl Project {
    fn find(args: &DevArgs) -> Result<Project, String> {
        let absolute = |path: &Path| {
            path.canonicalize()
                .map_err(|error| format!("{}: {error}; name the folder of a project", path.display()))
        };
        let folder = absolute(&args.folder)?;
        let config = args.config.clone().unwrap_or_else(|| folder.join(super::build::CONFIG));
        let config = config.canonicalize().map_err(|error| {
            format!("{}: {error}; name the configuration of a server with --config", config.display())
        })?;
        Ok(Project { folder, config, named: args.config.is_some() })
    }

    /// Runs `tuffet` in the folder, with the output of this process. Returns whether it succeeded; it does not
    /// if this process is to end.
    fn run(&self, words: &[&std::ffi::OsStr], stop: &Stop) -> bool {
        let child = tuffet()
            .and_then(|mut tuffet| tuffet.args(words).current_dir(&self.folder).stdin(Stdio::null()).spawn());
        match child {
            Ok(child) => stop.or_end_of(child).is_some_and(|status| status.success()),
            Err(error) => {
                complain(format_args!("tuffet cannot be run: {error}"));
                false
            }
        }
    }
}

/// This program.
fn tuffet() -> io::Result<Command> {
    Ok(Command::new(env::current_exe()?))
}

/// Prints a line about this command itself.
fn say(what: &str) {
    super::print(&format!("dev: {what}\n"));
}
