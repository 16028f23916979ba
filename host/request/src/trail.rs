//! What is noted of a request while it is decided, for the spans that are made when it has ended.
//!
//! Only time stamps and words are kept. A request has a trail only while traces are exported.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Steps that are kept of one request.
const MAX_STEPS: usize = 64;

/// The id of a trace (W3C Trace Context), never 0: 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceId(pub u128);

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// The id of a span (W3C Trace Context), never 0: 16 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanId(pub u64);

impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The trace of a request, for log lines about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traced {
    /// The trace.
    pub trace: TraceId,
    /// The span of the transfer.
    pub span: SpanId,
}

/// The trail of one request.
#[derive(Debug)]
pub struct Trail {
    /// The trace.
    pub trace: TraceId,
    /// The span of the transfer.
    pub span: SpanId,
    /// Whether the ratio chose it: its trace is exported whatever comes.
    pub chosen: bool,
    received: Instant,
    received_at: SystemTime,
    steps: Mutex<Vec<Step>>,
}

/// Something that took time.
#[derive(Debug, Clone)]
pub struct Step {
    /// What it was.
    pub what: What,
    /// When it began.
    pub began: Instant,
    /// When it ended.
    pub ended: Instant,
}

/// What took time.
#[derive(Debug, Clone)]
pub enum What {
    /// A plugin was asked.
    Plugin {
        /// Its name.
        plugin: Arc<str>,
        /// The hook.
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
    /// The trail of a request that came at `received`.
    pub fn new(trace: TraceId, span: SpanId, chosen: bool, received: Instant) -> Trail {
        let received_at = SystemTime::now() - received.elapsed();
        Trail { trace, span, chosen, received, received_at, steps: Mutex::default() }
    }

    /// Notes a step that has just ended.
    pub fn step(&self, began: Instant, what: What) {
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        if steps.len() < MAX_STEPS {
            steps.push(Step { what, began, ended: Instant::now() });
        }
    }

    /// The ids, for log lines.
    pub fn traced(&self) -> Traced {
        Traced { trace: self.trace, span: self.span }
    }

    /// Whether any step so far is such.
    pub fn any(&self, is: impl Fn(&Step) -> bool) -> bool {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner).iter().any(is)
    }

    /// All steps so far.
    pub fn take(&self) -> Vec<Step> {
        std::mem::take(&mut self.steps.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// When the request came, by the wall clock.
    pub fn received_at(&self) -> SystemTime {
        self.received_at
    }

    /// The wall clock at a moment after the request came.
    pub fn at(&self, moment: Instant) -> SystemTime {
        self.after(moment.saturating_duration_since(self.received))
    }

    /// The wall clock so long after the request came.
    pub fn after(&self, time: Duration) -> SystemTime {
        self.received_at + time
    }
}
