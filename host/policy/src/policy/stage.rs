//! What stands in for the host while `tuffet plugin` tries a plugin out: files and keys that were given
//! beforehand, and a record of what the plugin did. Nothing of it has an effect outside.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What the host answers with.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// Files by `ROOT/PATH`; `None` is one that is not there.
    pub files: BTreeMap<String, Option<Vec<u8>>>,
    /// Keys; `None` is one that is not there.
    pub keys: BTreeMap<String, Option<Vec<u8>>>,
    /// Requests by HTTP and their answers.
    pub http: Vec<Exchange>,
    /// The time since the beginning of 1970, where it stands.
    pub clock: Duration,
    /// What there is beyond this.
    pub beyond: Beyond,
}

/// What answers where nothing was given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Beyond {
    /// Files are looked up in the roots, requests by HTTP go out, the clock goes on, random numbers are
    /// random. Keys are not there.
    #[default]
    World,
    /// Nothing: it is noted as unanswered. The clock stands and random numbers are constant.
    Nothing,
    /// The world, whose answers are learned, so that they can be given the next time. The clock stands and
    /// random numbers are constant.
    Recorded,
}

/// A request by HTTP and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// The method.
    pub method: String,
    /// The URL.
    pub url: String,
    /// `None` is any.
    pub body: Option<Vec<u8>>,
    /// What comes back.
    pub answer: HttpAnswer,
}

/// The answer to a request by HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpAnswer {
    /// The status code.
    pub status: u16,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// What the world answered.
#[derive(Debug, Clone, Default)]
pub struct Learned {
    /// Files by `ROOT/PATH`; `None` for one that is not there.
    pub files: BTreeMap<String, Option<Vec<u8>>>,
    /// Keys that were looked for; none of them was there.
    pub keys: Vec<String>,
    /// Answers to HTTP requests.
    pub http: Vec<Exchange>,
}

/// The stand-in, and what it saw in the last call.
#[derive(Debug, Default)]
pub struct Stage {
    given: Given,
    seen: Mutex<Seen>,
    /// Of all calls, `configure` too.
    learned: Mutex<Learned>,
}

/// What a plugin did in one call.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    /// Keys that it set (`Some`) or deleted.
    pub keys: BTreeMap<String, Option<Vec<u8>>>,
    /// Which of the given requests by HTTP it has sent.
    sent: Vec<usize>,
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
pub struct LogLine {
    /// `trace` to `error`.
    pub level: &'static str,
    /// On one line.
    pub message: String,
    /// `name="value"` pairs.
    pub fields: String,
}

/// What it sent to a sink.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Emitted {
    /// The sink's name.
    pub sink: String,
    /// One JSON value.
    pub payload: String,
}

/// What a stage knows of a file.
pub(super) enum StagedFile {
    /// Nothing: the roots have the answer.
    Unknown,
    /// There is no such file.
    Absent,
    Content(Vec<u8>),
}

impl Stage {
    /// A stage with what is given.
    pub fn new(given: Given) -> Stage {
        Stage { given, seen: Mutex::default(), learned: Mutex::default() }
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

    /// What the world has answered so far.
    pub fn learned(&self) -> Learned {
        self.lessons().clone()
    }

    /// The time, where it stands.
    pub(super) fn time(&self) -> Option<Duration> {
        (self.given.beyond != Beyond::World).then_some(self.given.clock)
    }

    /// Whether what the world answers is to be learned.
    pub(super) fn records(&self) -> bool {
        self.given.beyond == Beyond::Recorded
    }

    /// A file.
    ///
    /// # Errors
    /// Nothing was given for it.
    pub(super) fn file(&self, call: &str, root: &str, path: &str) -> Result<StagedFile, String> {
        let name = format!("{root}/{path}");
        let known = self.given.files.get(&name).cloned();
        match known.or_else(|| self.lessons().files.get(&name).cloned()) {
            Some(Some(content)) => Ok(StagedFile::Content(content)),
            Some(None) => Ok(StagedFile::Absent),
            None if self.given.beyond == Beyond::Nothing => {
                Err(self.miss(format!("files.{call}({root:?}, {path:?})")))
            }
            None => Ok(StagedFile::Unknown),
        }
    }

    /// What the roots answered.
    pub(super) fn learn_file(&self, root: &str, path: &str, file: Option<Vec<u8>>) {
        self.lessons().files.insert(format!("{root}/{path}"), file);
    }

    /// Notes a call that was answered with an error, which cannot be given the next time.
    pub(super) fn not_learned(&self, call: &str, root: &str, path: &str) {
        self.miss(format!("files.{call}({root:?}, {path:?})"));
    }

    /// The value of a key.
    ///
    /// # Errors
    /// Nothing was given for it.
    pub(super) fn key(&self, call: &str, key: &str) -> Result<Option<Vec<u8>>, String> {
        let set = self.seen().keys.get(key).cloned();
        match set.or_else(|| self.given.keys.get(key).cloned()) {
            Some(value) => Ok(value),
            None if self.given.beyond == Beyond::Nothing => Err(self.miss(format!("kv.{call}({key:?})"))),
            None => {
                let mut learned = self.lessons();
                if self.records() && !learned.keys.iter().any(|known| known == key) {
                    learned.keys.push(key.to_owned());
                }
                Ok(None)
            }
        }
    }

    /// Sets a key, or deletes it, until the next call.
    pub(super) fn set(&self, key: String, value: Option<Vec<u8>>) {
        self.seen().keys.insert(key, value);
    }

    /// Whether requests by HTTP are answered here.
    pub(super) fn answers_http(&self) -> bool {
        self.given.beyond != Beyond::World || !self.given.http.is_empty()
    }

    /// The answer to a request by HTTP: of those that were given, the first that was not taken in this call,
    /// or the last once more. `None` leaves it to the world.
    ///
    /// # Errors
    /// Nothing was given for it.
    pub(super) fn http(&self, method: &str, url: &str, body: &[u8]) -> Result<Option<HttpAnswer>, ()> {
        let fits = |exchange: &&Exchange| {
            exchange.method == method
                && exchange.url == url
                && exchange.body.as_ref().is_none_or(|wanted| wanted == body)
        };
        let fitting = self.given.http.iter().enumerate().filter(|(_, exchange)| fits(exchange));
        let mut last = None;
        for (index, exchange) in fitting {
            last = Some(&exchange.answer);
            let mut seen = self.seen();
            if !seen.sent.contains(&index) {
                seen.sent.push(index);
                break;
            }
        }
        if let Some(answer) = last {
            return Ok(Some(answer.clone()));
        }
        if self.given.beyond != Beyond::Nothing {
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

    /// What the world answered.
    pub(super) fn learn_http(&self, exchange: Exchange) {
        self.lessons().http.push(exchange);
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

    fn lessons(&self) -> MutexGuard<'_, Learned> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
