//! Lines that wait on disk: in the order in which they came, over crashes and restarts, until they are
//! delivered.
//!
//! A folder with segments, to the last of which lines are added, and the place up to which they are
//! delivered. Lines that were under way at a crash are delivered again.

mod position;
mod segment;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::FlockOperation;

use super::{Batch, Fsync, Full, Pace, SpoolSpec};
use position::{Place, Position};

/// Bytes of a segment at most, and at least; between, an eighth of the spool.
const SEGMENT: (u64, u64) = (4 << 10, 8 << 20);

/// An open spool. Sinks of one place share it: that of a generation that ends and that of the next.
#[derive(Debug)]
pub(super) struct Spool {
    folder: PathBuf,
    state: Mutex<State>,
    news: Condvar,
    /// Of those who want to deliver, the last one.
    owner: AtomicU64,
    /// Held by who delivers.
    pub delivering: Mutex<()>,
    /// Keeps other processes out.
    _lock: File,
}

#[derive(Debug)]
struct State {
    bytes_at_most: u64,
    fsync: Fsync,
    /// Oldest first; never empty. Lines are added to the last one.
    segments: VecDeque<Segment>,
    /// Up to where it is delivered; always in the first segment.
    place: Place,
    position: Position,
    lines: u64,
    /// The line that was added last may have been cut off.
    cut: bool,
    /// When something was added that is not known to be on the disk.
    dirty: Option<Instant>,
    /// When the first of the lines that wait came.
    since: Option<Instant>,
    /// Whether it was said that it cannot be written.
    complained: bool,
}

#[derive(Debug)]
struct Segment {
    number: u64,
    file: Arc<File>,
    bytes: u64,
}

/// Lines from the spool.
#[derive(Debug, Default)]
pub(super) struct Taken {
    pub lines: Vec<String>,
    /// For each line, where delivery goes on behind it.
    places: Vec<Place>,
    /// Lines that were damaged and are left out.
    pub damaged: usize,
}

impl Spool {
    /// Opens or makes the folder; cuts off what a crash left half written.
    ///
    /// # Errors
    /// The folder cannot be made, read or written, or another process has it.
    pub fn open(spec: &SpoolSpec) -> io::Result<Spool> {
        let folder = &spec.path;
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let lock = lock(folder)?;
        let (position, written) = Position::open(&folder.join("position"))?;
        let state = State::recover(spec, position, written)?;
        Ok(Spool {
            folder: folder.clone(),
            state: Mutex::new(state),
            news: Condvar::new(),
            owner: AtomicU64::new(0),
            delivering: Mutex::default(),
            _lock: lock,
        })
    }

    /// Takes over what may have changed since it was opened.
    pub fn adopt(&self, spec: &SpoolSpec) {
        let mut state = self.lock();
        (state.bytes_at_most, state.fsync) = (spec.bytes, spec.fsync);
    }

    /// Another one wants to deliver; who does so far is to stop.
    pub fn claim(&self) -> u64 {
        let claim = self.owner.fetch_add(1, Ordering::AcqRel) + 1;
        self.wake();
        claim
    }

    /// Whether nobody has claimed it since.
    pub fn is_owner(&self, claim: u64) -> bool {
        self.owner.load(Ordering::Acquire) == claim
    }

    /// Adds a line; it is on disk then, as far as `fsync` promises. Blocks.
    pub fn append(&self, line: &str) -> Result<(), Full> {
        let mut state = self.lock();
        if state.waiting() + segment::size_of(line) > state.bytes_at_most {
            return Err(Full);
        }
        match state.append(&self.folder, line) {
            Ok(()) => {
                state.complained = false;
                drop(state);
                self.news.notify_all();
                Ok(())
            }
            Err(error) => {
                if !std::mem::replace(&mut state.complained, true) {
                    let folder = self.folder.display();
                    tracing::warn!(%folder, %error, "a spool cannot be written; plugins hear that it is full");
                }
                Err(Full)
            }
        }
    }

    /// The next lines, as soon as there are as many as `batch` wants or they have waited long enough. Empty
    /// when it is `until`, or when it is to stop and there are none. Syncs what is due meanwhile.
    ///
    /// # Errors
    /// The disk fails.
    pub fn take(&self, batch: &Batch, until: Option<Instant>, pace: &dyn Fn() -> Pace) -> io::Result<Taken> {
        let mut state = self.lock();
        loop {
            let pace = pace();
            let hurry = pace != Pace::Calm;
            let now = Instant::now();
            if let Some((due, file)) = state.sync_due()
                && (hurry || due <= now)
            {
                state.dirty = None;
                drop(state);
                file.sync_data()?;
                state = self.lock();
                continue;
            }
            let ripe = state.since.map(|since| since + batch.wait);
            let enough = state.lines >= batch.lines as u64 || state.waiting() >= batch.bytes as u64;
            if state.lines > 0 && (hurry || enough || ripe.is_some_and(|ripe| now >= ripe)) {
                return state.take(&self.folder, batch);
            }
            if pace == Pace::Stop || until.is_some_and(|until| now >= until) {
                return Ok(Taken::default());
            }
            let due = state.sync_due().map(|(due, _)| due);
            state = match [ripe, until, due].into_iter().flatten().min() {
                None => self.news.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(end) => {
                    let waited = self.news.wait_timeout(state, end.saturating_duration_since(now));
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// The first so many lines of these are done with: they do not come again.
    ///
    /// # Errors
    /// The disk fails; then they may, after a restart.
    pub fn acknowledge(&self, taken: &mut Taken, lines: usize) -> io::Result<()> {
        let done = taken.places.drain(..lines.min(taken.places.len())).next_back();
        let mut state = self.lock();
        state.lines = state.lines.saturating_sub(lines as u64);
        state.since = if state.lines == 0 { None } else { Some(Instant::now()) };
        match done {
            Some(place) => state.advance(&self.folder, place),
            None => Ok(()),
        }
    }

    /// Lines and bytes that wait.
    pub fn size(&self) -> (u64, u64) {
        let state = self.lock();
        (state.lines, state.waiting())
    }

    /// Lets who waits look again.
    pub fn wake(&self) {
        let _state = self.lock();
        self.news.notify_all();
    }

    /// Waits, at most until then, unless it is to stop.
    pub fn pause(&self, until: Instant, pace: &dyn Fn() -> Pace) {
        let mut state = self.lock();
        while pace() != Pace::Stop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self.news.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps other processes out. Waits a little for one that is ending.
fn lock(folder: &Path) -> io::Result<File> {
    let file = segment::open(&folder.join("lock"))?;
    let end = Instant::now() + Duration::from_secs(1);
    loop {
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(rustix::io::Errno::WOULDBLOCK) if Instant::now() < end => {
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(rustix::io::Errno::WOULDBLOCK) => {
                let folder = folder.display();
                return Err(io::Error::other(format!(
                    "another process has the spool {folder}; give each server a `state:` of its own"
                )));
            }
            Err(errno) => return Err(errno.into()),
        }
    }
}

impl State {
    fn recover(spec: &SpoolSpec, position: Position, written: Option<Place>) -> io::Result<State> {
        let mut place = written.unwrap_or_default();
        let (mut segments, mut lines) = (VecDeque::new(), 0);
        let numbers = segment::numbers(&spec.path)?;
        for number in &numbers {
            let path = segment::path(&spec.path, *number);
            // Delivered as a whole, and a crash came before it was removed.
            if *number < place.segment {
                fs::remove_file(path)?;
                continue;
            }
            let mut file = segment::open(&path)?;
            let length = file.metadata()?.len();
            let from = if *number == place.segment && place.offset <= length { place.offset } else { 0 };
            if segments.is_empty() {
                place = Place { segment: *number, offset: from };
            }
            let (its, whole) = segment::scan(&mut file, from)?;
            if whole < length {
                file.set_len(whole)?;
            }
            lines += its;
            segments.push_back(Segment { number: *number, file: Arc::new(file), bytes: whole });
        }
        if segments.is_empty() {
            let number = place.segment.max(numbers.last().copied().unwrap_or_default()) + 1;
            segments.push_back(Segment::make(&spec.path, number)?);
            place = Place { segment: number, offset: 0 };
        }
        Ok(State {
            bytes_at_most: spec.bytes,
            fsync: spec.fsync,
            segments,
            place,
            position,
            lines,
            cut: false,
            dirty: None,
            since: (lines > 0).then(Instant::now),
            complained: false,
        })
    }

    /// Bytes that wait.
    fn waiting(&self) -> u64 {
        self.segments.iter().map(|segment| segment.bytes).sum::<u64>() - self.place.offset
    }

    fn append(&mut self, folder: &Path, line: &str) -> io::Result<()> {
        let record = segment::record(line);
        let most = (self.bytes_at_most / 8).clamp(SEGMENT.0, SEGMENT.1);
        let fsync = self.fsync;
        let last = self.last();
        if last.bytes > 0 && last.bytes + record.len() as u64 > most {
            // What is in the one before is on the disk before anything in the next one.
            if fsync != Fsync::Never {
                last.file.sync_data()?;
            }
            let next = last.number + 1;
            self.segments.push_back(Segment::make(folder, next)?);
            if fsync != Fsync::Never {
                File::open(folder)?.sync_all()?;
            }
            self.cut = false;
        }
        let cut = self.cut;
        let segment = self.last();
        if cut {
            // It could not be taken back: a line feed ends it, and it counts as damaged.
            (&*segment.file).write_all(b"\n")?;
            segment.bytes = segment.file.metadata()?.len();
            self.lines += 1;
            self.cut = false;
        }
        let segment = self.last();
        if let Err(error) = (&*segment.file).write_all(&record) {
            // A full disk: no half line may stay.
            let back = segment.bytes;
            self.cut = segment.file.set_len(back).is_err();
            return Err(error);
        }
        segment.bytes += record.len() as u64;
        let file = Arc::clone(&segment.file);
        self.lines += 1;
        self.since.get_or_insert_with(Instant::now);
        match self.fsync {
            Fsync::Never => {}
            // Where this fails the plugin hears of it, and the line may come all the same.
            Fsync::Each => file.sync_data()?,
            Fsync::Every(_) => {
                self.dirty.get_or_insert_with(Instant::now);
            }
        }
        Ok(())
    }

    fn last(&mut self) -> &mut Segment {
        self.segments.back_mut().expect("a spool has a segment at all times")
    }

    /// When the last segment is to be synced, and its file.
    fn sync_due(&self) -> Option<(Instant, Arc<File>)> {
        let Fsync::Every(time) = self.fsync else { return None };
        Some((self.dirty? + time, Arc::clone(&self.segments.back()?.file)))
    }

    fn take(&mut self, folder: &Path, batch: &Batch) -> io::Result<Taken> {
        let mut taken = Taken::default();
        // Behind damaged lines that no good one precedes.
        let mut behind = None;
        let mut bytes = 0;
        let mut from = self.place.offset;
        for segment in &self.segments {
            let (lines, room) = (batch.lines - taken.lines.len(), batch.bytes.saturating_sub(bytes));
            if lines == 0 || (room == 0 && !taken.lines.is_empty()) {
                break;
            }
            let found = segment::read(&segment.file, from, segment.bytes, lines, room)?;
            let reached = found.lines.last().map_or(from, |(_, end)| *end);
            for (line, end) in found.lines {
                let place = Place { segment: segment.number, offset: end };
                match line {
                    Some(line) => {
                        bytes += line.len();
                        taken.lines.push(line);
                        taken.places.push(place);
                    }
                    None => {
                        taken.damaged += 1;
                        // Goes with the line before it, or is left behind at once.
                        match taken.places.last_mut() {
                            Some(last) => *last = place,
                            None => behind = Some(place),
                        }
                    }
                }
            }
            if reached < segment.bytes {
                break;
            }
            from = 0;
        }
        self.lines = self.lines.saturating_sub(taken.damaged as u64);
        if self.lines == 0 {
            self.since = None;
        }
        if let Some(place) = behind {
            self.advance(folder, place)?;
        }
        Ok(taken)
    }

    /// Everything up to this place is delivered.
    fn advance(&mut self, folder: &Path, place: Place) -> io::Result<()> {
        let mut over = Vec::new();
        while self.segments.len() > 1
            && let Some(first) = self.segments.front()
            && (first.number < place.segment || first.bytes <= place.offset)
        {
            over.extend(self.segments.pop_front().map(|segment| segment.number));
        }
        let first = self.segments.front().map_or(place.segment, |first| first.number);
        self.place = if first == place.segment { place } else { Place { segment: first, offset: 0 } };
        self.position.write(self.place)?;
        over.into_iter().try_for_each(|number| fs::remove_file(segment::path(folder, number)))
    }
}

impl Segment {
    fn make(folder: &Path, number: u64) -> io::Result<Segment> {
        let file = segment::open(&segment::path(folder, number))?;
        Ok(Segment { number, file: Arc::new(file), bytes: 0 })
    }
}
