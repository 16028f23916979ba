//! The steps of a request's decision. Its spans are built from them at the end.
//!
//! A trail contains only time stamps and words, and exists only while traces are exported.

use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use crate::label::Label;

/// The limit of recorded steps per request.
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

/// A span of a client, of which a request is a part (W3C Trace Context).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceParent {
    /// The trace.
    pub trace: TraceId,
    /// The span.
    pub span: SpanId,
}

impl TraceParent {
    /// Parses the header field `traceparent` (W3C Trace Context section 3.2). Its flags do not count: a stranger would
    /// decide what is exported.
    pub fn parse(field: &str) -> Option<TraceParent> {
        let mut parts = field.splitn(5, '-');
        let mut number = |digits: usize| {
            let part = parts.next()?;
            let is_number =
                part.len() == digits && part.bytes().all(|byte| b"0123456789abcdef".contains(&byte));
            is_number.then(|| u128::from_str_radix(part, 16).ok())?
        };
        let (version, trace, span, _flags) = (number(2)?, number(32)?, number(16)?, number(2)?);
        let is_known = match version {
            0 => parts.next().is_none(),
            // Later versions may add to it.
            version => version < 0xff,
        };
        let parent = TraceParent { trace: TraceId(trace), span: SpanId(span as u64) };
        (is_known && trace != 0 && span != 0).then_some(parent)
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
    /// The span of the client, if it has named one.
    pub parent: Option<SpanId>,
    /// Whether the sampling ratio selected it. Its trace is then exported for any outcome.
    pub chosen: bool,
    /// Whether the request is only explained, not served: it must have no side effects.
    pub rehearsal: bool,
    received: Instant,
    received_at: SystemTime,
    steps: Mutex<Vec<Step>>,
}

/// A step that took time.
#[derive(Debug, Clone)]
pub struct Step {
    /// The kind of step.
    pub what: What,
    /// When it began.
    pub began: Instant,
    /// When it ended.
    pub ended: Instant,
}

/// The kind of step.
#[derive(Debug, Clone)]
pub enum What {
    /// A plugin call.
    Plugin {
        /// Its name.
        plugin: Arc<str>,
        /// The hook.
        hook: &'static str,
        /// Its verdict, including `abstain`; after a failure, the verdict that `on_error` implies.
        verdict: &'static str,
        /// Details of the verdict, such as the reason of a denial; only for explained requests.
        detail: Option<String>,
        /// Its log lines; only for explained requests.
        lines: Vec<String>,
        /// The cause of a failure: a word, and details.
        failure: Option<(&'static str, String)>,
        /// The label that it gave the request.
        label: Option<Label>,
        /// Whether the decision cache answered.
        remembered: bool,
        /// Whether the request did not wait for it: `mode: monitor`.
        monitored: bool,
    },
    /// Opening the file, or creating the temporary file of an upload; or the error.
    Open(Result<Arc<str>, String>),
    /// Syncing an upload and renaming it into place; or the error.
    Store(Result<(), String>),
}

impl Trail {
    /// Creates the trail of a request that arrived at `received`.
    pub fn new(trace: TraceId, span: SpanId, chosen: bool, received: Instant) -> Trail {
        let received_at = SystemTime::now() - received.elapsed();
        Trail {
            trace,
            span,
            parent: None,
            chosen,
            rehearsal: false,
            received,
            received_at,
            steps: Mutex::default(),
        }
    }

    /// Creates the trail of a request that is explained, not served.
    pub fn rehearsal(received: Instant) -> Trail {
        Trail { rehearsal: true, ..Trail::new(TraceId(0), SpanId(0), false, received) }
    }

    /// Records a step that has just ended.
    pub fn step(&self, began: Instant, what: What) {
        let mut steps = self.steps.lock();
        if steps.len() < MAX_STEPS {
            steps.push(Step { what, began, ended: Instant::now() });
        }
    }

    /// Returns the ids, for log lines.
    pub fn traced(&self) -> Traced {
        Traced { trace: self.trace, span: self.span }
    }

    /// Returns whether any step so far satisfies `is`.
    pub fn any(&self, is: impl Fn(&Step) -> bool) -> bool {
        self.steps.lock().iter().any(is)
    }

    /// Returns a copy of all steps so far.
    pub fn steps(&self) -> Vec<Step> {
        self.steps.lock().clone()
    }

    /// Removes and returns all steps so far.
    pub fn take(&self) -> Vec<Step> {
        std::mem::take(&mut self.steps.lock())
    }

    /// Returns the wall-clock time of the request's arrival.
    pub fn received_at(&self) -> SystemTime {
        self.received_at
    }

    /// Returns the wall-clock time of a moment after the request's arrival.
    pub fn at(&self, moment: Instant) -> SystemTime {
        self.after(moment.saturating_duration_since(self.received))
    }

    /// Returns the wall-clock time this long after the request's arrival.
    pub fn after(&self, time: Duration) -> SystemTime {
        self.received_at + time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_is_what_the_specification_says() {
        let (trace, span) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
        let parent = TraceParent {
            trace: TraceId(0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c),
            span: SpanId(0xb7ad_6b71_6920_3331),
        };
        for field in [
            format!("00-{trace}-{span}-01"),
            format!("00-{trace}-{span}-00"),
            format!("cc-{trace}-{span}-01"),
            format!("cc-{trace}-{span}-01-what-the-future-will-be-like"),
        ] {
            assert_eq!(TraceParent::parse(&field), Some(parent), "{field}");
        }
        for field in [
            String::new(),
            format!("00-{trace}-{span}"),
            format!("00-{trace}-{span}-01-"),
            format!("00-{trace}-{span}-1"),
            format!("ff-{trace}-{span}-01"),
            format!("00-{}-{span}-01", trace.to_uppercase()),
            format!("00-{}-{span}-01", "0".repeat(32)),
            format!("00-{trace}-{}-01", "0".repeat(16)),
            format!("00-+{}-{span}-01", &trace[1..]),
            format!("00-{trace}{span}-01"),
            format!("00-{trace}-é{}-01", &span[2..]),
        ] {
            assert_eq!(TraceParent::parse(&field), None, "{field}");
        }
    }
}
