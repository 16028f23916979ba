//! `tuffet serve`.

use super::print_stderr;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tracing_subscriber::Layer;
use tuffet_config::{Config, EXIT_CONFIG, LogFormat, LogSpec, Overrides, TimeSpan, reach};
use tuffet_daemon::logging::Log;
use tuffet_daemon::source::{Source, Watched, installed};
use tuffet_daemon::{ServeError, StartOptions};
use tuffet_observe::telemetry::LogBridge;

/// The shortest interval between two fetches of the configuration.
const MIN_INTERVAL: Duration = Duration::from_millis(100);

/// The exit code if the system refuses what a start needs.
const EXIT_SYSTEM: u8 = 71;

#[derive(Debug, Clone, Args)]
pub(super) struct ServeArgs {
    /// The YAML file, or its URL: https://HOST/PATH, or nats://HOST:PORT/BUCKET/KEY for a key in NATS JetStream (tls://
    /// for TLS). Without it, --root and --listen are required.
    #[arg(long, value_name = "FILE|URL")]
    config: Option<PathBuf>,
    /// A file with the token for the URL of --config, or with NATS credentials.
    #[arg(long, value_name = "FILE", requires = "config")]
    config_auth: Option<PathBuf>,
    /// Reload when the configuration has changed. A URL is fetched every TIME [default: 30s].
    #[arg(long, value_name = "TIME", requires = "config", num_args = 0..=1, require_equals = true)]
    watch: Option<Option<TimeSpan>>,
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
    /// Take over from the running server with the same control socket, without a gap: this server gets its ports, and it
    /// ends when its transfers have.
    #[arg(long)]
    take_over: bool,
    /// Serve below a small parent process, so that `tuffet restart` and service managers replace the server without a
    /// gap. At a stop the parent ends at once, and the server when its transfers have. Not for containers.
    #[arg(long)]
    restartable: bool,
    /// Set by the parent process.
    #[arg(long, hide = true)]
    under_parent: bool,
    /// The format of log lines; replaces `log.format` [default: text].
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    log_format: Option<LogFormat>,
    /// What to log: a level (error, warn, info, debug, trace, off), or directives such as
    /// `warn,tuffet::transfer=info`; replaces `log.level` [default: info].
    #[arg(long, value_name = "FILTER")]
    log: Option<String>,
    /// Where the log goes: `stderr`, `syslog` (the local server) or a file; replaces `log.to` [default: stderr].
    #[arg(long, value_name = "stderr|syslog|FILE")]
    log_to: Option<String>,
    /// What was written without its flag.
    #[arg(hide = true)]
    without_flag: Option<PathBuf>,
}

pub(super) fn serve(args: &ServeArgs) -> ExitCode {
    if let Some(mistake) = mistake(args) {
        print_stderr(mistake);
        return ExitCode::from(EXIT_CONFIG);
    }
    if args.restartable && !args.under_parent {
        return match tuffet_daemon::supervise(std::env::args_os().skip(1).collect(), print_stderr) {
            Ok(code) => code,
            Err(error) => {
                print_stderr(format_args!("the server cannot be started: {error}"));
                ExitCode::from(EXIT_SYSTEM)
            }
        };
    }
    // Until the configuration is read. `--log` does not apply to the export, which has a separate filter.
    let default = LogSpec::default();
    let first = LogSpec {
        level: args.log.clone().unwrap_or(default.level),
        format: args.log_format.unwrap_or(default.format),
        to: default.to,
        started: default.started,
    };
    let log = match Log::begin(&first, LogBridge.with_filter(LogBridge::filter())) {
        Ok(log) => log,
        Err(error) => {
            print_stderr(format_args!("--log {:?}: {error}", first.level));
            return ExitCode::from(EXIT_CONFIG);
        }
    };
    let source = args.config.as_deref().map(|config| Source::of(config, args.config_auth.as_deref()));
    let source = match source.transpose() {
        Ok(source) => source.map(Arc::new),
        Err(message) => {
            print_stderr(format_args!("--config: {message}"));
            return ExitCode::from(EXIT_CONFIG);
        }
    };
    let watched = match (&source, args.watch) {
        (Some(source), Some(every)) => {
            let every = every.map(|TimeSpan(every)| every.max(MIN_INTERVAL));
            Some(Watched::new(Arc::clone(source), every))
        }
        _ => None,
    };
    let its = args.clone();
    let options = StartOptions { take_over: args.take_over, under_parent: args.under_parent };
    match tuffet_daemon::serve(Arc::new(move || configure(&its, source.as_deref())), watched, options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            log.print_stderr(&error);
            if let Some(installed) = installed_instead(args) {
                log.print_stderr(installed);
            }
            ExitCode::from(error.exit_code())
        }
    }
}

/// Returns the parser of the formats, with what each is for.
fn formats() -> impl TypedValueParser<Value = LogFormat> {
    let described = |format: LogFormat| {
        PossibleValue::new(format.as_str()).help(match format {
            LogFormat::Text => "For people",
            LogFormat::Json => "An object for each line",
            LogFormat::TftpHpa => "Requests as tftpd-hpa logs them, all else as text",
            LogFormat::Dnsmasq => "Requests as dnsmasq logs them, all else as text",
        })
    };
    PossibleValuesParser::new(LogFormat::ALL.map(described)).try_map(|word| word.parse::<LogFormat>())
}

/// Returns what to write if nothing names what to serve, or something without a flag.
fn mistake(args: &ServeArgs) -> Option<String> {
    if let Some(path) = &args.without_flag {
        let shown = path.display();
        return Some(if path.is_dir() {
            format!("{shown}: folders have a flag: write `tuffet serve --root {shown} --listen 0.0.0.0:69`")
        } else {
            format!("{shown}: the configuration has a flag: write `tuffet serve --config {shown}`")
        });
    }
    if args.config.is_some() || args.root.is_some() || !args.listen.is_empty() {
        return None;
    }
    let here = Some(PathBuf::from("tuffet.yaml")).filter(|file| file.is_file());
    let files = here.into_iter().chain(installed());
    let files: Vec<String> =
        files.map(|file| format!("`tuffet serve --config {}`", file.display())).collect();
    let config = if files.is_empty() { "`tuffet serve --config FILE`".into() } else { files.join(" or ") };
    Some(format!(
        "nothing says what to serve: write {config}; a folder alone needs no configuration: `tuffet serve --root DIR \
         --listen 0.0.0.0:69`"
    ))
}

/// Returns what to write if the configuration is no readable file, and packages have installed one.
fn installed_instead(args: &ServeArgs) -> Option<String> {
    let config = args.config.as_deref().filter(|config| !is_url(config))?;
    let installed = installed().filter(|installed| installed != config)?;
    let unreadable = File::open(config).is_err() || config.is_dir();
    unreadable.then(|| {
        let installed = installed.display();
        format!("{installed} is the installed configuration: `tuffet serve --config {installed}`")
    })
}

fn is_url(config: &Path) -> bool {
    config.to_str().is_some_and(|config| config.contains("://"))
}

fn configure(args: &ServeArgs, source: Option<&Source>) -> Result<Config, ServeError> {
    if let Some(root) = &args.root {
        // A hanging folder is served as soon as it answers.
        if reach::answers(root) {
            tuffet_daemon::require_folder(root)?;
        }
    }
    let overrides = Overrides {
        root: args.root.clone(),
        listen: args.listen.clone(),
        workers: args.workers,
        single_port: args.single_port,
        writable: args.writable,
        user: args.user.clone(),
        log: args.log.clone(),
        log_format: args.log_format,
        log_to: args.log_to.clone(),
    };
    match source {
        Some(source) => Ok(source.read(&overrides)?),
        None => Ok(Config::from_flags(&overrides)?),
    }
}
