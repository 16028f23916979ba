//! What is noted of a request while it is decided, for the spans that are made when it has ended.
//!
//! Only time stamps and words are kept. A request has a trail only while traces are exported.

use super::Traced;
use opentelemetry::trace::{SpanId, TraceId};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Steps that are kept of one request.
const MAX_STEPS: usize = 64;

/// The trail of one request.
#[derive(Debug)]
pub(crate) struct Trail {
    pub(super) trace: TraceId,
    /// The span of the transfer.
    pub(super) span: SpanId,
    /// Whether the ratio chose it: its trace is exported whatever comes.
    pub(super) chosen: bool,
    received: Instant,
    received_at: SystemTime,
    steps: Mutex<Vec<Step>>,
}

/// Something that took time.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) what: What,
    pub(crate) began: Instant,
    pub(crate) ended: Instant,
}

#[derive(Debug, Clone)]
pub(crate) enum What {
    /// A plugin was asked.
    Plugin {
        plugin: Arc<str>,
        hook: &'static str,
        /// What it said, `abstain` included; where it failed, what its failure counts as.
        verdict: &'static str,
        /// Why it failed: a word, and more of it.
        failure: Option<(&'static str, String)>,
        /// Whether a decision of before answered.
        remembered: bool,
        /// Whether nobody waited for it: `mode: monitor`.
        monitored: bool,
    },
    /// The file was opened, or the temporary file of an upload made; or why not.
    Open(Result<Arc<str>, String>),
    /// An upload was synced and put in its place; or why not.
    Store(Result<(), String>),
}

impl Trail {
    pub(super) fn new(trace: TraceId, span: SpanId, chosen: bool, received: Instant) -> Trail {
        let received_at = SystemTime::now() - received.elapsed();
        Trail { trace, span, chosen, received, received_at, steps: Mutex::default() }
    }

    /// Notes a step that has just ended.
    pub(crate) fn step(&self, began: Instant, what: What) {
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        if steps.len() < MAX_STEPS {
            steps.push(Step { what, began, ended: Instant::now() });
        }
    }

    /// The ids, for log lines.
    pub(crate) fn traced(&self) -> Traced {
        Traced { trace: self.trace, span: self.span }
    }

    /// Whether any step so far is such.
    pub(super) fn any(&self, is: impl Fn(&Step) -> bool) -> bool {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner).iter().any(is)
    }

    /// All steps so far.
    pub(super) fn take(&self) -> Vec<Step> {
        std::mem::take(&mut self.steps.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// When the request came, by the wall clock.
    pub(super) fn received_at(&self) -> SystemTime {
        self.received_at
    }

    /// The wall clock at a moment after the request came.
    pub(super) fn at(&self, moment: Instant) -> SystemTime {
        self.after(moment.saturating_duration_since(self.received))
    }

    /// The wall clock so long after the request came.
    pub(super) fn after(&self, time: Duration) -> SystemTime {
        self.received_at + time
    }
}
