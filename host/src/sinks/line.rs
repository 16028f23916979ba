//! A line that may be cut off and is then completed, not repeated.

use std::io::{self, Write};

/// The line under way, with its end, and how much of it is written.
#[derive(Debug, Default)]
pub(super) struct CutLine {
    line: Vec<u8>,
    written: usize,
}

impl CutLine {
    /// Whether a line was begun and not completed.
    pub fn is_cut(&self) -> bool {
        self.written > 0
    }

    /// Writes a line, or the rest of it where the try before was cut off: by one write, if the system lets it.
    pub fn write(&mut self, to: &mut impl Write, line: &str) -> io::Result<()> {
        if self.written == 0 {
            self.line.clear();
            self.line.extend_from_slice(line.as_bytes());
            self.line.push(b'\n');
        }
        while self.written < self.line.len() {
            match to.write(&self.line[self.written..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => self.written += written,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.written = 0;
        Ok(())
    }
}
