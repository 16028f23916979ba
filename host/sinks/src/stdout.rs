//! Writes lines to standard output.

use std::fs::File;
use std::os::fd::AsFd;

use super::line::Lines;
use super::output::{Failure, Output};

#[derive(Debug, Default)]
pub(super) struct StdoutOutput {
    /// Bypasses the standard library's buffer, which would hold back a partial line.
    file: Option<File>,
    lines: Lines,
}

impl Output for StdoutOutput {
    fn deliver(&mut self, lines: &[String]) -> Result<(), Failure> {
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let owned = std::io::stdout().as_fd().try_clone_to_owned();
                self.file.insert(owned.map_err(|error| Failure::retry(0, error))?.into())
            }
        };
        let (done, ended) = self.lines.write(file, lines);
        ended.map_err(|error| Failure::retry(done, error))
    }
}
