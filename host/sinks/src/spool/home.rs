//! The folder of a spool, its home, and the folders beside it that hold lines of other processes of the same server.
//!
//! Nothing is lost or delivered twice when lines come home: whole segments are renamed. Only of a segment that is partly
//! delivered, the rest is copied. A crash in between leaves that segment in both folders.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::lock::{self, try_lock};
use super::position::PositionFile;
use super::segment;
use super::state::{Segment, SpoolState};
use crate::backlog::Position;
use tuffet_config::sinks::{Fsync, SpoolSpec};

/// The prefix of the folders beside; a number follows.
const BESIDE: &str = "beside-";
/// The name of the file with the position of delivery.
const POSITION: &str = "position";
/// The largest number of folders beside: as many processes of a server would have to end their transfers at once.
const MAX_BESIDE: u32 = 100;
/// How long a start waits for another process that is ending.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(20);

/// Opens the folder. Waits briefly for a process that is ending.
pub(super) fn open(spec: &SpoolSpec) -> io::Result<SpoolState> {
    create(&spec.path)?;
    let end = Instant::now() + PATIENCE;
    loop {
        match try_lock(&spec.path)? {
            Some(lock) => return open_home(spec, lock),
            None if Instant::now() < end => std::thread::sleep(PAUSE),
            None => {
                let folder = spec.path.display();
                return Err(io::Error::other(format!(
                    "another process has the spool {folder}; give each server its own `state:`"
                )));
            }
        }
    }
}

/// Opens the folder, or one beside it if another process of the server has it.
pub(super) fn open_or_beside(spec: &SpoolSpec) -> io::Result<SpoolState> {
    create(&spec.path)?;
    if let Some(lock) = try_lock(&spec.path)? {
        return open_home(spec, lock);
    }
    for number in 1..=MAX_BESIDE {
        let folder = spec.path.join(format!("{BESIDE}{number}"));
        create(&folder)?;
        if let Some(lock) = try_lock(&folder)? {
            // It may have lines of an ended process.
            let beside = SpoolSpec { path: folder, ..spec.clone() };
            let mut state = open_folder(&beside, lock)?;
            state.home = Some(spec.path.clone());
            return Ok(state);
        }
    }
    let folder = spec.path.display();
    Err(io::Error::other(format!("{MAX_BESIDE} processes of this server have the spool {folder}")))
}

fn open_home(spec: &SpoolSpec, lock: File) -> io::Result<SpoolState> {
    let mut state = open_folder(spec, lock)?;
    state.take_in_left();
    Ok(state)
}

fn open_folder(spec: &SpoolSpec, lock: File) -> io::Result<SpoolState> {
    let (position_file, position) = PositionFile::open(&spec.path.join(POSITION))?;
    SpoolState::recover(spec, lock, position_file, position)
}

fn create(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

impl SpoolState {
    /// Moves home if another process has left it, and takes in the lines of ended processes. To be called while no line
    /// is in flight. Logs failures: what cannot be taken in stays for the next start.
    pub(super) fn take_over(&mut self) {
        if let Err(error) = self.move_home() {
            self.log(&error);
        }
        if self.home.is_none() {
            self.take_in_left();
        }
    }

    fn move_home(&mut self) -> io::Result<()> {
        let Some(home) = &self.home else { return Ok(()) };
        let spec = SpoolSpec { path: home.clone(), bytes: self.max_bytes, fsync: self.fsync };
        let Some(lock) = try_lock(&spec.path)? else { return Ok(()) };
        let home = open_folder(&spec, lock)?;
        let beside = std::mem::replace(self, home);
        self.take_in(&beside.folder, beside.position)
    }

    /// Takes in the lines of ended processes.
    fn take_in_left(&mut self) {
        let take_in = |state: &mut SpoolState, folder: &Path| {
            // Without the lock, a running process has it.
            let Some(_lock) = try_lock(folder)? else { return Ok(()) };
            let (_, position) = PositionFile::open(&folder.join(POSITION))?;
            state.take_in(folder, position.unwrap_or_default())
        };
        let done = left(&self.folder)
            .and_then(|folders| folders.iter().try_for_each(|folder| take_in(self, folder)));
        if let Err(error) = done {
            self.log(&error);
        }
    }

    fn log(&self, error: &io::Error) {
        tracing::warn!(
            target: "tuffet::sinks::spool", folder = %self.folder.display(), %error,
            "lines that another process of this server left in a spool cannot be taken over; the next start tries again"
        );
    }

    /// Appends the undelivered segments of another folder, which this process has locked, and removes it.
    fn take_in(&mut self, from: &Path, position: Position) -> io::Result<()> {
        let syncs = self.fsync != Fsync::Never;
        if syncs {
            self.last().file.sync_data()?;
        }
        for number in segment::numbers(from)? {
            let path = segment::path(from, number);
            let length = fs::metadata(&path)?.len();
            let delivered = match number {
                number if number < position.segment => length,
                number if number == position.segment && position.offset <= length => position.offset,
                _ => 0,
            };
            if delivered == length {
                fs::remove_file(&path)?;
                continue;
            }
            let next = self.last().number + 1;
            let to = segment::path(&self.folder, next);
            if delivered > 0 {
                copy_rest(&path, delivered, &to)?;
                fs::remove_file(&path)?;
            } else {
                fs::rename(&path, &to)?;
            }
            let mut file = segment::open(&to)?;
            let (lines, whole) = segment::scan(&mut file, 0)?;
            file.set_len(whole)?;
            if syncs {
                file.sync_data()?;
            }
            self.segments.push_back(Segment { number: next, file: Arc::new(file), bytes: whole });
            self.cut = false;
            self.lines += lines;
            self.since.get_or_insert_with(Instant::now);
        }
        if syncs {
            File::open(&self.folder)?.sync_all()?;
        }
        // What remains is empty, and used again if it cannot be removed.
        let _ = fs::remove_file(from.join(POSITION));
        let _ = fs::remove_file(from.join(lock::NAME));
        let _ = fs::remove_dir(from);
        Ok(())
    }
}

/// Returns the folders beside, in the order of their numbers.
fn left(home: &Path) -> io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(home)? {
        let entry = entry?;
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(BESIDE)?.parse::<u32>().ok());
        if let Some(number) = number
            && entry.file_type()?.is_dir()
        {
            folders.push((number, entry.path()));
        }
    }
    folders.sort_unstable();
    Ok(folders.into_iter().map(|(_, folder)| folder).collect())
}

/// Copies a file from this offset on; the copy appears when it is complete.
fn copy_rest(from: &Path, offset: u64, to: &Path) -> io::Result<()> {
    let mut from = File::open(from)?;
    from.seek(SeekFrom::Start(offset))?;
    let new = to.with_extension("new");
    let mut copy = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
    io::copy(&mut from, &mut copy)?;
    copy.sync_data()?;
    fs::rename(new, to)
}
