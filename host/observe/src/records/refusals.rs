//! Logs refused and aborted requests: a line for each, unless there are too many.
//!
//! A forged name costs its sender one datagram, and the log 500 bytes on disk; the same holds for a second request from
//! the same port, which aborts the first. Beyond a rate, the log sums such requests up with a few examples. Metrics,
//! traces and observers still get each of them.
//!
//! Requests that a failed plugin ended have a rate of their own, and one of them is an example with the reason: the log has
//! no other line about the failure.

use std::fmt::Write as _;
use tokio::time::Instant;
use tuffet_policy::Cause;
use tuffet_request::Protocol;
use tuffet_request::events::{Answered, Outcome, Summary, Unanswered};
use tuffet_server::events::{SECOND, Surge, within_ms};

/// The most refused requests per second with a line each, and the same for aborted ones. More than in a
/// [`super::flood::Flood`]: machines that boot together request many missing names, and only these lines distinguish
/// them.
const MAX_LINES: u64 = 200;

/// Examples in a sum.
const MAX_EXAMPLES: usize = 3;

/// Length of a path in an example, in bytes, and of the reason of a failure.
const MAX_PATH: usize = 80;
const MAX_REASON: usize = 200;

/// The requests of this second, and those not logged yet.
pub(super) struct Refusals {
    refused: Surge,
    failed_plugins: Surge,
    aborted: Surge,
    unreported: Option<RefusalSum>,
}

#[derive(Debug)]
struct RefusalSum {
    since: Instant,
    denied: u64,
    not_found: u64,
    aborted: u64,
    failed: u64,
    /// Of clients that asked again, and had acknowledged nothing.
    asked_again: u64,
    examples: Vec<String>,
    /// Whether one of the examples is a request that a failed plugin ended.
    has_failed_plugin: bool,
}

impl Refusals {
    pub(super) fn new(now: Instant) -> Refusals {
        Refusals {
            refused: Surge::new(MAX_LINES, now),
            failed_plugins: Surge::new(MAX_LINES, now),
            aborted: Surge::new(MAX_LINES, now),
            unreported: None,
        }
    }

    /// Counts an ended request. Returns whether it gets a line; otherwise it is summed up.
    pub(super) fn has_line(&mut self, summary: &Summary, now: Instant) -> bool {
        let failed_plugin = summary.bytes == 0 && has_failed_plugin(summary);
        let surge = match (summary.ending.outcome, summary.decision) {
            // Whoever connects, asks and leaves moves bytes at no cost, in thousands of requests a second.
            (Outcome::Aborted, _) if summary.record.request.protocol != Protocol::Tftp => &mut self.aborted,
            // Bytes moved, so the address is not forged.
            _ if summary.bytes > 0 => return true,
            (Outcome::Aborted, _) => &mut self.aborted,
            (
                Outcome::Denied | Outcome::NotFound | Outcome::Failed,
                Answered::Refused | Answered::Dropped,
            ) => {
                if failed_plugin {
                    &mut self.failed_plugins
                } else {
                    &mut self.refused
                }
            }
            _ => return true,
        };
        if surge.has_line(now) {
            return true;
        }
        let sum = self.unreported.get_or_insert_with(|| RefusalSum {
            since: now,
            denied: 0,
            not_found: 0,
            aborted: 0,
            failed: 0,
            asked_again: 0,
            examples: Vec::new(),
            has_failed_plugin: false,
        });
        match summary.ending.outcome {
            Outcome::NotFound => sum.not_found += 1,
            Outcome::Aborted => sum.aborted += 1,
            Outcome::Failed => sum.failed += 1,
            _ => sum.denied += 1,
        }
        sum.asked_again += u64::from(summary.unanswered == Some(Unanswered::AskedAgain));
        let is_first_failure = failed_plugin && !sum.has_failed_plugin;
        sum.has_failed_plugin |= failed_plugin;
        if is_first_failure && sum.examples.len() == MAX_EXAMPLES {
            sum.examples.pop();
        }
        if sum.examples.len() < MAX_EXAMPLES {
            sum.examples.push(example(summary, failed_plugin));
        }
        false
    }

    /// Returns when the sum is due.
    pub(super) fn due(&self) -> Option<Instant> {
        self.unreported.as_ref().map(|sum| sum.since + SECOND)
    }

    /// Logs the sum if it is due.
    pub(super) fn log_when_due(&mut self, now: Instant) {
        if self.due().is_some_and(|due| due <= now) {
            self.log(now);
        }
    }

    /// Logs the sum, if there is one.
    pub(super) fn log(&mut self, now: Instant) {
        let Some(RefusalSum { since, denied, not_found, aborted, failed, asked_again, examples, .. }) =
            self.unreported.take()
        else {
            return;
        };
        let (within_ms, examples) = (within_ms(since, now), examples.join(", "));
        macro_rules! line {
            ($level:ident) => {
                tracing::$level!(
                    target: "tuffet::transfer",
                    denied,
                    not_found,
                    aborted,
                    failed,
                    asked_again,
                    within_ms,
                    examples,
                    "refused and aborted requests, summed up"
                )
            };
        }
        // The level of their separate lines.
        if failed > 0 { line!(error) } else { line!(warn) }
    }
}

/// Returns whether the failure of a plugin decided how the request ended. Overload and an open breaker have lines of their
/// own.
fn has_failed_plugin(summary: &Summary) -> bool {
    let has_own_lines = |cause: &str| cause == Cause::Busy.as_str() || cause == Cause::Repeated.as_str();
    summary.record.request.calls.any(|call| {
        call.failure.is_some_and(|cause| !has_own_lines(cause))
            && !call.monitored
            && call.verdict != "abstain"
    })
}

fn example(summary: &Summary, with_reason: bool) -> String {
    let cut = |text: &'_ str, max| text[..text.floor_char_boundary(max)].to_owned();
    let request = &summary.record.request;
    let path = cut(&request.path, MAX_PATH);
    let mut example = format!("{} {path:?}: {}", request.client.ip(), summary.ending.outcome);
    if let Some(reason) = summary.ending.detail.as_deref().filter(|_| with_reason) {
        // `write!` to a string cannot fail.
        let _ = write!(example, " {:?}", cut(reason, MAX_REASON));
    }
    example
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tuffet_request::events::{DecisionRecord, Ending};
    use tuffet_request::{Call, Request};

    fn ended(outcome: Outcome, decision: Answered, bytes: u64) -> Summary {
        let path: String = format!("{} outcome=served", "é".repeat(60));
        let record = DecisionRecord::new(Arc::new(Request::sample(&path)), std::time::Instant::now());
        Summary { bytes, ..Summary::new(record, outcome, decision) }
    }

    #[test]
    fn cheap_requests_are_summed_up() {
        let now = Instant::now();
        let mut refusals = Refusals::new(now);
        let mut lines = |outcome, decision, bytes| {
            (0..250).filter(|_| refusals.has_line(&ended(outcome, decision, bytes), now)).count()
        };
        assert_eq!(lines(Outcome::NotFound, Answered::Refused, 0), 200);
        assert_eq!(lines(Outcome::Denied, Answered::Dropped, 0), 0, "they share the rate");
        assert_eq!(lines(Outcome::Failed, Answered::Refused, 0), 0);
        assert_eq!(lines(Outcome::Aborted, Answered::Granted, 0), 200, "these have a separate rate");
        // These moved bytes, or were not refused.
        for (outcome, decision, bytes) in [
            (Outcome::Served, Answered::Granted, 0),
            (Outcome::Probed, Answered::Granted, 0),
            (Outcome::Aborted, Answered::Granted, 512),
            (Outcome::Denied, Answered::Granted, 512),
            (Outcome::Failed, Answered::Granted, 0),
            (Outcome::Failed, Answered::Undecided, 0),
        ] {
            assert_eq!(lines(outcome, decision, bytes), 250, "{outcome:?} {decision:?}");
        }
        let sum = refusals.unreported.as_ref().unwrap();
        assert_eq!((sum.not_found, sum.denied, sum.failed, sum.aborted), (50, 250, 250, 50));
        // By HTTP, bytes that moved have cost the client nothing.
        let by_http = Request { protocol: Protocol::Http, ..Request::sample("a") };
        let record = DecisionRecord::new(Arc::new(by_http), std::time::Instant::now());
        let aborted = Summary { bytes: 512, ..Summary::new(record, Outcome::Aborted, Answered::Granted) };
        assert!(!refusals.has_line(&aborted, now));
        let sum = refusals.unreported.as_ref().unwrap();
        assert_eq!(sum.aborted, 51);
        assert_eq!(sum.examples.len(), MAX_EXAMPLES);
        assert_eq!(sum.examples[0], format!("192.0.2.1 \"{}\": not-found", "é".repeat(40)));
        assert_eq!(refusals.due(), Some(now + SECOND));
        refusals.log_when_due(now + SECOND);
        assert_eq!(refusals.due(), None);
        let later = now + 3 * SECOND;
        assert!(refusals.has_line(&ended(Outcome::NotFound, Answered::Refused, 0), later), "it is over");
    }

    /// A flood of names does not hide that a plugin fails, and the sum says why.
    #[test]
    fn failures_of_plugins_are_not_lost_among_refusals() {
        let now = Instant::now();
        let mut refusals = Refusals::new(now);
        let mut lines = |summary: &Summary| (0..250).filter(|_| refusals.has_line(summary, now)).count();
        assert_eq!(lines(&ended(Outcome::NotFound, Answered::Refused, 0)), 200);
        let by = |cause: Cause, verdict: &'static str, monitored: bool| {
            let ending = Ending::new(Outcome::Denied, "plugin acl failed in authorize: trap: no such model");
            let summary = Summary { ending, ..ended(Outcome::Denied, Answered::Refused, 0) };
            let call = Call::labelling("acl", "a".parse().unwrap());
            let failure = Some(cause.as_str());
            summary.record.request.calls.note(Call { failure, verdict, monitored, ..call });
            summary
        };
        for (cause, verdict, monitored) in [
            (Cause::Busy, "drop", false),
            (Cause::Repeated, "deny", false),
            (Cause::Trap, "abstain", false),
            (Cause::Trap, "none", true),
        ] {
            assert_eq!(lines(&by(cause, verdict, monitored)), 0, "{cause:?} {verdict}");
        }
        assert_eq!(lines(&by(Cause::Trap, "deny", false)), 200, "these have a separate rate");
        let examples = &refusals.unreported.as_ref().unwrap().examples;
        assert_eq!(examples.len(), MAX_EXAMPLES);
        let failed = examples
            .iter()
            .filter(|it| it.ends_with(": denied \"plugin acl failed in authorize: trap: no such model\""));
        assert_eq!(failed.count(), 1, "{examples:?}");
    }
}
