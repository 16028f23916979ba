//! Prepares a line for the queue: adds the priority for the journal and for syslog, escapes invisible characters in JSON.

use super::form::CurrentForm;
use super::queue::Queue;
use std::io;
use std::sync::Arc;
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;
use tuffet_observe::escaped;

/// The queue for formatted lines, and their form.
#[derive(Clone)]
pub(super) struct Lines {
    pub(super) queue: Arc<Queue>,
    pub(super) form: CurrentForm,
}

impl Lines {
    /// Queues text of the current form.
    fn put(&self, level: Level, line: &str) {
        let form = self.form.get();
        let prefix: &[u8] = if form.prioritised { priority(level) } else { b"" };
        if !prefix.is_empty() && !form.is_json() {
            // In a dialect, a request may have two lines.
            return line.split_inclusive('\n').for_each(|line| self.queue.push(&[prefix, line.as_bytes()]));
        }
        if form.is_json() && !is_ascii_text(line) {
            return self.queue.push(&[prefix, escaped(line).as_bytes()]);
        }
        self.queue.push(&[prefix, line.as_bytes()]);
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line { lines: self, level: Level::INFO }
    }

    fn make_writer_for(&'a self, about: &Metadata<'_>) -> Line<'a> {
        Line { lines: self, level: *about.level() }
    }
}

/// Takes one line, in one write.
pub(super) struct Line<'a> {
    lines: &'a Lines,
    level: Level,
}

impl io::Write for Line<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.lines.put(self.level, &String::from_utf8_lossy(line));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The priorities of syslog(3).
pub(super) fn priority(level: Level) -> &'static [u8] {
    match level {
        Level::ERROR => b"<3>",
        Level::WARN => b"<4>",
        Level::INFO => b"<6>",
        Level::DEBUG | Level::TRACE => b"<7>",
    }
}

fn is_ascii_text(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n'))
}
