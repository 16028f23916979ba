//! The log: from events to lines on standard error.
//!
//! Lines wait in a bounded queue; one thread writes them. Nothing else in a server writes to standard error, panics
//! included. Only the message of an aborting runtime (memory, stack) bypasses the queue.

mod dialect;
mod fields;
mod filter;
mod journal;
mod json;
mod line;
mod panics;
mod queue;
mod sentences;

use dialect::DialectLines;
use line::Lines;
use queue::Queue;
use std::fmt::Display;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tracing::Level;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt};
use tuffet_observe::dialect::Dialect;

/// How long a process waits at its end until lines are written.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// The log queue of this process.
static QUEUE: OnceLock<Arc<Queue>> = OnceLock::new();

/// The dialect of this process.
static DIALECT: OnceLock<Dialect> = OnceLock::new();

/// The format of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// An object for each line.
    Json,
    /// Requests as tftpd-hpa logs them, all else as text.
    TftpHpa,
    /// Requests as dnsmasq logs them, all else as text.
    Dnsmasq,
}

impl Format {
    fn dialect(self) -> Option<Dialect> {
        match self {
            Format::Json => None,
            Format::Text => Some(Dialect::People),
            Format::TftpHpa => Some(Dialect::TftpHpa),
            Format::Dnsmasq => Some(Dialect::Dnsmasq),
        }
    }
}

/// The log of a serving process. Writes waiting lines on drop, as far as a reader takes them.
pub struct Log(Lines);

impl Log {
    /// Starts to log, also to `layers`, which have separate filters.
    ///
    /// # Errors
    /// The filter is invalid, or standard error cannot be used.
    pub fn begin(
        format: Format,
        filter: &str,
        layers: impl Layer<Registry> + Send + Sync,
    ) -> Result<Log, String> {
        let filter = filter::parse(filter)?;
        let stderr = io::stderr();
        let output =
            stderr.as_fd().try_clone_to_owned().map_err(|error| format!("standard error: {error}"))?;
        let queue = Arc::clone(QUEUE.get_or_init(|| Queue::new(output, report)));
        panics::log(Arc::clone(&queue));
        let lines = Lines { queue, prioritised: journal::is_journal(&stderr), json: format == Format::Json };
        if let Some(dialect) = format.dialect() {
            // A process has one log.
            let _ = DIALECT.set(dialect);
        }
        subscribe(lines.clone(), filter, layers, stderr.is_terminal());
        Ok(Log(lines))
    }

    /// Writes the error that ends the process, without time and level.
    pub fn print_stderr(&self, error: impl Display) {
        let text = error.to_string();
        for line in text.lines() {
            // Text, even if the format is JSON.
            let lines = Lines { json: false, ..self.0.clone() };
            lines.put(Level::ERROR, &format!("{line}\n"));
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.0.queue.flush(FLUSH_TIMEOUT);
    }
}

fn subscribe(lines: Lines, filter: EnvFilter, layers: impl Layer<Registry> + Send + Sync, terminal: bool) {
    let log = tracing_subscriber::registry().with(layers);
    let (json, journal) = (lines.json, lines.prioritised);
    let layer = fmt::layer().with_writer(lines);
    if json {
        log.with(layer.json().event_format(json::JsonLines::new()).with_filter(filter)).init();
    } else {
        let lines = DialectLines::new(dialect().unwrap_or(Dialect::People), journal, terminal);
        let layer = layer.fmt_fields(fields::TextFields).with_ansi(terminal).event_format(lines);
        log.with(layer.with_filter(filter)).init();
    }
}

/// Starts the writing thread, once privileges are dropped: an earlier thread would keep them. Until then, the logging
/// thread writes its lines, as far as that does not block.
///
/// # Errors
/// The system has no thread.
pub fn start() -> io::Result<()> {
    QUEUE.get().map_or(Ok(()), Queue::start)
}

/// Returns the dialect of the lines about requests; `None` for JSON.
pub fn dialect() -> Option<Dialect> {
    DIALECT.get().copied()
}

/// Returns the number of dropped lines: standard error had no reader, or refused them.
pub fn dropped() -> u64 {
    QUEUE.get().map_or(0, |queue| queue.dropped())
}

fn report(_: &Queue, lines: u64) {
    tracing::warn!(target: filter::DROPPED, lines, "log lines were dropped: standard error took no more");
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
            let format = if format == "json" { Format::Json } else { Format::Text };
            let _log = Log::begin(format, "off", Identity::new().with_filter(LevelFilter::OFF));
            start().unwrap();
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
