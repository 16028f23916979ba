//! The server's log as events to wait for.

use super::SOON;
use serde_json::Value;
use std::io::BufRead;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Instant;

/// The JSON lines that were logged and that no test has taken yet.
#[derive(Clone, Default)]
pub struct Log(Arc<(Mutex<Lines>, Condvar)>);

#[derive(Default)]
struct Lines {
    waiting: Vec<Value>,
    raw: Vec<String>,
    over: bool,
}

impl Log {
    /// Reads lines until the container stops. The engine tells them from the beginning: those of before a
    /// restart are left out.
    pub fn follow(lines: Box<dyn BufRead + Send>, known: usize) -> Log {
        let log = Log::default();
        let its = log.clone();
        thread::spawn(move || {
            let (mutex, news) = &*its.0;
            for line in lines.lines().map_while(Result::ok) {
                let mut lines = mutex.lock().unwrap();
                if lines.raw.len() >= known {
                    lines.waiting.extend(serde_json::from_str::<Value>(&line).ok());
                }
                lines.raw.push(line);
                news.notify_all();
            }
            mutex.lock().unwrap().over = true;
            news.notify_all();
        });
        log
    }

    /// Waits for a line like this and takes it, so that the next call finds the next one.
    #[track_caller]
    pub fn take(&self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + SOON;
        let (mutex, news) = &*self.0;
        let mut lines = mutex.lock().unwrap();
        loop {
            if let Some(at) = lines.waiting.iter().position(&is_it) {
                return lines.waiting.remove(at);
            }
            let left = end.saturating_duration_since(Instant::now());
            assert!(!lines.over && !left.is_zero(), "no {what} was logged:\n{}", lines.raw.join("\n"));
            lines = news.wait_timeout(lines, left).unwrap().0;
        }
    }

    /// Waits until the container has stopped, and gives all lines of it.
    #[track_caller]
    pub fn to_the_end(&self) -> Vec<String> {
        let (mutex, news) = &*self.0;
        let (lines, waited) =
            news.wait_timeout_while(mutex.lock().unwrap(), SOON, |lines| !lines.over).unwrap();
        assert!(!waited.timed_out(), "the container does not end:\n{}", lines.raw.join("\n"));
        lines.raw.clone()
    }
}
