//! `tuffet plugin dev`: after each change of a project, builds it, runs its cases and reloads its server. Meanwhile
//! shows the requests of that server.
//!
//! Builds and cases run as child processes, with the commands that authors use by hand.

mod changes;
mod control;
mod live;
mod log;
mod output;
mod project;
mod server;
mod stop;

use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;

use crate::error::EXIT_SYSTEM;
use changes::Tree;
use output::say;
use project::Project;
use server::Server;
use stop::Stop;
use tuffet_config::EXIT_CONFIG;
use tuffet_terminal::print_stderr;

/// The interval at which the project is polled; a change is complete once nothing changes for as long.
const POLL: Duration = Duration::from_millis(300);

#[derive(Debug, Args)]
pub struct DevArgs {
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

pub(crate) fn dev(args: &DevArgs) -> ExitCode {
    let project = match Project::find(&args.folder, args.config.as_deref()) {
        Ok(project) => project,
        Err(message) => {
            print_stderr(message);
            return ExitCode::from(EXIT_CONFIG);
        }
    };
    let stop = match Stop::on_signals() {
        Ok(stop) => stop,
        Err(error) => {
            print_stderr(format_args!("the signals that end this command cannot be watched: {error}"));
            return ExitCode::from(EXIT_SYSTEM);
        }
    };
    let mut server = match Server::find(&project, args.control.clone()) {
        Ok(server) => server,
        Err(message) => {
            print_stderr(message);
            return ExitCode::from(EXIT_CONFIG);
        }
    };
    follow(&project, &mut server, &stop);
    server.end();
    ExitCode::SUCCESS
}

/// Handles one change after the other, until a signal asks this process to end.
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
        server.poll();
        thread::sleep(POLL);
    }
}

/// Builds the project, runs its cases and reloads the server.
fn round(project: &Project, server: &mut Server, stop: &Stop) {
    let began = Instant::now();
    let mut build = vec!["plugin".as_ref(), "build".as_ref(), ".".as_ref()];
    if project.named {
        build.extend(["--config".as_ref(), project.config.as_os_str()]);
    }
    if !project.run(&build, stop) {
        if !stop.requested() {
            say(&format!("not built; {}", server.without_component()));
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
    match server.activate(stop) {
        Ok(what) => say(&format!("{what}, after {:.1} s{remark}", began.elapsed().as_secs_f64())),
        Err(message) => say(&format!("{message}{remark}")),
    }
}
