//! The server's log as events to wait for.

use super::SOON;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Instant;

/// The logged JSON lines that no test has taken yet.
#[derive(Clone, Default)]
pub struct Log(Arc<(Mutex<Lines>, Condvar)>);

#[derive(Default)]
struct Lines {
    waiting: Vec<Value>,
    /// How many lines were taken.
    taken: usize,
    /// The raw output, for the message of a failing test.
    raw: String,
    panicked: bool,
    over: bool,
    /// Nobody reads the pipe for now.
    sleeps: bool,
}

impl Log {
    /// Reads lines until the pipe closes.
    pub fn follow(pipe: impl Read + Send + 'static) -> Log {
        let log = Log::default();
        let (lines, news) = (log.clone(), log.clone());
        thread::spawn(move || {
            for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                let lines = lines.0.0.lock().unwrap();
                let mut lines = news.0.1.wait_while(lines, |lines| lines.sleeps).unwrap();
                lines.raw += &line;
                lines.raw += "\n";
                match serde_json::from_str::<Value>(&line) {
                    Ok(value) => {
                        lines.panicked |= value["target"] == "tuffet::panic";
                        lines.waiting.push(value);
                    }
                    // A panic of the server itself before it has its log.
                    Err(_) => lines.panicked |= line.contains("panicked at"),
                }
                news.0.1.notify_all();
            }
            lines.0.0.lock().unwrap().over = true;
            news.0.1.notify_all();
        });
        log
    }

    /// Stops reading the pipe, or goes on.
    pub fn sleep(&self, sleeps: bool) {
        self.0.0.lock().unwrap().sleeps = sleeps;
        self.0.1.notify_all();
    }

    /// Waits for a line like this and takes it, so that the next call finds the next one.
    #[track_caller]
    pub fn take(&self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        self.try_take(is_it).unwrap_or_else(|| panic!("no {what} was logged:\n{}", self.raw()))
    }

    fn try_take(&self, is_it: impl Fn(&Value) -> bool) -> Option<Value> {
        let end = Instant::now() + SOON;
        let (mutex, news) = &*self.0;
        let mut lines = mutex.lock().unwrap();
        // The lines before this one were looked at, while nobody else took one of them.
        let (mut looked_at, mut taken) = (0, lines.taken);
        loop {
            if taken != lines.taken {
                (looked_at, taken) = (0, lines.taken);
            }
            if let Some(at) = lines.waiting[looked_at..].iter().position(&is_it) {
                lines.taken += 1;
                return Some(lines.waiting.remove(looked_at + at));
            }
            looked_at = lines.waiting.len();
            let left = end.saturating_duration_since(Instant::now());
            if lines.over || left.is_zero() {
                return None;
            }
            lines = news.wait_timeout(lines, left).unwrap().0;
        }
    }

    /// Waits until these words were logged.
    #[track_caller]
    pub fn wait_for_words(&self, words: &str) {
        let (mutex, news) = &*self.0;
        let lines = mutex.lock().unwrap();
        // Words within one line; those before this position are not there.
        let (mut said, mut read) = (false, 0);
        let missing = |lines: &mut Lines| {
            said = lines.raw[read..].contains(words);
            read = lines.raw.len();
            !said && !lines.over
        };
        let lines = news.wait_timeout_while(lines, SOON, missing).unwrap().0;
        let raw = lines.raw.clone();
        drop(lines);
        assert!(said, "{words:?} was not logged:\n{raw}");
    }

    /// Waits until the process has closed the pipe.
    #[track_caller]
    pub fn wait_for_end(&self) {
        let (mutex, news) = &*self.0;
        let lines = mutex.lock().unwrap();
        // The guard goes at once: `raw` needs the lock.
        let waited = news.wait_timeout_while(lines, SOON, |lines| !lines.over).unwrap().1;
        if waited.timed_out() {
            panic!("the server does not end:\n{}", self.raw());
        }
    }

    /// Returns the lines that no test took.
    pub fn rest(&self) -> Vec<Value> {
        let mut lines = self.0.0.lock().unwrap();
        lines.taken += lines.waiting.len();
        std::mem::take(&mut lines.waiting)
    }

    pub fn panicked(&self) -> bool {
        self.0.0.lock().is_ok_and(|lines| lines.panicked)
    }

    pub fn raw(&self) -> String {
        self.0.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).raw.clone()
    }
}
