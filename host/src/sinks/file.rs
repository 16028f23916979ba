//! Lines at the end of a file.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::OFlags;

use super::Output;

/// How often it is looked whether another file lies at the path now, as after a rotation.
const LOOK: Duration = Duration::from_secs(1);

pub(super) struct FileOutput {
    path: PathBuf,
    file: File,
    looked: Instant,
    /// The line under way, with its end, and how much of it is written: a line that was cut off by a full
    /// disk is completed, not repeated.
    line: Vec<u8>,
    written: usize,
}

impl FileOutput {
    pub(super) fn open(path: &Path) -> io::Result<FileOutput> {
        let file = append(path)?;
        Ok(FileOutput { path: path.to_owned(), file, looked: Instant::now(), line: Vec::new(), written: 0 })
    }

    /// Follows a rename: the old file has been put away, a new one is begun.
    fn follow(&mut self) -> io::Result<()> {
        if self.looked.elapsed() < LOOK {
            return Ok(());
        }
        self.looked = Instant::now();
        let ours = self.file.metadata()?;
        let same = std::fs::metadata(&self.path)
            .is_ok_and(|there| (there.dev(), there.ino()) == (ours.dev(), ours.ino()));
        if !same {
            self.file = append(&self.path)?;
        }
        Ok(())
    }
}

impl Output for FileOutput {
    fn deliver(&mut self, line: &str) -> io::Result<()> {
        if self.written == 0 {
            self.follow()?;
            self.line.clear();
            self.line.extend_from_slice(line.as_bytes());
            self.line.push(b'\n');
        }
        while self.written < self.line.len() {
            match self.file.write(&self.line[self.written..]) {
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

/// Does not wait for the reader of a FIFO.
fn append(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    OpenOptions::new().append(true).create(true).mode(0o640).custom_flags(flags).open(path)
}
