//! Log lines of plugins.

use std::sync::Arc;

use super::bindings::tuffet::policy::log::{Host, Level};
use super::sandbox::{Caller, Sandbox};
use super::stage::Stage;
use super::text::one_line;
use tuffet_request::Traced;

/// Lines per call; further ones are counted.
const MAX_LINES: u32 = 32;
/// Bytes of a message.
const MAX_MESSAGE: usize = 1024;
/// Fields of a line, and the bytes of a name and of a value.
const MAX_FIELDS: usize = 16;
const MAX_NAME: usize = 64;
const MAX_VALUE: usize = 256;

/// The lines of one call.
#[derive(Debug)]
pub(super) struct CallLog {
    caller: Caller,
    written: u32,
    dropped: u64,
    /// Set while a fresh instance is configured: what that says was logged when the policy was loaded.
    pub muted: bool,
}

impl CallLog {
    pub fn new(caller: Caller) -> CallLog {
        CallLog { caller, written: 0, dropped: 0, muted: false }
    }

    /// Whose lines these are.
    pub fn plugin(&self) -> &Arc<str> {
        &self.caller.plugin
    }

    /// Starts the lines of a call.
    pub fn restart(&mut self, request: &str, traced: Option<Traced>, muted: bool) {
        self.caller.request.clear();
        self.caller.request.push_str(request);
        self.caller.traced = traced;
        (self.written, self.dropped, self.muted) = (0, 0, muted);
    }

    /// Says how many lines were too many. To be called when the call is over.
    pub fn finish(&self) {
        if self.dropped > 0 {
            tracing::warn!(
                target: "tuffet::plugin",
                plugin = %self.caller.plugin,
                request = %self.caller.request,
                trace_id = self.caller.traced.map(|traced| traced.trace.to_string()),
                span_id = self.caller.traced.map(|traced| traced.span.to_string()),
                "{} log lines of one call were dropped: the limit is {MAX_LINES}",
                self.dropped
            );
        }
    }

    fn write(&mut self, level: Level, message: &str, fields: &[(String, String)], stage: Option<&Stage>) {
        if self.muted {
            return;
        }
        if self.written == MAX_LINES {
            self.dropped += 1;
            return;
        }
        self.written += 1;
        let message = one_line(message, MAX_MESSAGE);
        let fields = join(fields);
        if let Some(stage) = stage {
            stage.log(word(level), &message, &fields);
        }
        let Caller { plugin, request, traced } = &self.caller;
        macro_rules! event {
            ($level:ident) => {
                tracing::$level!(
                    target: "tuffet::plugin", %plugin, %request, %fields,
                    trace_id = traced.map(|traced| traced.trace.to_string()),
                    span_id = traced.map(|traced| traced.span.to_string()),
                    "{message}"
                )
            };
        }
        match level {
            Level::Trace => event!(trace),
            Level::Debug => event!(debug),
            Level::Info => event!(info),
            Level::Warn => event!(warn),
            Level::Error => event!(error),
        }
    }
}

impl Host for Sandbox {
    fn log(&mut self, level: Level, message: String, fields: Vec<(String, String)>) {
        let stage = self.access.stage.as_deref();
        self.log.write(level, &message, &fields, stage);
    }
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

/// `name=value` pairs, on one line.
fn join(fields: &[(String, String)]) -> String {
    let pairs = fields.iter().take(MAX_FIELDS);
    let pairs =
        pairs.map(|(name, value)| format!("{}={:?}", one_line(name, MAX_NAME), one_line(value, MAX_VALUE)));
    pairs.collect::<Vec<_>>().join(" ")
}
