//! The log: from events to lines on standard error, in a file, or at a syslog server.
//!
//! Lines wait in a bounded queue; one thread writes them. Nothing else in a server writes to standard error, panics
//! included. Only the message of an aborting runtime (memory, stack) bypasses the queue, and the reason why a log
//! elsewhere cannot be written.
//!
//! Flags decide on the first lines. Once the configuration is read, its section `log` applies ([`configure`]); once
//! privileges are dropped, its file is opened and the thread starts ([`start`]). A reload replaces both ([`prepare`]).

mod dialect;
mod fields;
mod filter;
mod form;
mod journal;
mod json;
mod line;
mod output;
mod panics;
mod queue;
mod sentences;

use dialect::DialectLines;
use form::{CurrentForm, Form};
use line::Lines;
use output::Output;
use queue::Queue;
use rustix::process::{getegid, geteuid};
use std::fmt::Display;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tracing::Level;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt, reload};
use tuffet_config::{Config, ConfigError, LogFormat, LogSpec, LogTarget};
use tuffet_observe::dialect::Dialect;
use tuffet_store::{Right, find_obstacle};

/// How long a process waits at its end until lines are written.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// The key of the levels in the configuration, and that of the target.
const LEVEL: &str = "/log/level";
const TARGET: &str = "/log/to";

/// The log of this process.
static LOG: OnceLock<Shared> = OnceLock::new();

/// The parts of the log that a configuration changes.
struct Shared {
    queue: Arc<Queue>,
    form: CurrentForm,
    /// Whether standard error is the journal.
    journal: bool,
    /// Replaces the filters of the text lines and of the lines in JSON. One of them is off.
    filter: Box<dyn Fn(EnvFilter, EnvFilter) + Send + Sync>,
}

/// The log of a serving process. Writes waiting lines on drop, as far as a reader takes them.
pub struct Log(&'static Shared);

impl Log {
    /// Starts to log to standard error with the levels and the format of `spec`, also to `layers`, which have separate
    /// filters.
    ///
    /// # Errors
    /// The filter is invalid, or standard error cannot be used.
    pub fn begin(spec: &LogSpec, layers: impl Layer<Registry> + Send + Sync) -> Result<Log, String> {
        let spec = LogSpec { to: LogTarget::Stderr, ..spec.clone() };
        let (text, json) = filters(&spec)?;
        let stderr = io::stderr();
        let output =
            stderr.as_fd().try_clone_to_owned().map_err(|error| format!("standard error: {error}"))?;
        let journal = journal::is_journal(&stderr);
        // A process has one log.
        let shared = LOG.get_or_init(|| {
            let queue = Queue::new(output, report);
            panics::log(Arc::clone(&queue));
            let form = CurrentForm::new(Form::of(&spec, journal));
            let lines = Lines { queue: Arc::clone(&queue), form: form.clone() };
            let filter = subscribe(&lines, (text, json), layers, stderr.is_terminal());
            Shared { queue, form, journal, filter }
        });
        Ok(Log(shared))
    }

    /// Writes the error that ends the process to standard error, without time and level, and to the log if that is
    /// elsewhere.
    pub fn print_stderr(&self, error: impl Display) {
        let text = error.to_string();
        for line in text.lines() {
            self.0.print_stderr(line);
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.0.queue.flush(FLUSH_TIMEOUT);
    }
}

impl Shared {
    fn print_stderr(&self, line: &str) {
        let prefix: &[u8] = if self.journal { line::priority(Level::ERROR) } else { b"" };
        if self.queue.is_at_stderr() {
            // Text, even if the format is JSON.
            return self.queue.push(&[prefix, line.as_bytes(), b"\n"]);
        }
        self.queue.print_stderr(&format!("{}{line}\n", String::from_utf8_lossy(prefix)));
        tracing::error!(target: "tuffet::server", "{line}");
    }

    /// Uses levels, format and form of the target from now on.
    fn apply(&self, spec: &LogSpec) -> Result<(), String> {
        let (text, json) = filters(spec)?;
        self.form.set(Form::of(spec, self.journal));
        (self.filter)(text, json);
        Ok(())
    }
}

/// Returns the filters for the lines as text and for those in JSON; one of them is off.
fn filters(spec: &LogSpec) -> Result<(EnvFilter, EnvFilter), String> {
    let (filter, off) = (filter::parse(&spec.level)?, EnvFilter::new("off"));
    let is_json = spec.format == LogFormat::Json;
    Ok(if is_json { (off, filter) } else { (filter, off) })
}

/// Sends events to the lines. Each format has a layer, because fields of spans are formatted when they begin. Returns
/// what replaces their filters.
fn subscribe(
    lines: &Lines,
    (text, json): (EnvFilter, EnvFilter),
    layers: impl Layer<Registry> + Send + Sync,
    terminal: bool,
) -> Box<dyn Fn(EnvFilter, EnvFilter) + Send + Sync> {
    let log = tracing_subscriber::registry().with(layers);
    let (text, text_filter) = reload::Layer::new(text);
    let (json, json_filter) = reload::Layer::new(json);
    let text_lines = fmt::layer()
        .with_writer(lines.clone())
        .fmt_fields(fields::TextFields)
        .with_ansi(terminal)
        .event_format(DialectLines::new(lines.form.clone()));
    let json_lines = fmt::layer().with_writer(lines.clone()).json().event_format(json::JsonLines::new());
    log.with(text_lines.with_filter(text)).with(json_lines.with_filter(json)).init();
    Box::new(move |text, json| {
        // Errors would mean that the subscriber is gone, and with it the lines.
        let _ = json_filter.reload(json);
        let _ = text_filter.reload(text);
    })
}

/// Applies levels and format of the configuration. If its log goes elsewhere, lines wait from now on, until [`start`].
///
/// # Errors
/// The levels are invalid.
pub fn configure(config: &Config) -> Result<(), ConfigError> {
    let Some(shared) = LOG.get() else { return Ok(()) };
    shared.apply(&config.log).map_err(|error| invalid(config, LEVEL, error))?;
    if config.log.to != LogTarget::Stderr {
        shared.queue.hold();
    }
    Ok(())
}

/// Returns the problem of the levels, which only this crate knows.
///
/// # Errors
/// The levels are invalid.
pub fn check(config: &Config) -> Result<(), ConfigError> {
    filter::parse(&config.log.level).map(drop).map_err(|error| invalid(config, LEVEL, error))
}

/// Opens the target of the log and starts the writing thread, once privileges are dropped: an earlier thread would keep
/// them.
///
/// # Errors
/// The file cannot be opened, or the system has no thread.
pub fn start(config: &Config) -> Result<(), ConfigError> {
    let Some(shared) = LOG.get() else { return Ok(()) };
    let output = Output::open(&config.log).map_err(|error| unopened(config, &error))?;
    shared.queue.start(output).map_err(|error| unopened(config, &error))
}

/// A changed log, for a reload.
pub struct Prepared {
    spec: LogSpec,
    /// The new target; `None` if it stays as it is.
    output: Option<Option<Output>>,
}

/// Opens the target of the next configuration, if it is another one. May block.
///
/// # Errors
/// The levels are invalid, or the file cannot be opened.
pub fn prepare(current: &LogSpec, next: &Config) -> Result<Prepared, ConfigError> {
    check(next)?;
    let changed = current.to != next.log.to;
    let output = changed.then(|| Output::open(&next.log)).transpose();
    let output = output.map_err(|error| unopened(next, &error))?;
    Ok(Prepared { spec: next.log.clone(), output })
}

impl Prepared {
    /// Uses the log from now on.
    pub fn apply(self) {
        let Some(shared) = LOG.get() else { return };
        let applied = match self.output {
            Some(output) => shared.queue.start(output).map_err(|error| error.to_string()),
            None => Ok(()),
        };
        if let Err(error) = applied.and_then(|()| shared.apply(&self.spec)) {
            tracing::error!(target: filter::DROPPED, error, "the log stays where it is");
        }
    }
}

/// Opens the file of the log anew if another program has renamed it. May block for a moment.
pub fn reopen() {
    if let Some(shared) = LOG.get() {
        shared.queue.reopen();
    }
}

/// Returns the dialect of the lines about requests; `None` for JSON.
pub fn dialect() -> Option<Dialect> {
    LOG.get().and_then(|shared| shared.form.get().dialect())
}

/// Returns whether the line of a request that ended badly is there, and has the reason. Those of other servers have none.
pub fn requests_have_reasons() -> bool {
    matches!(dialect(), None | Some(Dialect::People))
        && tracing::enabled!(target: "tuffet::transfer", Level::WARN)
}

/// Returns the number of dropped lines: the target of the log took no more, or refused them.
pub fn dropped() -> u64 {
    LOG.get().map_or(0, |shared| shared.queue.dropped())
}

fn report(_: &Queue, lines: u64, output: &str) {
    tracing::warn!(target: filter::DROPPED, lines, "log lines were dropped: {output} took no more");
}

fn invalid(config: &Config, key: &str, message: String) -> ConfigError {
    config.error([(key.to_owned(), message)])
}

fn unopened(config: &Config, error: &io::Error) -> ConfigError {
    let message = match config.log.file() {
        Some(file) => {
            let folder = file.path.parent().unwrap_or(&file.path);
            let obstacle = find_obstacle(&file.path, &[Right::Write])
                .or_else(|| find_obstacle(folder, &[Right::Enter, Right::Write]));
            let why = match obstacle {
                Some(obstacle) => {
                    let user = geteuid().as_raw().to_string();
                    format!(": {obstacle}; {}", obstacle.remedy(&user, getegid().as_raw()))
                }
                None => "; let the server's user write in its folder".to_owned(),
            };
            format!(
                "the log cannot be written to {}: {error}{why}, or name another file",
                file.path.display()
            )
        }
        None => format!("the log cannot start: {error}"),
    };
    invalid(config, TARGET, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::env;
    use std::process::Command;
    use tracing::level_filters::LevelFilter;
    use tracing_subscriber::layer::Identity;

    /// A process has one log, so this test runs itself in child processes, which panic.
    #[test]
    fn a_panic_is_a_line_of_the_log_whatever_the_filter_says() {
        const FORMAT: &str = "TUFFET_TEST_LOG_FORMAT";
        if let Ok(format) = env::var(FORMAT) {
            let format = format.parse().unwrap();
            let spec = LogSpec { level: "off".into(), format, ..LogSpec::default() };
            let log = Log::begin(&spec, Identity::new().with_filter(LevelFilter::OFF)).unwrap();
            log.0.queue.start(None).unwrap();
            tracing::error!("an error that the filter leaves out");
            panic!("as asked\nthread x=1");
        }
        let this = "logging::tests::a_panic_is_a_line_of_the_log_whatever_the_filter_says";
        let log = |format: &str| {
            let mut child = Command::new(env::current_exe().unwrap());
            child.args(["--exact", this, "--nocapture"]).env(FORMAT, format).env("RUST_BACKTRACE", "0");
            let output = child.output().unwrap();
            assert!(!output.status.success());
            String::from_utf8(output.stderr).unwrap()
        };
        let text = log("text");
        assert!(text.contains(r#"ERROR tuffet::panic: "the server panicked at "#), "{text}");
        assert!(text.contains(r#": as asked\nthread x=1" thread="logging::tests::"#), "{text}");
        assert!(!text.contains("leaves out") && text.lines().count() == 1, "{text}");
        let line: serde_json::Value = serde_json::from_str(&log("json")).unwrap();
        assert_eq!((&line["level"], &line["target"]), (&"ERROR".into(), &"tuffet::panic".into()));
        assert!(line["message"].as_str().unwrap().ends_with(": as asked\nthread x=1"), "{line}");
    }
}
