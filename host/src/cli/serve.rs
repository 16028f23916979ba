//! `tuffet serve`.

use super::complain;
use crate::features;
use crate::logging::{Format, Log};
use crate::server::{self, ServeError};
use crate::telemetry::LogBridge;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use tracing_subscriber::Layer;
use tuffet_config::{Config, EXIT_CONFIG, Overrides, reach};

#[derive(Debug, Clone, Args)]
pub(super) struct ServeArgs {
    /// The YAML file. Without it, --root and --listen are required.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Serve this folder; replaces the roots of the file.
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Listen on IP:PORT or [IPv6]:PORT; replaces the listeners of the file. Port 0 selects any free port.
    /// May be repeated.
    #[arg(long, value_name = "ADDR")]
    listen: Vec<String>,
    /// The number of threads that move blocks [default: the number of cores].
    #[arg(long, value_name = "N")]
    workers: Option<usize>,
    /// Answer from the listening port: for NAT, containers and load balancers.
    #[arg(long)]
    single_port: bool,
    /// Accept uploads.
    #[arg(long)]
    writable: bool,
    /// The user to become when root starts the server, by name or number; replaces `privileges.user`
    /// [default: `tuffet` if that user exists, else `nobody`].
    #[arg(long, value_name = "USER")]
    user: Option<String>,
    /// The format of log lines. Tools for tftpd-hpa and dnsmasq read requests in the last two.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    log_format: Format,
    /// What to log: a level (error, warn, info, debug, trace, off), or directives such as
    /// `warn,tuffet::transfer=info`.
    #[arg(long, value_name = "FILTER", default_value = "info")]
    log: String,
}

pub(super) fn serve(args: &ServeArgs) -> ExitCode {
    // What is exported has a filter of its own: `--log` is about standard error.
    let log = match Log::begin(args.log_format, &args.log, LogBridge.with_filter(LogBridge::filter())) {
        Ok(log) => log,
        Err(error) => {
            complain(format_args!("--log {:?}: {error}", args.log));
            return ExitCode::from(EXIT_CONFIG);
        }
    };
    let its = args.clone();
    match server::serve(Arc::new(move || configure(&its))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            log.complain(&error);
            ExitCode::from(error.exit_code())
        }
    }
}

fn configure(args: &ServeArgs) -> Result<Config, ServeError> {
    if let Some(root) = &args.root {
        // One that hangs is served when it answers.
        if reach::answers(root) {
            server::require_folder(root)?;
        }
    }
    let overrides = Overrides {
        root: args.root.clone(),
        listen: args.listen.clone(),
        workers: args.workers,
        single_port: args.single_port,
        writable: args.writable,
        user: args.user.clone(),
    };
    let config = match &args.config {
        Some(file) => Config::load_with(file, &overrides)?,
        None => Config::from_flags(&overrides)?,
    };
    features::check(&config)?;
    Ok(config)
}
