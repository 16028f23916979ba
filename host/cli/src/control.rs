//! `tuffet reload` and `tuffet status`: commands to the running server.

use super::{print, print_json, print_stderr, status_text};
use clap::Args;
use std::fmt;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tuffet_config::{Config, EXIT_CONFIG};
use tuffet_daemon::{ReloadCheck, Reply};

#[derive(Debug, Clone, Args)]
pub(super) struct ControlArgs {
    /// The server's configuration file, which names its control socket.
    #[arg(long, value_name = "FILE", conflicts_with = "control", global = true)]
    config: Option<PathBuf>,
    /// The server's control socket. Default, without --config: the default path.
    #[arg(long, value_name = "PATH", global = true)]
    control: Option<PathBuf>,
}

impl ControlArgs {
    /// Returns the given configuration file.
    pub(super) fn file(&self) -> Option<&Path> {
        self.config.as_deref()
    }

    /// Returns the path of the control socket. What answers there is the server of the given file, if anything does.
    ///
    /// # Errors
    /// There is none, the file cannot be read, or another server answers.
    pub(super) fn socket(&self) -> Result<PathBuf, SocketError> {
        if let Some(control) = &self.control {
            return Ok(control.clone());
        }
        if let Some(url) = self.config.as_ref().filter(|config| config.to_string_lossy().contains("://")) {
            return Err(SocketError::File(format!(
                "{}: only a server reads its configuration there; name its control socket with --control",
                url.display()
            )));
        }
        let socket = match tuffet_config::control_of(self.config.as_deref()) {
            Ok(Some(socket)) => socket,
            Ok(None) => return Err(SocketError::None),
            Err(error) => return Err(SocketError::File(error.to_string())),
        };
        if let Some(wanted) = &self.config
            && let Ok(Reply::Status(report)) = tuffet_daemon::send_command(&socket, "status")
            && let Some(its) = report.config.filter(|its| !same_file(wanted, its))
        {
            return Err(SocketError::Another { process: report.process, its, wanted: wanted.clone() });
        }
        Ok(socket)
    }

    /// Returns the running server, or without one the given configuration.
    ///
    /// # Errors
    /// Neither is possible.
    pub(super) fn place(&self) -> Result<Place, CommandError> {
        let failed = match self.socket() {
            Ok(socket) => match UnixStream::connect(&socket) {
                Ok(_) => return Ok(Place::Server(socket)),
                Err(error) => no_server(&socket, &error),
            },
            Err(SocketError::None) => "the server has no control socket".to_owned(),
            Err(error) => return Err(CommandError::new(error.code(), error)),
        };
        let Some(file) = self.file() else {
            return Err(CommandError::unavailable(format_args!(
                "{failed}; start it, or name the configuration with --config: then no server is needed"
            )));
        };
        let config = Config::load(file).map_err(|error| CommandError::new(EXIT_CONFIG, error))?;
        Ok(Place::Here(Box::new(config), failed))
    }
}

/// Where a command is carried out.
pub(super) enum Place {
    /// In the running server, behind this socket.
    Server(PathBuf),
    /// Here, because no server answers, for this reason.
    Here(Box<Config>, String),
}

/// Why a command failed, and its exit code.
#[derive(Debug)]
pub(super) struct CommandError {
    pub(super) why: String,
    pub(super) code: u8,
}

impl CommandError {
    pub(super) fn new(code: u8, why: impl fmt::Display) -> CommandError {
        CommandError { why: why.to_string(), code }
    }

    /// Neither a server nor what it uses is there.
    pub(super) fn unavailable(why: impl fmt::Display) -> CommandError {
        CommandError::new(69, why)
    }
}

/// Returns the exit code of a command: 0 if all is well, else 1, or that of its error, which is printed.
pub(super) fn exit_code(done: Result<bool, CommandError>) -> ExitCode {
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(CommandError { why, code }) => {
            print_stderr(why);
            ExitCode::from(code)
        }
    }
}

/// Returns that no server answers at this socket.
pub(super) fn no_server(socket: &Path, error: &io::Error) -> String {
    format!("no server answers at {}: {error}", socket.display())
}

/// Why a command has no control socket.
pub(super) enum SocketError {
    /// The server has none.
    None,
    /// The configuration cannot be read.
    File(String),
    /// The server that answers runs with another file.
    Another { process: u32, its: PathBuf, wanted: PathBuf },
}

impl SocketError {
    /// Exit code: 64 for a mistake in the file, else 69.
    pub(super) fn code(&self) -> u8 {
        match self {
            SocketError::None | SocketError::Another { .. } => 69,
            SocketError::File(_) => EXIT_CONFIG,
        }
    }
}

impl fmt::Display for SocketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SocketError::None => {
                f.write_str("the server has no control socket; write `control: PATH` in its configuration")
            }
            SocketError::File(why) => f.write_str(why),
            SocketError::Another { process, its, wanted } => write!(
                f,
                "refused: the server that answers there (process {process}) runs with {}, not with {}; name its file, or \
                 the control socket of the other server with --control",
                its.display(),
                wanted.display()
            ),
        }
    }
}

/// The server of a command without further arguments: its file need not have a flag.
#[derive(Debug, Args)]
pub(super) struct ServerArgs {
    /// The same as --config FILE.
    #[arg(value_name = "FILE", conflicts_with_all = ["config", "control"])]
    file: Option<PathBuf>,
    #[command(flatten)]
    control: ControlArgs,
}

impl ServerArgs {
    pub(super) fn control(&self) -> ControlArgs {
        ControlArgs {
            config: self.file.clone().or_else(|| self.control.config.clone()),
            ..self.control.clone()
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct ReloadArgs {
    #[command(flatten)]
    server: ServerArgs,
    /// Reload nothing: print what a reload would change, or why it would be refused.
    #[arg(long)]
    check: bool,
}

#[derive(Debug, Args)]
pub(super) struct StatusArgs {
    #[command(flatten)]
    server: ServerArgs,
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

/// Replaces the running server by a new process. Exit code: 0 if the new one answers requests, 1 if it could not start or
/// runs with another file, 64 if its file cannot be read, 69 if no server answers.
pub(super) fn restart(args: &ServerArgs) -> ExitCode {
    match args.control().socket() {
        Ok(socket) => ask(&socket, "restart", "", false),
        Err(error) => {
            print_stderr(&error);
            let is_refused = matches!(error, SocketError::Another { .. });
            ExitCode::from(if is_refused { 1 } else { error.code() })
        }
    }
}

/// Reloads, or asks what that would do. Exit code: 0 if the server reloaded or would, 1 if it refused or runs with another
/// file, 64 if its file cannot be read,
/// 69 if no server answers.
pub(super) fn reload(args: &ReloadArgs) -> ExitCode {
    let socket = match args.server.control().socket() {
        Ok(socket) => socket,
        Err(error) => {
            let otherwise = if matches!(error, SocketError::None) { ", or send it SIGHUP" } else { "" };
            print_stderr(format_args!("{error}{otherwise}"));
            let is_refused = matches!(error, SocketError::Another { .. });
            return ExitCode::from(if is_refused { 1 } else { error.code() });
        }
    };
    let of = match tuffet_daemon::send_command(&socket, "status") {
        Ok(Reply::Status(report)) => {
            let file = report.config.map_or("flags alone".into(), |file| file.display().to_string());
            format!(" (process {}, {file})", report.process)
        }
        _ => String::new(),
    };
    ask(&socket, if args.check { "reload check" } else { "reload" }, &of, false)
}

/// Returns whether both paths lead to the same file; compares the paths themselves if the files do not exist.
fn same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path)).ok();
    real(one) == real(other)
}

/// Prints the status. Exit code: 0 if the server is ready, 1 if not, 64 if the server's file cannot be
/// read, 69 if no server answers.
pub(super) fn status(args: &StatusArgs) -> ExitCode {
    let question = match args {
        StatusArgs { live: true, .. } => "live",
        StatusArgs { metrics: true, .. } => "metrics",
        StatusArgs { .. } => "status",
    };
    match args.server.control().socket() {
        Ok(socket) => ask(&socket, question, "", args.json),
        Err(error) => {
            print_stderr(&error);
            ExitCode::from(error.code())
        }
    }
}

/// Prints what a reload would do.
fn print_check(check: &ReloadCheck, of: &str) -> ExitCode {
    for warning in &check.warnings {
        print_stderr(format_args!("warning: {warning}"));
    }
    if !check.refused.is_empty() {
        print_stderr(format_args!(
            "a reload would be refused, and nothing would change:\n{}",
            check.refused.join("\n")
        ));
        return ExitCode::from(1);
    }
    let changes: Vec<String> = check.changes.iter().map(|change| format!("  {change}\n")).collect();
    let what = match changes.is_empty() {
        true => {
            "the file says what the server runs with; secrets, components and files of plugins are read again\n"
        }
        false => "it would change:\n",
    };
    print(&format!("a reload would succeed{of}; {what}{}", changes.concat()));
    ExitCode::SUCCESS
}

/// Sends a command and prints the answer. `of` names the reloaded server; `json` is for the status.
fn ask(socket: &Path, question: &str, of: &str, json: bool) -> ExitCode {
    match tuffet_daemon::send_command(socket, question) {
        Ok(Reply::Reloaded(generation)) => {
            print(&format!("reloaded: generation {generation}{of}\n"));
            ExitCode::SUCCESS
        }
        Ok(Reply::Restarted) => {
            print(&format!("restarted{of}; the server before ends when its transfers have\n"));
            ExitCode::SUCCESS
        }
        Ok(Reply::Refused(reasons)) if question == "restart" => {
            print_stderr(format_args!("not restarted: {}", reasons.join("\n")));
            ExitCode::from(1)
        }
        Ok(Reply::Refused(reasons)) => {
            print_stderr(format_args!(
                "refused; the old configuration stays in use:\n{}",
                reasons.join("\n")
            ));
            ExitCode::from(1)
        }
        Ok(Reply::Checked(check)) => print_check(&check, of),
        Ok(Reply::Status(report)) => {
            let shown = serde_json::json!(report);
            if json {
                print_json(shown)
            } else {
                print(&status_text::text(&shown))
            }
            ExitCode::from(u8::from(!report.state.ready))
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
