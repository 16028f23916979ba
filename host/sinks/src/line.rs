//! Writes lines, and completes a line that was cut off instead of repeating it.

use std::io::{self, Write};

/// Writes many lines at once, and remembers the rest of one that was cut off.
#[derive(Debug, Default)]
pub(super) struct Lines {
    text: Vec<u8>,
    /// The rest of a partly written line, with its line feed; empty if there is none.
    rest: Vec<u8>,
}

impl Lines {
    /// Whether a line is partly written.
    pub fn is_cut(&self) -> bool {
        !self.rest.is_empty()
    }

    /// Writes lines, after the rest of a line that was cut off: in one write, if the system permits it. Returns the
    /// number of completed lines, and the error that stopped it.
    pub fn write(&mut self, to: &mut impl Write, lines: &[String]) -> (usize, io::Result<()>) {
        self.text.clear();
        self.text.append(&mut self.rest);
        let begun = usize::from(!self.text.is_empty());
        for line in &lines[begun.min(lines.len())..] {
            self.text.extend_from_slice(line.as_bytes());
            self.text.push(b'\n');
        }
        let mut written = 0;
        while written < self.text.len() {
            match to.write(&self.text[written..]) {
                Ok(0) => return self.cut(written, begun, io::ErrorKind::WriteZero.into()),
                Ok(bytes) => written += bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return self.cut(written, begun, error),
            }
        }
        (lines.len(), Ok(()))
    }

    /// Handles an error after `written` bytes of the text. `begun` is 1 if its first line was partly written before.
    fn cut(&mut self, written: usize, begun: usize, error: io::Error) -> (usize, io::Result<()>) {
        let is_end = |byte: &&u8| **byte == b'\n';
        let whole = self.text[..written].iter().filter(is_end).count();
        let (done, left) = self.text.split_at(written);
        let in_a_line = if written == 0 { begun > 0 } else { done.last() != Some(&b'\n') };
        if in_a_line {
            let end = left.iter().position(|byte| *byte == b'\n').map_or(left.len(), |end| end + 1);
            self.rest = left[..end].to_vec();
        }
        (whole, Err(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Accepts `room` bytes, then none until that grows.
    struct LimitedWriter {
        text: Vec<u8>,
        room: usize,
    }

    impl Write for LimitedWriter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.room == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            // In small pieces, as pipes do.
            let taken = bytes.len().min(self.room).min(3);
            self.room -= taken;
            self.text.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn each_line_is_written_once_wherever_it_is_cut_off() {
        let lines: Vec<String> = ["first", "", "third", "4"].map(String::from).into();
        let whole = "first\n\nthird\n4\n";
        for first in 0..=whole.len() {
            for second in 0..=whole.len() - first {
                let mut narrow = LimitedWriter { text: Vec::new(), room: 0 };
                let (mut writer, mut at) = (Lines::default(), 0);
                for room in [first, 0, second, whole.len()] {
                    narrow.room = room;
                    let (done, ended) = writer.write(&mut narrow, &lines[at..]);
                    at += done;
                    assert_eq!(ended.is_ok(), at == lines.len());
                    let cut = narrow.text.last().is_some_and(|last| *last != b'\n');
                    assert_eq!(writer.is_cut(), cut, "{first} {second}");
                }
                assert_eq!(String::from_utf8(narrow.text).unwrap(), whole, "{first} {second}");
            }
        }
    }
}
