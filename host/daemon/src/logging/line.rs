//! Prepares a line for the queue: adds the priority for the journal, escapes invisible characters in JSON.

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
    /// Standard error is the journal, which reads the priority at the start of a line (sd-daemon(3)).
    pub(super) prioritised: bool,
    pub(super) json: bool,
}

impl Lines {
    pub(super) fn put(&self, level: Level, line: &str) {
        let prefix: &[u8] = if self.prioritised { priority(level) } else { b"" };
        if !prefix.is_empty() && !self.json {
            // In a dialect, a request may have two lines.
            return line.split_inclusive('\n').for_each(|line| self.queue.push(&[prefix, line.as_bytes()]));
        }
        if self.json && !is_ascii_text(line) {
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
fn priority(level: Level) -> &'static [u8] {
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
