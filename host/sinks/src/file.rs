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

/// The interval of checks for another file at the path, as after a rotation by another program.
const LOOK: Duration = Duration::from_secs(1);

pub(super) struct FileOutput {
    target: FileTarget,
    file: File,
    looked: Instant,
    lines: Lines,
    rotation: Option<Rotation>,
    /// Lines of the batch that are written but perhaps not synced.
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
            looked: Instant::now(),
            lines: Lines::default(),
            rotation,
            unsynced: 0,
            dirty: None,
        })
    }

    /// Opens the new file at the path after the old one was renamed.
    fn follow(&mut self) -> io::Result<()> {
        if self.looked.elapsed() < LOOK {
            return Ok(());
        }
        self.looked = Instant::now();
        let ours = self.file.metadata()?;
        let same = std::fs::metadata(&self.target.path)
            .is_ok_and(|there| (there.dev(), there.ino()) == (ours.dev(), ours.ino()));
        if same { Ok(()) } else { self.begin() }
    }

    /// Rotates the file, if it is due.
    fn rotate(&mut self, next: usize) -> io::Result<()> {
        let Some(rotation) = &mut self.rotation else { return Ok(()) };
        if !rotation.is_due(next) {
            return Ok(());
        }
        rotation.put_away(&self.target.path)?;
        self.begin()
    }

    /// Opens another file at the path; syncs the previous one first, if that was promised.
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

    /// Writes as many of the lines, at least one, as fit into the current file. Returns their number, and the
    /// error that stopped it.
    fn write(&mut self, lines: &[String]) -> (usize, io::Result<()>) {
        let next = lines.first().map_or(0, String::len) + 1;
        // No rotation in the middle of a line.
        if !self.lines.is_cut()
            && let Err(error) = self.follow().and_then(|()| self.rotate(next))
        {
            return (0, Err(error));
        }
        let fitting = self.fitting(lines);
        let (written, ended) = self.lines.write(&mut self.file, &lines[..fitting]);
        if written > 0 {
            self.dirty.get_or_insert_with(Instant::now);
        }
        if let Some(rotation) = &mut self.rotation {
            rotation.written(lines[..written].iter().map(|line| line.len() + 1).sum());
        }
        (written, ended)
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
            // A FIFO or a device has no disk.
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
            let (written, ended) = self.write(&lines[self.unsynced..]);
            self.unsynced += written;
            if let Err(error) = ended {
                // Lines that are not synced yet are not delivered, and are not written again either.
                let done = if each { 0 } else { std::mem::take(&mut self.unsynced) };
                return Err(Failure::again(done, error));
            }
        }
        if each {
            self.sync().map_err(|error| Failure::again(0, error))?;
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

    fn tend(&mut self) -> io::Result<()> {
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

/// Opens the file. Does not wait for the reader of a FIFO.
fn append(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    OpenOptions::new().append(true).create(true).mode(0o640).custom_flags(flags).open(path)
}
