//! Appends lines to a file.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;

use super::line::Lines;
use super::output::{Failure, Output};
use super::rotate::Rotation;
use super::{FileTarget, Fsync};

/// The interval of checks whether another program has renamed the file.
const RENAME_CHECK: Duration = Duration::from_secs(1);

pub(super) struct FileOutput {
    target: FileTarget,
    file: File,
    last_check: Instant,
    lines: Lines,
    rotation: Option<Rotation>,
    /// Written lines of the batch that may not be synced yet.
    unsynced: usize,
    /// When the oldest unsynced line was written.
    dirty: Option<Instant>,
}

impl FileOutput {
    pub(super) fn open(target: &FileTarget) -> io::Result<FileOutput> {
        let file = append(&target.path)?;
        let rotation = target.rotate.clone().map(|rotate| Rotation::of(rotate, &file)).transpose()?;
        Ok(FileOutput {
            target: target.clone(),
            file,
            last_check: Instant::now(),
            lines: Lines::default(),
            rotation,
            unsynced: 0,
            dirty: None,
        })
    }

    /// Opens a new file if another program has renamed the current one, without waiting for the next check.
    pub(super) fn reopen(&mut self) -> io::Result<()> {
        // The rest of a line belongs into the file with its beginning.
        if self.lines.is_cut() { Ok(()) } else { self.follow_now() }
    }

    /// Checks from time to time whether another program has renamed the file.
    fn follow(&mut self) -> io::Result<()> {
        if self.last_check.elapsed() < RENAME_CHECK { Ok(()) } else { self.follow_now() }
    }

    fn follow_now(&mut self) -> io::Result<()> {
        self.last_check = Instant::now();
        let ours = self.file.metadata()?;
        let same = std::fs::metadata(&self.target.path)
            .is_ok_and(|current| (current.dev(), current.ino()) == (ours.dev(), ours.ino()));
        if !same {
            return self.begin();
        }
        // Another program may have truncated it, or written to it.
        if let Some(rotation) = &mut self.rotation {
            rotation.measured(ours.len());
        }
        Ok(())
    }

    /// Rotates the file if that is due.
    fn rotate(&mut self, next: usize) -> io::Result<()> {
        let is_due = |output: &FileOutput| output.rotation.as_ref().is_some_and(|its| its.is_due(next));
        if !is_due(self) {
            return Ok(());
        }
        // Another program may just have done it.
        self.follow_now()?;
        if !is_due(self) {
            return Ok(());
        }
        if let Some(rotation) = &mut self.rotation {
            rotation.archive(&self.target.path)?;
        }
        self.begin()
    }

    /// Opens a new file at the path. Syncs the previous one first, unless `fsync` is `never`.
    fn begin(&mut self) -> io::Result<()> {
        if self.target.fsync != Fsync::Never {
            self.sync()?;
        }
        self.file = append(&self.target.path)?;
        if let Some(rotation) = &mut self.rotation {
            rotation.begin(&self.file)?;
        }
        if self.target.fsync != Fsync::Never
            && let Some(folder) = self.target.path.parent()
        {
            File::open(folder)?.sync_all()?;
        }
        Ok(())
    }

    /// Writes the lines that fit into the current file, at least one. Returns their number, and the error that
    /// stopped it.
    fn write(&mut self, lines: &[String]) -> (usize, io::Result<()>) {
        let next = lines.first().map_or(0, String::len) + 1;
        // Never rotates in the middle of a line.
        if !self.lines.is_cut()
            && let Err(error) = self.follow().and_then(|()| self.rotate(next))
        {
            return (0, Err(error));
        }
        let fitting = self.fitting(lines);
        let (written, result) = self.lines.write(&mut self.file, &lines[..fitting]);
        if written > 0 {
            self.dirty.get_or_insert_with(Instant::now);
        }
        if let Some(rotation) = &mut self.rotation {
            rotation.written(lines[..written].iter().map(|line| line.len() + 1).sum());
        }
        (written, result)
    }

    /// Returns how many of the lines fit into this file; the first always does.
    fn fitting(&self, lines: &[String]) -> usize {
        let Some(rotation) = &self.rotation else { return lines.len() };
        let mut bytes = 0;
        let fits = |line: &&String| {
            bytes += line.len() + 1;
            rotation.has_room(bytes)
        };
        lines.iter().take_while(fits).count().max(1)
    }

    fn sync(&mut self) -> io::Result<()> {
        match self.file.sync_data() {
            // FIFOs and devices cannot be synced.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
            synced => synced?,
        }
        self.dirty = None;
        Ok(())
    }
}

impl Output for FileOutput {
    fn deliver(&mut self, lines: &[String]) -> Result<(), Failure> {
        let each = self.target.fsync == Fsync::Each;
        while self.unsynced < lines.len() {
            let (written, result) = self.write(&lines[self.unsynced..]);
            self.unsynced += written;
            if let Err(error) = result {
                // Unsynced lines are not delivered, but are not written again either.
                let done = if each { 0 } else { std::mem::take(&mut self.unsynced) };
                return Err(Failure::retry(done, error));
            }
        }
        if each {
            self.sync().map_err(|error| Failure::retry(0, error))?;
        }
        self.unsynced = 0;
        Ok(())
    }

    fn due(&self) -> Option<Instant> {
        match (self.target.fsync, self.dirty) {
            (Fsync::Every(time), Some(dirty)) => Some(dirty + time),
            _ => None,
        }
    }

    fn maintain(&mut self) -> io::Result<()> {
        if self.target.fsync == Fsync::Never || self.dirty.is_none() {
            return Ok(());
        }
        let synced = self.sync();
        if synced.is_err() {
            // Do not retry immediately.
            self.dirty = Some(Instant::now());
        }
        synced
    }
}

/// Opens the file for appending, without waiting for the reader of a FIFO.
fn append(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    OpenOptions::new().append(true).create(true).mode(0o640).custom_flags(flags).open(path)
}
