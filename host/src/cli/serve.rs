//! `tuffet serve`.

use super::complain;
use crate::server::{self, ServeError};
use crate::telemetry::LogBridge;
use clap::{Args, ValueEnum};
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};
use tuffet_config::{Config, EXIT_CONFIG, Overrides};

#[derive(Debug, Clone, Args)]
pub(super) struct ServeArgs {
    /// The YAML file; without it, --root and --listen say all that is needed.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Serve this folder, in place of the roots of the file.
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Listen here, in place of the listeners of the file; IP:PORT or [IPv6]:PORT, port 0 is any free
    /// one. May be given several times.
    #[arg(long, value_name = "ADDR")]
    listen: Vec<String>,
    /// Threads that move blocks; the number of cores unless given.
    #[arg(long, value_name = "N")]
    workers: Option<usize>,
    /// Answer from the listening port: for NAT, containers and load balancers.
    #[arg(long)]
    single_port: bool,
    /// Accept uploads.
    #[arg(long)]
    writable: bool,
    /// Who serves, where root starts it: a name or a number, in place of `privileges.user`. Without either,
    /// `tuffet` where there is such a user, else `nobody`.
    #[arg(long, value_name = "USER")]
    user: Option<String>,
    /// How log lines look.
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    log_format: LogFormat,
    /// What is logged: a level (error, warn, info, debug, trace), or directives such as
    /// `warn,tuffet::transfer=info`.
    #[arg(long, value_name = "FILTER", default_value = "info")]
    log: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

pub(super) fn serve(args: &ServeArgs) -> ExitCode {
    let filter = match EnvFilter::try_new(&args.log) {
        Ok(filter) => filter,
        Err(error) => {
            complain(format_args!(
                "--log {:?}: {error}; write a level such as info, or target=level",
                args.log
            ));
            return ExitCode::from(EXIT_CONFIG);
        }
    };
    // What is exported has a filter of its own: `--log` is about standard error.
    let log = tracing_subscriber::registry().with(LogBridge.with_filter(LogBridge::filter()));
    let lines = fmt::layer().with_writer(io::stderr);
    match args.log_format {
        LogFormat::Text => {
            let terminal = io::IsTerminal::is_terminal(&io::stderr());
            log.with(lines.with_ansi(terminal).with_filter(filter)).init();
        }
        LogFormat::Json => log.with(lines.json().flatten_event(true).with_filter(filter)).init(),
    }
    let its = args.clone();
    match server::serve(Arc::new(move || configure(&its))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::from(error.exit_code())
        }
    }
}

fn configure(args: &ServeArgs) -> Result<Config, ServeError> {
    if let Some(root) = &args.root {
        server::require_folder(root)?;
    }
    let overrides = Overrides {
        root: args.root.clone(),
        listen: args.listen.clone(),
        workers: args.workers,
        single_port: args.single_port,
        writable: args.writable,
        user: args.user.clone(),
    };
    Ok(match &args.config {
        Some(file) => Config::load_with(file, &overrides)?,
        None => Config::from_flags(&overrides)?,
    })
}
