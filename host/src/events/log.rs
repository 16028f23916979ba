//! One line in the log for each ended request, except during a flood.

use super::Observers;
use super::compatible;
use super::flood::Flood;
use super::hints::Hints;
use super::refusals::Refusals;
use crate::logging::{self, List};
use crate::telemetry::Telemetry;
use crate::watch::Watch;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, sleep, timeout_at};
use tracing::field;
use tuffet_core::{MSFTWINDOW_REQUESTED, OptionName, OptionSet};
use tuffet_policy::ClientHistory;
use tuffet_request::Traced;
use tuffet_request::events::{Ended, Happening, Outcome, Summary, Tried};

/// Summaries handled at once.
const BATCH: usize = 256;

/// The shortest pause between two batches. Waking this task for each of many short transfers would cost their
/// worker as much as several blocks.
const PAUSE: Duration = Duration::from_millis(1);

/// Logs summaries, counts them and hands them to the observers, until all senders are gone.
pub(crate) async fn log_summaries(
    mut ended: Receiver<Ended>,
    observers: Observers,
    watch: Watch,
    telemetry: Telemetry,
    mut hints: Hints,
    history: ClientHistory,
) {
    let mut batch = Vec::with_capacity(BATCH);
    let mut flood = Flood::new(Instant::now());
    let mut refusals = Refusals::new(Instant::now());
    loop {
        let more = ended.recv_many(&mut batch, BATCH);
        let taken = match flood.due().into_iter().chain(refusals.due()).min() {
            // Until then, those that were summed up wait for more.
            Some(due) => timeout_at(due, more).await,
            None => Ok(more.await),
        };
        match taken {
            Ok(0) => break,
            Ok(_) => {}
            Err(_) => {
                flood.tell_when_due(Instant::now());
                refusals.tell_when_due(Instant::now());
                continue;
            }
        }
        if batch.len() < BATCH {
            sleep(PAUSE).await;
        }
        watch.summaries_wait(ended.len());
        let now = Instant::now();
        for ended in batch.drain(..) {
            let summary = Summary::from(ended);
            let hint = hints.of(&summary);
            let summary = Arc::new(Summary { hint, ..summary });
            watch.ended(&summary);
            history.note(&summary);
            let traced = telemetry.ended(&summary);
            let has_line = match summary.unanswered {
                Some(how) => flood.has_line(how, now),
                None => refusals.has_line(&summary, now),
            };
            if has_line {
                let lines = |dialect| compatible::lines(dialect, &summary, |root| watch.folder(root));
                log(&summary, traced, logging::dialect().map(lines).as_deref());
            }
            if observers.want().finished {
                observers.tell(Happening::Finished(summary)).await;
            }
        }
        flood.tell_when_due(Instant::now());
        refusals.tell_when_due(Instant::now());
    }
    flood.tell(Instant::now());
    refusals.tell(Instant::now());
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
    let said: Vec<String> =
        options.iter().filter_map(|(name, value)| value.map(|value| format!("{name}={value}"))).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// `compatible` has its lines in the dialect of another server, if the log is written in one.
fn log(summary: &Summary, traced: Option<Traced>, compatible: Option<&str>) {
    let tried = summary.record.tried.as_deref();
    let other_case = tried.map(Tried::other_case).filter(|others| !others.is_empty());
    // One place lists the fields; only the level differs.
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
                compatible,
                "transfer"
            )
        };
    }
    match summary.ending.outcome {
        Outcome::Served | Outcome::Stored | Outcome::Probed => line!(info),
        Outcome::Aborted | Outcome::Denied | Outcome::NotFound | Outcome::TimedOut => line!(warn),
        Outcome::Failed => line!(error),
    }
}
