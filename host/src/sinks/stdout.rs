//! Lines on standard output.

use std::fs::File;
use std::os::fd::AsFd;

use super::line::CutLine;
use super::output::{Failure, Output};

#[derive(Debug, Default)]
pub(super) struct StdoutOutput {
    /// Not through the standard library's buffer, which would keep a line that was cut off.
    file: Option<File>,
    line: CutLine,
}

impl Output for StdoutOutput {
    fn deliver(&mut self, lines: &[String]) -> Result<(), Failure> {
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let owned = std::io::stdout().as_fd().try_clone_to_owned();
                self.file.insert(owned.map_err(|error| Failure::again(0, error))?.into())
            }
        };
        for (done, line) in lines.iter().enumerate() {
            self.line.write(file, line).map_err(|error| Failure::again(done, error))?;
        }
        Ok(())
    }
}
