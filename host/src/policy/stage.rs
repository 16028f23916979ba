//! What stands in for the host while `tuffet plugin` tries a plugin out: files and keys that were given
//! beforehand, and a record of what the plugin did. Nothing of it has an effect outside.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What the host answers with.
#[derive(Debug, Clone, Default)]
pub(crate) struct Given {
    /// Files by `ROOT/PATH`; `None` is one that is not there.
    pub files: BTreeMap<String, Option<Vec<u8>>>,
    /// Keys; `None` is one that is not there.
    pub keys: BTreeMap<String, Option<Vec<u8>>>,
    /// The time since the beginning of 1970.
    pub clock: Duration,
    /// Whether there is nothing beyond this: then what is not given is noted as unanswered, the clock stands
    /// and random numbers are constant. Else files are looked up in the roots, other keys are not there, and
    /// requests by HTTP go out.
    pub closed: bool,
}

/// The stand-in, and what it saw in the last call.
#[derive(Debug, Default)]
pub(crate) struct Stage {
    given: Given,
    seen: Mutex<Seen>,
}

/// What a plugin did in one call.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    /// Keys that it set (`Some`) or deleted.
    keys: BTreeMap<String, Option<Vec<u8>>>,
    pub lines: Vec<LogLine>,
    pub emitted: Vec<Emitted>,
    /// Calls to which nothing was given.
    pub unanswered: Vec<String>,
    /// Bytes of its memories and tables.
    pub memory: u64,
    /// Time that it computed.
    pub cpu: Duration,
}

/// A line that it logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogLine {
    /// `trace` to `error`.
    pub level: &'static str,
    /// On one line.
    pub message: String,
    /// `name="value"` pairs.
    pub fields: String,
}

/// What it sent to a sink.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Emitted {
    /// The sink's name.
    pub sink: String,
    /// One JSON value.
    pub payload: String,
}

impl Stage {
    pub fn new(given: Given) -> Stage {
        Stage { given, seen: Mutex::default() }
    }

    /// Begins a call, with the keys as they were given.
    pub(super) fn begin(&self) {
        *self.seen() = Seen::default();
    }

    /// What the plugin did since then.
    pub(super) fn take(&self) -> Seen {
        std::mem::take(&mut *self.seen())
    }

    /// The calls that nothing was given for, so far.
    pub fn unanswered(&self) -> Vec<String> {
        self.seen().unanswered.clone()
    }

    /// The time, where it stands.
    pub(super) fn time(&self) -> Option<Duration> {
        self.given.closed.then_some(self.given.clock)
    }

    /// A file; the outer `None` leaves it to the roots.
    ///
    /// # Errors
    /// Nothing was given for it.
    pub(super) fn file(&self, call: &str, root: &str, path: &str) -> Result<Option<Option<&[u8]>>, String> {
        match self.given.files.get(&format!("{root}/{path}")) {
            Some(file) => Ok(Some(file.as_deref())),
            None if self.given.closed => Err(self.miss(format!("files.{call}({root:?}, {path:?})"))),
            None => Ok(None),
        }
    }

    /// The value of a key.
    ///
    /// # Errors
    /// Nothing was given for it.
    pub(super) fn key(&self, call: &str, key: &str) -> Result<Option<Vec<u8>>, String> {
        let set = self.seen().keys.get(key).cloned();
        match set.or_else(|| self.given.keys.get(key).cloned()) {
            Some(value) => Ok(value),
            None if self.given.closed => Err(self.miss(format!("kv.{call}({key:?})"))),
            None => Ok(None),
        }
    }

    /// Sets a key, or deletes it, until the next call.
    pub(super) fn set(&self, key: String, value: Option<Vec<u8>>) {
        self.seen().keys.insert(key, value);
    }

    /// Whether a request by HTTP may go out.
    ///
    /// # Errors
    /// Nothing was given for it.
    pub(super) fn http(&self, method: &str, uri: &str) -> Result<(), String> {
        if self.given.closed { Err(self.miss(format!("http {method} {uri}"))) } else { Ok(()) }
    }

    pub(super) fn emit(&self, sink: String, payload: String) {
        self.seen().emitted.push(Emitted { sink, payload });
    }

    pub(super) fn log(&self, level: &'static str, message: &str, fields: &str) {
        let (message, fields) = (message.to_owned(), fields.to_owned());
        self.seen().lines.push(LogLine { level, message, fields });
    }

    pub(super) fn spent(&self, memory: u64, cpu: Duration) {
        let mut seen = self.seen();
        (seen.memory, seen.cpu) = (memory, cpu);
    }

    fn miss(&self, call: String) -> String {
        let message = format!("{call} has no answer here");
        let unanswered = &mut self.seen().unanswered;
        if !unanswered.contains(&call) && unanswered.len() < 100 {
            unanswered.push(call);
        }
        message
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
