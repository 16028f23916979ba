//! Logs ended requests: one line for each, except during a flood.

mod compatible;
mod event;
mod flood;
mod people;
mod refusals;
#[cfg(test)]
mod tests;

use crate::dialect::Dialect;
use crate::telemetry::Telemetry;
use flood::Flood;
use refusals::Refusals;
use std::fmt::{self, Display};
use std::sync::Arc;
use tokio::time::Instant;
use tracing::Level;
use tuffet_request::events::{Outcome, Summary};
use tuffet_request::names::is_optional;
use tuffet_request::{Operation, Traced};
use tuffet_server::events::Subscriber;
use tuffet_server::watch::Watch;

/// Logs ended requests and passes them to the exporters.
pub struct Records {
    flood: Flood,
    refusals: Refusals,
    telemetry: Telemetry,
    /// Returns the dialect of the log, which a reload may change; `None` for JSON.
    dialect: fn() -> Option<Dialect>,
    watch: Watch,
}

impl Records {
    /// Starts to log, in the dialect that the log has at the time, if it has one.
    pub fn new(telemetry: Telemetry, dialect: fn() -> Option<Dialect>, watch: Watch) -> Records {
        let now = Instant::now();
        Records { flood: Flood::new(now), refusals: Refusals::new(now), telemetry, dialect, watch }
    }
}

impl Subscriber for Records {
    fn ended(&mut self, summary: &Arc<Summary>, now: Instant) {
        let traced = self.telemetry.ended(summary);
        let has_line = match summary.unanswered {
            Some(how) if how.is_silent() => self.flood.has_line(how, summary.hint.is_some(), now),
            _ => self.refusals.has_line(summary, now),
        };
        if has_line {
            let watch = &self.watch;
            log(
                summary,
                traced,
                (self.dialect)().map(|dialect| DialectLines { dialect, summary, traced, watch }),
            );
        }
    }

    fn due(&self) -> Option<Instant> {
        self.flood.due().into_iter().chain(self.refusals.due()).min()
    }

    fn when_due(&mut self, now: Instant) {
        self.flood.log_when_due(now);
        self.refusals.log_when_due(now);
    }

    fn finish(&mut self, now: Instant) {
        self.flood.log(now);
        self.refusals.log(now);
    }
}

/// The lines of a request in a dialect. Formatted only for an output that writes them, since exporters have all fields.
struct DialectLines<'a> {
    dialect: Dialect,
    summary: &'a Summary,
    traced: Option<Traced>,
    watch: &'a Watch,
}

impl Display for DialectLines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DialectLines { dialect, summary, traced, watch } = self;
        f.write_str(&match dialect {
            Dialect::People => {
                let trace = traced.map(|traced| traced.trace.to_string());
                people::line(summary, trace, watch.has_several_listeners())
            }
            Dialect::TftpHpa => compatible::tftp_hpa(summary),
            Dialect::Dnsmasq => compatible::dnsmasq(summary, |root| watch.folder(root)),
        })
    }
}

/// Logs the request, with its lines in the dialect of the log, if it has one.
fn log(summary: &Summary, traced: Option<Traced>, compatible: Option<DialectLines<'_>>) {
    let request = &summary.record.request;
    let level = match summary.ending.outcome {
        // A boot chain goes on with its next name.
        Outcome::NotFound if request.operation == Operation::Read && is_optional(&request.path) => {
            Level::INFO
        }
        Outcome::Served | Outcome::Stored | Outcome::Probed => Level::INFO,
        Outcome::Aborted | Outcome::Denied | Outcome::NotFound | Outcome::TimedOut => Level::WARN,
        Outcome::Failed => Level::ERROR,
    };
    event::log(level, summary, traced, compatible.as_ref());
}
