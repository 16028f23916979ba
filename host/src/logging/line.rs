//! One line on its way into the queue: its priority in front for the journal, invisible characters escaped in JSON.

use super::queue::Queue;
use std::fmt::Write as _;
use std::io;
use std::sync::Arc;
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// Where the formatted lines go.
#[derive(Clone)]
pub(super) struct Lines {
    pub(super) queue: Arc<Queue>,
    /// Standard error is the journal's, which takes the priority of a line from its beginning (sd-daemon(3)).
    pub(super) prioritised: bool,
    pub(super) json: bool,
}

impl Lines {
    pub(super) fn put(&self, level: Level, line: &str) {
        let prefix: &[u8] = if self.prioritised { priority(level) } else { b"" };
        if !prefix.is_empty() && !self.json {
            // A request may have two lines in the dialect of another server.
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

/// JSON with escapes for what a terminal would not show. Such characters appear in strings alone, where `\u` stands
/// for the same character.
pub(super) fn escaped(line: &str) -> String {
    let mut text = String::with_capacity(line.len() + 16);
    for char in line.chars() {
        // Combining marks are escaped too; a reader of JSON gets the same text.
        let shows =
            char == '\n' || matches!(char, ' '..='~') || (!char.is_ascii() && char.escape_debug().len() == 1);
        if shows {
            text.push(char);
        } else {
            for unit in char.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_escapes_what_a_terminal_would_not_show_and_means_the_same() {
        let value = serde_json::json!({ "path": "a\u{202e}b\u{2028}c\u{9b}d\u{7f}e\u{e0041}f größe 它\n" });
        let (line, expected) =
            (format!("{value}\n"), r"a\u202eb\u2028c\u009bd\u007fe\udb40\udc41f größe 它\n");
        assert!(!is_ascii_text(&line));
        assert_eq!(escaped(&line), format!("{{\"path\":\"{expected}\"}}\n"));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped(&line)).unwrap(), value);
    }
}
