//! Logs refused and aborted requests: a line for each, unless there are too many.
//!
//! A forged name costs its sender one datagram, and the log 500 bytes on disk; the same holds for a second request from
//! the same port, which aborts the first. Beyond a rate, the log sums such requests up with a few examples. Metrics,
//! traces and observers still get each of them.

use tokio::time::Instant;
use tuffet_request::events::{Answered, Outcome, Summary, Unanswered};
use tuffet_server::events::{SECOND, Surge, within_ms};

/// The most refused requests per second with a line each, and the same for aborted ones. More than in a
/// [`super::flood::Flood`]: machines that boot together request many missing names, and only these lines distinguish
/// them.
const MAX_LINES: u64 = 200;

/// Examples in a sum.
const MAX_EXAMPLES: usize = 3;

/// Length of a path in an example, in bytes.
const MAX_PATH: usize = 80;

/// The requests of this second, and those not logged yet.
pub(super) struct Refusals {
    refused: Surge,
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
}

impl Refusals {
    pub(super) fn new(now: Instant) -> Refusals {
        Refusals {
            refused: Surge::new(MAX_LINES, now),
            aborted: Surge::new(MAX_LINES, now),
            unreported: None,
        }
    }

    /// Counts an ended request. Returns whether it gets a line; otherwise it is summed up.
    pub(super) fn has_line(&mut self, summary: &Summary, now: Instant) -> bool {
        let surge = match (summary.ending.outcome, summary.decision) {
            // Bytes moved, so the address is not forged.
            _ if summary.bytes > 0 => return true,
            (Outcome::Aborted, _) => &mut self.aborted,
            (
                Outcome::Denied | Outcome::NotFound | Outcome::Failed,
                Answered::Refused | Answered::Dropped,
            ) => &mut self.refused,
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
        });
        match summary.ending.outcome {
            Outcome::NotFound => sum.not_found += 1,
            Outcome::Aborted => sum.aborted += 1,
            Outcome::Failed => sum.failed += 1,
            _ => sum.denied += 1,
        }
        sum.asked_again += u64::from(summary.unanswered == Some(Unanswered::AskedAgain));
        if sum.examples.len() < MAX_EXAMPLES {
            let path = &summary.record.request.path;
            let path = &path[..path.floor_char_boundary(MAX_PATH)];
            sum.examples.push(format!(
                "{} {path:?}: {}",
                summary.record.request.client.ip(),
                summary.ending.outcome
            ));
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
        let Some(RefusalSum { since, denied, not_found, aborted, failed, asked_again, examples }) =
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tuffet_request::Request;
    use tuffet_request::events::DecisionRecord;

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
        assert_eq!(sum.examples.len(), MAX_EXAMPLES);
        assert_eq!(sum.examples[0], format!("192.0.2.1 \"{}\": not-found", "é".repeat(40)));
        assert_eq!(refusals.due(), Some(now + SECOND));
        refusals.log_when_due(now + SECOND);
        assert_eq!(refusals.due(), None);
        let later = now + 3 * SECOND;
        assert!(refusals.has_line(&ended(Outcome::NotFound, Answered::Refused, 0), later), "it is over");
    }
}
