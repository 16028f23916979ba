//! `tuffet doctor`: checks the host settings for the server, and prints the commands that fix them.
//!
//! Each check covers one thing and returns [`Finding`]s. All reads of `/proc` and `/sys` go through
//! [`System`], so that the checks can be tested on any machine.

mod files;
mod finding;
mod kernel;
mod network;
mod occupant;
mod offload;
mod ports;
mod privileges;
mod process;
mod rate;
mod roots;
mod system;
mod walk;

use super::{print, print_json, print_stderr};
use clap::Args;
use finding::{Finding, Grade, Report};
pub(super) use ports::taken as taken_ports;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use system::System;
use tuffet_config::{Config, Overrides, reach};
use tuffet_engine::worker::SocketUse;
pub(super) use walk::{NAME as WALKER, work_as_process};

#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// The server's configuration file [default: a server with one listener on 0.0.0.0:69].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The same as --config FILE.
    #[arg(value_name = "FILE", conflicts_with = "config")]
    file: Option<PathBuf>,
    /// Print one line of JSON.
    #[arg(long)]
    json: bool,
    /// Skip the transfers over loopback, which take two seconds.
    #[arg(long)]
    no_rate: bool,
}

/// The server to check.
struct Subject {
    config: Config,
    /// Its file; `None` if there is none, and so no folder to check.
    file: Option<PathBuf>,
    /// The number of sockets that the server would inherit for each listener.
    inherited: Vec<usize>,
    /// The process ID of the server that runs with this configuration.
    serving: Option<u32>,
}

impl Subject {
    fn of(file: Option<PathBuf>) -> Result<Subject, tuffet_config::ConfigError> {
        let config = match &file {
            Some(file) => Config::load(file)?,
            None => Config::from_flags(&Overrides {
                root: Some("/".into()),
                listen: vec![SocketAddr::from(([0, 0, 0, 0], 69)).to_string()],
                ..Overrides::default()
            })?,
        };
        let inherited = vec![0; config.settings.listeners.len()];
        Ok(Subject { config, file, inherited, serving: None })
    }

    /// The UDP sockets of the server, if it may open this many files; `None` is no limit.
    fn sockets(&self, descriptors: Option<u64>) -> SocketUse {
        tuffet_server::needed_sockets(&self.config.settings, descriptors)
    }
}

/// Runs the checks. Exit code: 0 if nothing is wrong, 1 if something is, 64 if the configuration is.
pub(super) fn doctor(args: &DoctorArgs) -> ExitCode {
    reach::check_by_process(true);
    let mut subject = match Subject::of(args.file.clone().or_else(|| args.config.clone())) {
        Ok(subject) => subject,
        Err(error) => {
            print_stderr(&error);
            return ExitCode::from(tuffet_config::EXIT_CONFIG);
        }
    };
    let mut findings = Vec::new();
    // Before there are threads.
    match tuffet_daemon::count_inherited(&subject.config) {
        Ok(inherited) => subject.inherited = inherited,
        Err(error) => findings.push(Finding::new("inherited sockets", Grade::Wrong, error.to_string())),
    }
    let system = System::real();
    let running = match privileges::report_of(&subject.config) {
        Ok(running) => running,
        Err(finding) => {
            findings.push(*finding);
            None
        }
    };
    subject.serving = running.as_ref().map(|report| report.process);
    findings.extend(examine(&system, &subject, running.as_ref()));
    let mut rates = Vec::new();
    if !args.no_rate {
        let (finding, measured) = rate::measure();
        findings.push(finding);
        rates = measured;
    }
    let report = Report { grade: Finding::worst(&findings), findings, rates };
    if args.json {
        print_json(serde_json::json!(report))
    } else {
        print(&report.to_string())
    }
    ExitCode::from(u8::from(report.grade == Grade::Wrong))
}

fn examine(
    system: &System,
    subject: &Subject,
    running: Option<&tuffet_server::status::Report>,
) -> Vec<Finding> {
    let mut findings = vec![
        kernel::receive_buffers(system, &kernel::granted()),
        kernel::send_buffers(system, &kernel::granted()),
        kernel::backlog(system),
        kernel::udp_memory(system, subject.sockets(None)),
    ];
    findings.extend(network::mtu(system, &subject.config));
    findings.extend(offload::check());
    let (listeners, workers) = (&subject.config.settings.listeners, subject.config.settings.workers);
    let listeners = || listeners.iter().zip(subject.inherited.iter().copied());
    findings.extend(listeners().map(|(listener, inherited)| match inherited {
        0 => ports::privilege(system, listener),
        _ => ports::needs_no_privilege(listener),
    }));
    findings.extend(listeners().map(|(listener, inherited)| match inherited {
        0 => ports::free(system, listener),
        _ => ports::inherited(listener, inherited, workers),
    }));
    findings.push(kernel::conntrack(system, &subject.config));
    findings.push(process::descriptors(system, subject));
    findings.push(process::cores(&subject.config));
    findings.push(process::memory(system, &subject.config));
    findings.push(process::pagemap(system, &subject.config));
    findings.push(kernel::clock(system));
    findings.push(privileges::seccomp(system, &subject.config));
    findings.push(privileges::landlock(&subject.config));
    let account = match tuffet_daemon::privileges::account_to_become(&subject.config.privileges) {
        Ok(account) => {
            findings.push(privileges::user(account.as_ref()));
            account
        }
        Err(error) => {
            findings.push(Finding::new("user of the server", Grade::Wrong, error.to_string()));
            None
        }
    };
    findings.extend(running.map(|report| privileges::running(system, report)));
    findings.extend(running.and_then(|report| privileges::confinement(system, report.process)));
    findings.extend(running.into_iter().flat_map(privileges::state));
    if subject.file.is_some() {
        findings.extend(files::of_server(&subject.config, account.as_ref()));
        findings.extend(files::of_unit(&subject.config));
        let unopened = &subject.config.unopened;
        findings.extend(subject.config.roots.iter().flat_map(|root| {
            match unopened.iter().find(|its| its.root == root.name) {
                Some(unopened) => vec![roots::unopened(root, unopened.why)],
                None => roots::check(root, account.as_ref()),
            }
        }));
    }
    findings
}
