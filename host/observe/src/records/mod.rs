//! Logs ended requests: one line for each, except during a flood.

mod compatible;
mod flood;
mod people;
mod refusals;
#[cfg(test)]
mod tests;

use crate::dialect::Dialect;
use crate::list::List;
use crate::telemetry::Telemetry;
use flood::Flood;
use refusals::Refusals;
use std::fmt::{self, Display};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tracing::field;
use tuffet::events::Subscriber;
use tuffet::watch::Watch;
use tuffet_core::{MSFTWINDOW_REQUESTED, OptionName, OptionSet};
use tuffet_request::events::{Outcome, Summary, Tried};
use tuffet_request::names::is_optional;
use tuffet_request::{Operation, Traced};

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

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Formats the requested options as `blksize=1428 tsize=0`.
fn requested_options(options: &OptionSet) -> Option<String> {
    let options = [
        ("blksize", options.blksize.map(u64::from)),
        ("windowsize", options.windowsize.map(u64::from)),
        ("timeout", options.timeout.map(u64::from)),
        ("tsize", options.tsize),
        ("rollover", options.value(OptionName::Rollover)),
        ("blksize2", options.value(OptionName::Blksize2)),
        ("utimeout", options.value(OptionName::Utimeout)),
        ("msftwindow", options.msftwindow.then_some(MSFTWINDOW_REQUESTED)),
    ];
    let pairs: Vec<String> =
        options.iter().filter_map(|(name, value)| value.map(|value| format!("{name}={value}"))).collect();
    (!pairs.is_empty()).then(|| pairs.join(" "))
}

/// Logs the request, with its lines in the dialect of the log, if it has one.
fn log(summary: &Summary, traced: Option<Traced>, compatible: Option<DialectLines<'_>>) {
    let tried = summary.record.tried.as_deref();
    let other_case = tried.map(Tried::other_case).filter(|others| !others.is_empty());
    // A macro, because the level must be a constant.
    macro_rules! line {
        ($level:ident) => {
            tracing::$level!(
                target: "tuffet::transfer",
                id = %summary.record.request.id,
                outcome = %summary.ending.outcome,
                client = %summary.record.request.client,
                mac = summary.record.request.macs.first().map(|mac| mac.address.to_string()),
                mac_source = summary.record.request.macs.first().map(|mac| mac.source.as_str()),
                class = summary.record.request.class.as_str(),
                operation = %summary.record.request.operation,
                path = %summary.record.request.path,
                shim_folder = summary.record.request.shim_folder.as_deref(),
                requested = summary.record.request.repaired_from(),
                raw_name = summary.record.request.raw_name.as_deref(),
                resolved = summary.record.resolved.as_deref(),
                group = summary.record.group.map(field::display),
                detail = summary.ending.detail.as_deref(),
                tried = tried.map(|tried| field::debug(List(tried.places()))),
                tried_by = tried.and_then(Tried::by),
                other_case = other_case.map(|others| field::debug(List(others))),
                hint = summary.hint.as_deref(),
                decision = summary.decision.as_str(),
                verdict_by = summary.record.verdict_by.as_deref(),
                plugin_calls = summary.record.plugin_calls,
                listener = %summary.record.request.listener,
                bytes = summary.bytes,
                blocks = summary.blocks,
                size = summary.record.size,
                rate = summary.record.rate,
                asked = requested_options(&summary.record.requested_options),
                blksize = summary.options.block_size(),
                windowsize = summary.options.window_size(),
                timeout_option = summary.options.timeout,
                tsize = summary.options.tsize,
                retransmissions = summary.stats.retransmissions,
                duplicates = summary.stats.duplicates,
                timeouts = summary.stats.timeouts,
                needless_timeouts = (summary.stats.needless > 0).then_some(summary.stats.needless),
                rtt_us = summary.rtt.map(micros),
                decision_us = summary.record.decided_after.map(micros),
                first_block_us = summary.first_block_after.map(micros),
                duration_us = micros(summary.duration),
                trace_id = traced.map(|traced| traced.trace.to_string()),
                span_id = traced.map(|traced| traced.span.to_string()),
                compatible = compatible.as_ref().map(field::display),
                "transfer"
            )
        };
    }
    let request = &summary.record.request;
    match summary.ending.outcome {
        // A boot chain goes on with its next name.
        Outcome::NotFound if request.operation == Operation::Read && is_optional(&request.path) => {
            line!(info)
        }
        Outcome::Served | Outcome::Stored | Outcome::Probed => line!(info),
        Outcome::Aborted | Outcome::Denied | Outcome::NotFound | Outcome::TimedOut => line!(warn),
        Outcome::Failed => line!(error),
    }
}
