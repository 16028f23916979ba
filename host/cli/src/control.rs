//! `tuffet reload` and `tuffet status`: commands to the running server.

use super::{print, print_json, print_stderr, status_text};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tuffet_daemon::Reply;

#[derive(Debug, Args)]
pub(super) struct ControlArgs {
    /// The server's configuration file, which names its control socket.
    #[arg(long, value_name = "FILE", conflicts_with = "control")]
    config: Option<PathBuf>,
    /// The server's control socket. Default, without --config: the default path.
    #[arg(long, value_name = "PATH")]
    control: Option<PathBuf>,
}

impl ControlArgs {
    /// Returns the given configuration file.
    pub(super) fn file(&self) -> Option<&Path> {
        self.config.as_deref()
    }

    /// Returns the path of the control socket.
    pub(super) fn socket(&self) -> Option<PathBuf> {
        self.control.clone().or_else(|| tuffet_config::control_of(self.config.as_deref()))
    }
}

#[derive(Debug, Args)]
pub(super) struct StatusArgs {
    #[command(flatten)]
    server: ControlArgs,
    /// Print the status as one line of JSON.
    #[arg(long)]
    json: bool,
    /// Print the live view: counters, running transfers, recently ended requests, the last ten minutes; as JSON.
    #[arg(long)]
    live: bool,
    /// Print all metrics, in the text format of Prometheus.
    #[arg(long, conflicts_with_all = ["live", "json"])]
    metrics: bool,
}

/// Reloads. Exit code: 0 if the server reloaded, 1 if it refused, 69 if no server answers.
pub(super) fn reload(args: &ControlArgs) -> ExitCode {
    let status = args.socket().and_then(|socket| tuffet_daemon::send_command(&socket, "status").ok());
    let Some(Reply::Status(report)) = status else { return ask(args, "reload", "", false) };
    if let (Some(wanted), Some(its)) = (&args.config, &report.config)
        && !same_file(wanted, its)
    {
        print_stderr(format_args!(
            "refused: the server that answers there (process {}) runs with {}, not with {}; name its file, or the \
             control socket of the other server with --control",
            report.process,
            its.display(),
            wanted.display()
        ));
        return ExitCode::from(1);
    }
    let file = report.config.map_or("flags alone".into(), |file| file.display().to_string());
    ask(args, "reload", &format!(" (process {}, {file})", report.process), false)
}

/// Returns whether both paths lead to the same file; compares the paths themselves if the files do not exist.
fn same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path)).ok();
    real(one) == real(other)
}

/// Prints the status. Exit code: 0 if all is well, 1 if the last reload was refused, 69 if no server answers.
pub(super) fn status(args: &StatusArgs) -> ExitCode {
    let question = match args {
        StatusArgs { live: true, .. } => "live",
        StatusArgs { metrics: true, .. } => "metrics",
        StatusArgs { .. } => "status",
    };
    ask(&args.server, question, "", args.json)
}

/// Sends a command and prints the answer. `of` names the reloaded server; `json` is for the status.
fn ask(args: &ControlArgs, question: &str, of: &str, json: bool) -> ExitCode {
    let socket = args.socket();
    let Some(socket) = socket else {
        print_stderr(
            "the server has no control socket; write `control: PATH` in its configuration, or send it SIGHUP",
        );
        return ExitCode::from(69);
    };
    match tuffet_daemon::send_command(&socket, question) {
        Ok(Reply::Reloaded(generation)) => {
            print(&format!("reloaded: generation {generation}{of}\n"));
            ExitCode::SUCCESS
        }
        Ok(Reply::Refused(reasons)) => {
            print_stderr(format_args!(
                "refused; the old configuration stays in use:\n{}",
                reasons.join("\n")
            ));
            ExitCode::from(1)
        }
        Ok(Reply::Status(report)) => {
            let shown = serde_json::json!(report);
            if json {
                print_json(shown)
            } else {
                print(&status_text::text(&shown))
            }
            ExitCode::from(u8::from(!report.ready))
        }
        Ok(Reply::Live(snapshot)) => {
            print_json(serde_json::json!(snapshot));
            ExitCode::SUCCESS
        }
        Ok(Reply::Metrics(text)) => {
            print(&text);
            ExitCode::SUCCESS
        }
        Ok(Reply::Busy) => {
            print_stderr("the server has as many viewers as it allows; close one of them");
            ExitCode::from(69)
        }
        Ok(_) => {
            print_stderr(format_args!("the server does not know `{question}`: it has another version"));
            ExitCode::from(76)
        }
        Err(error) => {
            print_stderr(format_args!(
                "no server answers at {}: {error}; start it, or name its socket with --control or its file with --config",
                socket.display()
            ));
            ExitCode::from(69)
        }
    }
}
