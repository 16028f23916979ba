//! Log lines of plugins.

use std::sync::Arc;

use super::access::Access;
use super::bindings::log::Level;
use super::subject::{Caller, Subject};
use tracing::field;
use tuffet_policy::PluginFields;
use tuffet_policy::text::one_line;
use tuffet_request::Traced;

/// The maximum number of lines per call; further ones are counted. `line_rate` limits the rate over all calls.
const MAX_LINES: u32 = 32;
/// The maximum length of a message, in bytes.
const MAX_MESSAGE: usize = 1024;

/// The lines of one call.
#[derive(Debug)]
pub(super) struct CallLog {
    caller: Caller,
    written: u32,
    dropped: u64,
    /// The number of printed lines that were dropped.
    unprinted: u64,
    /// Whether to drop lines: those of `configure` were logged when the policy was loaded.
    pub muted: bool,
    /// Whether to collect lines instead of logging them, for a rehearsal.
    pub collects: bool,
    collected: Vec<String>,
}

impl CallLog {
    pub fn new(caller: Caller) -> CallLog {
        CallLog {
            caller,
            written: 0,
            dropped: 0,
            unprinted: 0,
            muted: false,
            collects: false,
            collected: Vec::new(),
        }
    }

    /// The plugin that writes the lines.
    pub fn plugin(&self) -> &Arc<str> {
        &self.caller.plugin
    }

    /// The address and port of the client of the call.
    pub fn client(&self) -> Option<&str> {
        self.caller.client()
    }

    /// Resets the state for another call.
    pub fn restart(&mut self, subject: Subject<'_>, traced: Option<Traced>, muted: bool) {
        self.caller.take(subject);
        self.caller.traced = traced;
        (self.written, self.dropped, self.unprinted, self.muted) = (0, 0, 0, muted);
    }

    /// Removes and returns the lines of a rehearsal.
    pub fn collected(&mut self) -> Vec<String> {
        let mut lines = std::mem::take(&mut self.collected);
        let dropped = self.dropped + self.unprinted;
        if dropped > 0 {
            lines.push(format!("and {dropped} lines more"));
        }
        lines
    }

    /// Logs the numbers of dropped lines, after the call.
    pub fn finish(&mut self, access: &Access) {
        if self.unprinted > 0 && !self.collects {
            let message = format!("{} further lines were dropped: the limit is {MAX_LINES}", self.unprinted);
            // For the author of the plugin, as the lines themselves.
            self.emit(Level::Debug, &message, &[], access);
        }
        if self.dropped == 0 || self.collects {
            return;
        }
        let message =
            format!("{} log lines of one call were dropped: the limit is {MAX_LINES}", self.dropped);
        access.host.logged("warn", &message, "");
        let rate = &access.lines;
        if !rate.take() {
            // `take` has counted the line below as suppressed; it stands for one of the dropped lines.
            rate.leave_out(self.dropped - 1);
        } else {
            tracing::warn!(
                target: "tuffet::plugin",
                plugin = %self.caller.plugin,
                hook = self.caller.hook,
                request = self.caller.request().map(field::display),
                client = self.caller.client().map(field::display),
                trace_id = self.caller.traced.map(|traced| traced.trace.to_string()),
                span_id = self.caller.traced.map(|traced| traced.span.to_string()),
                "{message}"
            );
        }
    }

    /// Logs a line that the plugin printed; `output`: `true` for its standard output, or `stderr`.
    pub fn print(&mut self, line: &str, output: &str, access: &Access) {
        if self.muted {
            return;
        }
        if self.written == MAX_LINES {
            self.unprinted += 1;
            return;
        }
        self.written += 1;
        self.emit(Level::Debug, line, &[("printed".into(), output.into())], access);
    }

    /// Counts printed lines that are not there any more.
    pub fn leave_out(&mut self, lines: u64) {
        if !self.muted {
            self.unprinted += lines;
        }
    }

    /// Logs a line of the plugin.
    pub fn write(&mut self, level: Level, message: &str, fields: &[(String, String)], access: &Access) {
        if self.muted {
            return;
        }
        if self.written == MAX_LINES {
            self.dropped += 1;
            return;
        }
        self.written += 1;
        self.emit(level, message, fields, access);
    }

    fn emit(&mut self, level: Level, message: &str, fields: &[(String, String)], access: &Access) {
        let message = one_line(&access.secrets.hidden_in(message), MAX_MESSAGE);
        let fields = match access.secrets.is_empty() {
            true => PluginFields::new(fields),
            false => PluginFields::new(&without_secrets(fields, access)),
        };
        access.host.logged(word(level), &message, &fields.to_string());
        if self.collects {
            self.collected.push(format!("{message} {fields}").trim_end().to_owned());
            return;
        }
        let caller = &self.caller;
        macro_rules! event {
            ($level:ident, $as:ident) => {
                // A line below the log level does not count towards the rate.
                if tracing::enabled!(target: "tuffet::plugin", tracing::Level::$as) && access.lines.take() {
                    tracing::$level!(
                        target: "tuffet::plugin",
                        plugin = %caller.plugin,
                        hook = caller.hook,
                        request = caller.request().map(field::display),
                        client = caller.client().map(field::display),
                        fields = fields.value(),
                        trace_id = caller.traced.map(|traced| traced.trace.to_string()),
                        span_id = caller.traced.map(|traced| traced.span.to_string()),
                        "{message}"
                    )
                }
            };
        }
        match level {
            Level::Trace => event!(trace, TRACE),
            Level::Debug => event!(debug, DEBUG),
            Level::Info => event!(info, INFO),
            Level::Warn => event!(warn, WARN),
            Level::Error => event!(error, ERROR),
        }
    }
}

fn without_secrets(fields: &[(String, String)], access: &Access) -> Vec<(String, String)> {
    let hidden = |text: &str| access.secrets.hidden_in(text).into_owned();
    fields.iter().map(|(name, value)| (hidden(name), hidden(value))).collect()
}

fn word(level: Level) -> &'static str {
    match level {
        Level::Trace => "trace",
        Level::Debug => "debug",
        Level::Info => "info",
        Level::Warn => "warn",
        Level::Error => "error",
    }
}
