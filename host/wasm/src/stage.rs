//! The stage replaces the host while `tuffet plugin` runs a plugin: it answers with given files and keys, and records
//! the plugin's actions. It has no outside effects.

use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tuffet_policy::PastRequest;
use tuffet_request::Operation;
use tuffet_request::events::Outcome;

use tuffet_policy::SeriesTable;

/// The name of a key: the shared namespace, or `None` for the plugin's own one, and the key.
pub type KeyName = (Option<String>, String);

/// The formatted fields of printed lines: of standard output and standard error.
const PRINTED_FIELDS: [&str; 2] = ["printed=\"true\"", "printed=\"stderr\""];

/// The revision of a given key. Keys that a call sets have higher ones.
const GIVEN_REVISION: u64 = 1;

/// The given answers of the host.
#[derive(Debug, Clone, Default)]
pub struct StagedAnswers {
    /// Files by `ROOT/PATH`; `None` is a missing file.
    pub files: BTreeMap<String, Option<Vec<u8>>>,
    /// Values by key; `None` is a missing key.
    pub keys: BTreeMap<KeyName, Option<Vec<u8>>>,
    /// When given keys with a lifetime end, as the time since the beginning of 1970.
    pub ends: BTreeMap<KeyName, Duration>,
    /// Changes of keys by another server, each just before the first swap of its key in a call.
    pub conflicts: BTreeMap<KeyName, Option<Vec<u8>>>,
    /// Whether keys are stored as in a server, in the folder of the policy, instead of given.
    pub stores_keys: bool,
    /// HTTP requests and their answers.
    pub http: Vec<Exchange>,
    /// The last requests of the client, newest first.
    pub history: Vec<GivenRequest>,
    /// The time since the beginning of 1970, for a clock that stands still.
    pub clock: Duration,
    /// The source of answers that are not given.
    pub beyond: AnswerSource,
}

/// A request that ended some time ago.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenRequest {
    /// Read or write.
    pub operation: Operation,
    /// The normalised path.
    pub path: String,
    /// The outcome.
    pub outcome: Outcome,
    /// How long ago it ended.
    pub ago: Duration,
}

/// The source of answers that are not given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AnswerSource {
    /// The real host: files come from the roots, HTTP requests are sent, and clock and random numbers are real. Keys
    /// are missing.
    #[default]
    World,
    /// None: the call is recorded as unanswered. The clock stands still and random numbers are constant.
    Nothing,
    /// The real host, with a recording of its answers for the next run. The clock stands still and random numbers are
    /// constant.
    Recorded,
}

/// An HTTP request and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// The method.
    pub method: String,
    /// The URL.
    pub url: String,
    /// Headers that the request must have, beside any others.
    pub headers: Vec<(String, String)>,
    /// `None` matches any.
    pub body: Option<Vec<u8>>,
    /// How long the answer, or the failure, takes.
    pub after: Duration,
    /// The answer.
    pub answer: Result<HttpAnswer, HttpFailure>,
}

/// An HTTP request without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpFailure {
    /// No server takes the connection.
    Refused,
    /// The server does not answer in time.
    Timeout,
    /// The connection ends before the answer, or what comes is no answer.
    Broken,
}

/// An HTTP request of a plugin on the stage.
pub(super) struct StagedRequest<'a> {
    pub method: &'a str,
    pub url: &'a str,
    pub headers: &'a http::HeaderMap,
    pub body: &'a [u8],
}

impl StagedRequest<'_> {
    fn fits(&self, exchange: &Exchange) -> bool {
        let has = |(name, value): &(String, String)| {
            self.headers.get_all(name).iter().any(|its| its.as_bytes() == value.as_bytes())
        };
        exchange.method == self.method
            && exchange.url == self.url
            && exchange.headers.iter().all(has)
            && exchange.body.as_ref().is_none_or(|wanted| wanted == self.body)
    }
}

/// The answer to an HTTP request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpAnswer {
    /// The status code.
    pub status: u16,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// The recorded answers of the real host.
#[derive(Debug, Clone, Default)]
pub struct RecordedAnswers {
    /// Files by `ROOT/PATH`; `None` for a missing file.
    pub files: BTreeMap<String, Option<Vec<u8>>>,
    /// Looked-up keys, none of which existed.
    pub keys: Vec<KeyName>,
    /// Answers to HTTP requests.
    pub http: Vec<Exchange>,
}

/// The stage, with its record of the last call.
#[derive(Debug, Default)]
pub struct Stage {
    given: StagedAnswers,
    record: Mutex<CallRecord>,
    /// The counters and gauges of the call.
    series: Arc<SeriesTable>,
    /// Recorded over all calls, including `configure`.
    learned: Mutex<RecordedAnswers>,
}

/// The record of one call.
#[derive(Debug, Clone, Default)]
pub(super) struct CallRecord {
    /// Keys that it set (`Some`) or deleted.
    pub keys: BTreeMap<KeyName, Option<Vec<u8>>>,
    /// When those of them that have a lifetime end, as the time since the beginning of 1970.
    pub ends: BTreeMap<KeyName, Duration>,
    /// Keys that another server changed. Later changes of the plugin are in `keys`.
    others: BTreeMap<KeyName, Option<Vec<u8>>>,
    /// The revisions of all changed keys.
    revisions: BTreeMap<KeyName, u64>,
    /// The number of changes of keys.
    changes: u64,
    /// The indices of the given HTTP requests that it has sent.
    sent: Vec<usize>,
    pub lines: Vec<LogLine>,
    pub emitted: Vec<SinkLine>,
    /// Calls without a given answer.
    pub unanswered: Vec<String>,
    /// Whether it has read the clock without the grant.
    pub read_clock: bool,
    /// The bytes of its memories and tables.
    pub memory: u64,
    /// Its computing time.
    pub cpu: Duration,
}

/// A logged line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// `trace` to `error`.
    pub level: &'static str,
    /// The message, on one line.
    pub message: String,
    /// `name="value"` pairs.
    pub fields: String,
}

impl LogLine {
    /// Returns whether the plugin printed the line instead of logging it.
    pub fn is_printed(&self) -> bool {
        PRINTED_FIELDS.contains(&self.fields.as_str())
    }
}

/// The lifetime of a key that is set.
#[derive(Debug, Clone, Copy)]
pub(super) enum Lifetime {
    /// It ends after these seconds, if it ends.
    New(Option<u32>),
    /// It ends when it would have ended before.
    Kept,
}

/// A line sent to a sink.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SinkLine {
    /// The sink's name.
    pub sink: String,
    /// One JSON value.
    pub payload: String,
}

/// The given state of a file.
pub(super) enum StagedFile {
    /// Nothing is given: the roots have the answer.
    Unknown,
    /// There is no such file.
    Absent,
    /// It is a folder: a file below it is given.
    Folder,
    Content(Vec<u8>),
}

impl Stage {
    /// Creates a stage with these answers.
    pub fn new(given: StagedAnswers) -> Stage {
        Stage { given, ..Stage::default() }
    }

    /// Begins a call, with the keys as given.
    pub(super) fn begin(&self) {
        *self.record() = CallRecord::default();
        self.series.clear();
    }

    /// Returns the counters and gauges of the running call, or of the last one.
    pub(super) fn series(&self) -> Arc<SeriesTable> {
        Arc::clone(&self.series)
    }

    /// Removes and returns the record of the call.
    pub(super) fn take(&self) -> CallRecord {
        std::mem::take(&mut *self.record())
    }

    /// Returns the calls without a given answer so far.
    pub fn unanswered(&self) -> Vec<String> {
        self.record().unanswered.clone()
    }

    /// Returns the answers of the real host recorded so far.
    pub fn learned(&self) -> RecordedAnswers {
        self.lock_learned().clone()
    }

    /// Returns the given requests of the client.
    pub(super) fn history(&self) -> Vec<PastRequest> {
        let now = Instant::now();
        let given = self.given.history.iter().map(|given| PastRequest {
            operation: given.operation,
            path: given.path.as_str().into(),
            outcome: given.outcome,
            ended: now.checked_sub(given.ago).unwrap_or(now),
        });
        given.collect()
    }

    /// Returns the time, if the clock stands still.
    pub(super) fn time(&self) -> Option<Duration> {
        (self.given.beyond != AnswerSource::World).then_some(self.given.clock)
    }

    /// Returns whether keys are stored as in a server.
    pub(super) fn stores_keys(&self) -> bool {
        self.given.stores_keys
    }

    /// Returns the given keys, if keys are stored as in a server.
    pub(super) fn given_to_store(&self) -> impl Iterator<Item = (&KeyName, &Option<Vec<u8>>)> {
        self.given.keys.iter().filter(|_| self.given.stores_keys)
    }

    /// Returns whether to record the answers of the real host.
    pub(super) fn records(&self) -> bool {
        self.given.beyond == AnswerSource::Recorded
    }

    /// Returns the given state of a file.
    ///
    /// # Errors
    /// No answer is given for it.
    pub(super) fn file(&self, call: &str, root: &str, path: &str) -> Result<StagedFile, String> {
        let name = format!("{root}/{path}");
        let known = self.given.files.get(&name).cloned();
        match known.or_else(|| self.lock_learned().files.get(&name).cloned()) {
            Some(Some(content)) => Ok(StagedFile::Content(content)),
            Some(None) => Ok(StagedFile::Absent),
            None if self.is_folder(&name) => Ok(StagedFile::Folder),
            None if self.given.beyond == AnswerSource::Nothing => {
                Err(self.miss(format!("files.{call}({root:?}, {path:?})")))
            }
            None => Ok(StagedFile::Unknown),
        }
    }

    /// Whether a file is given below this name.
    fn is_folder(&self, name: &str) -> bool {
        let is_below = |path: &str| path.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'));
        self.given.files.iter().any(|(path, content)| content.is_some() && is_below(path))
    }

    /// Records the answer of the roots.
    pub(super) fn learn_file(&self, root: &str, path: &str, file: Option<Vec<u8>>) {
        self.lock_learned().files.insert(format!("{root}/{path}"), file);
    }

    /// Records a failed call, which cannot be replayed.
    pub(super) fn not_learned(&self, call: &str, root: &str, path: &str) {
        self.miss(format!("files.{call}({root:?}, {path:?})"));
    }

    /// Returns the value of a key and its revision.
    ///
    /// # Errors
    /// No answer is given for it.
    pub(super) fn key(&self, call: &str, name: &KeyName) -> Result<Option<(Vec<u8>, u64)>, String> {
        let set = {
            let record = self.record();
            let revision = record.revisions.get(name).copied().unwrap_or_default();
            let changed = record.keys.get(name).or_else(|| record.others.get(name));
            changed.map(|value| value.clone().map(|value| (value, revision)))
        };
        let given = || {
            let value = self.given.keys.get(name)?;
            let value = value.clone().filter(|_| !self.has_ended(name));
            Some(value.map(|value| (value, GIVEN_REVISION)))
        };
        match set.or_else(given) {
            Some(value) => Ok(value),
            None if self.given.beyond == AnswerSource::Nothing => {
                let call = match name {
                    (None, key) => format!("kv.{call}({key:?})"),
                    (Some(namespace), key) => format!("kv.{call}({namespace:?}, {key:?})"),
                };
                Err(self.miss(call))
            }
            None => {
                let mut learned = self.lock_learned();
                if self.records() && !learned.keys.contains(name) {
                    learned.keys.push(name.clone());
                }
                Ok(None)
            }
        }
    }

    /// Returns the existing keys of a namespace, in the order of their bytes.
    pub(super) fn keys(&self, namespace: Option<&String>) -> Vec<String> {
        let mut all = self.given.keys.clone();
        all.retain(|name, _| !self.has_ended(name));
        let record = self.record();
        all.extend(record.others.clone());
        all.extend(record.keys.clone());
        drop(record);
        let its = |((of, key), value): (KeyName, Option<Vec<u8>>)| {
            (of.as_ref() == namespace && value.is_some()).then_some(key)
        };
        all.into_iter().filter_map(its).collect()
    }

    /// Applies the given change of another server before the first swap of a key in this call.
    pub(super) fn conflict(&self, name: &KeyName) {
        let Some(value) = self.given.conflicts.get(name) else { return };
        let mut record = self.record();
        if record.others.contains_key(name) {
            return;
        }
        record.changes += 1;
        let revision = GIVEN_REVISION + record.changes;
        record.revisions.insert(name.clone(), revision);
        record.others.insert(name.clone(), value.clone());
        record.keys.remove(name);
    }

    /// Whether the lifetime of a given key is over.
    fn has_ended(&self, name: &KeyName) -> bool {
        self.given.ends.get(name).is_some_and(|end| *end <= self.given.clock)
    }

    /// Sets or deletes a key until the next call. Returns its new revision.
    pub(super) fn set(&self, name: KeyName, value: Option<Vec<u8>>, lifetime: Lifetime) -> u64 {
        let mut record = self.record();
        let end = match lifetime {
            Lifetime::New(seconds) => {
                seconds.map(|seconds| self.given.clock + Duration::from_secs(seconds.into()))
            }
            Lifetime::Kept => record.ends.get(&name).or_else(|| self.given.ends.get(&name)).copied(),
        };
        match end {
            Some(end) => record.ends.insert(name.clone(), end),
            None => record.ends.remove(&name),
        };
        record.changes += 1;
        let revision = GIVEN_REVISION + record.changes;
        record.revisions.insert(name.clone(), revision);
        record.keys.insert(name, value);
        revision
    }

    /// Returns whether HTTP requests are answered here.
    pub(super) fn answers_http(&self) -> bool {
        self.given.beyond != AnswerSource::World || !self.given.http.is_empty()
    }

    /// Returns the answer to an HTTP request: the first given one not used in this call, or the last one again.
    /// `None` leaves it to the real host.
    ///
    /// # Errors
    /// No answer is given for it.
    pub(super) fn http(&self, request: &StagedRequest<'_>) -> Result<Option<&Exchange>, ()> {
        let StagedRequest { method, url, body, .. } = request;
        let fitting = self.given.http.iter().enumerate().filter(|(_, exchange)| request.fits(exchange));
        let mut last = None;
        for (index, exchange) in fitting {
            last = Some(exchange);
            let mut record = self.record();
            if !record.sent.contains(&index) {
                record.sent.push(index);
                break;
            }
        }
        if last.is_some() {
            return Ok(last);
        }
        if self.given.beyond != AnswerSource::Nothing {
            return Ok(None);
        }
        let mut call = format!("http {method} {url}");
        if !body.is_empty() {
            let body: String = String::from_utf8_lossy(body).chars().take(200).collect();
            let _ = write!(call, " with the body {body:?}"); // to a string: cannot fail
        }
        self.miss(call);
        Err(())
    }

    /// Records an HTTP answer of the real host.
    pub(super) fn learn_http(&self, exchange: Exchange) {
        self.lock_learned().http.push(exchange);
    }

    pub(super) fn read_clock(&self) {
        self.record().read_clock = true;
    }

    pub(super) fn emit(&self, sink: String, payload: String) {
        self.record().emitted.push(SinkLine { sink, payload });
    }

    pub(super) fn log(&self, level: &'static str, message: &str, fields: &str) {
        let (message, fields) = (message.to_owned(), fields.to_owned());
        self.record().lines.push(LogLine { level, message, fields });
    }

    pub(super) fn spent(&self, memory: u64, cpu: Duration) {
        let mut record = self.record();
        (record.memory, record.cpu) = (memory, cpu);
    }

    fn miss(&self, call: String) -> String {
        let message = format!("{call} has no answer here");
        let unanswered = &mut self.record().unanswered;
        if !unanswered.contains(&call) && unanswered.len() < 100 {
            unanswered.push(call);
        }
        message
    }

    fn lock_learned(&self) -> MutexGuard<'_, RecordedAnswers> {
        self.learned.lock()
    }

    fn record(&self) -> MutexGuard<'_, CallRecord> {
        self.record.lock()
    }
}
