//! The state of a spool, under its lock: segments, the position of delivery, and counters.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::position::PositionFile;
use super::segment;
use crate::backlog::{Position, TakenLines};
use crate::queue::Store;
use tuffet_config::sinks::{Batch, Fsync, SpoolSpec};

/// The minimum and maximum segment size in bytes; in between, an eighth of the spool.
const SEGMENT_BYTES: (u64, u64) = (4 << 10, 8 << 20);

#[derive(Debug)]
pub(super) struct SpoolState {
    pub folder: PathBuf,
    /// The folder of the sink, if another process has it and `folder` lies beside it.
    pub home: Option<PathBuf>,
    /// Whether to take over the lines of ended processes before the next delivery.
    pub takes_over: bool,
    /// The lock that keeps other processes out.
    _lock: File,
    pub max_bytes: u64,
    pub fsync: Fsync,
    /// Oldest first; never empty. Lines are appended to the last one.
    pub segments: VecDeque<Segment>,
    /// The position of delivery; always in the first segment.
    pub position: Position,
    position_file: PositionFile,
    pub lines: u64,
    /// Whether the last appended line may be incomplete.
    pub cut: bool,
    /// When data was added that may not be on the disk yet.
    dirty: Option<Instant>,
    /// When the oldest queued line arrived.
    pub since: Option<Instant>,
    /// Whether a write error has been logged.
    pub complained: bool,
}

#[derive(Debug)]
pub(super) struct Segment {
    pub number: u64,
    pub file: Arc<File>,
    pub bytes: u64,
}

impl SpoolState {
    pub fn recover(
        spec: &SpoolSpec,
        lock: File,
        position_file: PositionFile,
        written: Option<Position>,
    ) -> io::Result<SpoolState> {
        let mut position = written.unwrap_or_default();
        let (mut segments, mut lines) = (VecDeque::new(), 0);
        let numbers = segment::numbers(&spec.path)?;
        for number in &numbers {
            let path = segment::path(&spec.path, *number);
            // Delivered completely, but not removed because of a crash.
            if *number < position.segment {
                fs::remove_file(path)?;
                continue;
            }
            let mut file = segment::open(&path)?;
            let length = file.metadata()?.len();
            let from =
                if *number == position.segment && position.offset <= length { position.offset } else { 0 };
            if segments.is_empty() {
                position = Position { segment: *number, offset: from };
            }
            let (segment_lines, whole) = segment::scan(&mut file, from)?;
            if whole < length {
                file.set_len(whole)?;
            }
            lines += segment_lines;
            segments.push_back(Segment { number: *number, file: Arc::new(file), bytes: whole });
        }
        if segments.is_empty() {
            let number = position.segment.max(numbers.last().copied().unwrap_or_default()) + 1;
            segments.push_back(Segment::make(&spec.path, number)?);
            position = Position { segment: number, offset: 0 };
        }
        Ok(SpoolState {
            folder: spec.path.clone(),
            home: None,
            takes_over: false,
            _lock: lock,
            max_bytes: spec.bytes,
            fsync: spec.fsync,
            segments,
            position,
            position_file,
            lines,
            cut: false,
            dirty: None,
            since: (lines > 0).then(Instant::now),
            complained: false,
        })
    }

    /// Returns the queued bytes.
    pub fn waiting(&self) -> u64 {
        self.segments.iter().map(|segment| segment.bytes).sum::<u64>() - self.position.offset
    }

    pub fn append(&mut self, line: &str) -> io::Result<()> {
        let record = segment::record(line);
        let max_segment = (self.max_bytes / 8).clamp(SEGMENT_BYTES.0, SEGMENT_BYTES.1);
        let fsync = self.fsync;
        let last = self.last();
        if last.bytes > 0 && last.bytes + record.len() as u64 > max_segment {
            // Syncs the previous segment before the next one is written.
            if fsync != Fsync::Never {
                last.file.sync_data()?;
            }
            let next = last.number + 1;
            self.segments.push_back(Segment::make(&self.folder, next)?);
            if fsync != Fsync::Never {
                File::open(&self.folder)?.sync_all()?;
            }
            self.cut = false;
        }
        let cut = self.cut;
        let segment = self.last();
        if cut {
            // The partial line could not be removed: a line feed ends it, and it counts as damaged.
            (&*segment.file).write_all(b"\n")?;
            segment.bytes = segment.file.metadata()?.len();
            self.lines += 1;
            self.cut = false;
        }
        let segment = self.last();
        if let Err(error) = (&*segment.file).write_all(&record) {
            // On a full disk: removes the partial line.
            let length_before = segment.bytes;
            self.cut = segment.file.set_len(length_before).is_err();
            return Err(error);
        }
        segment.bytes += record.len() as u64;
        let file = Arc::clone(&segment.file);
        self.lines += 1;
        self.since.get_or_insert_with(Instant::now);
        match self.fsync {
            Fsync::Never => {}
            // If this fails, the plugin gets an error, but the line may still be delivered.
            Fsync::Each => file.sync_data()?,
            Fsync::Every(_) => {
                self.dirty.get_or_insert_with(Instant::now);
            }
        }
        Ok(())
    }

    pub fn last(&mut self) -> &mut Segment {
        self.segments.back_mut().expect("a spool always has a segment")
    }

    /// Records that everything up to this position is delivered, and removes delivered segments.
    pub fn advance(&mut self, position: Position) -> io::Result<()> {
        let mut delivered = Vec::new();
        while self.segments.len() > 1
            && let Some(first) = self.segments.front()
            && (first.number < position.segment || first.bytes <= position.offset)
        {
            delivered.extend(self.segments.pop_front().map(|segment| segment.number));
        }
        let first = self.segments.front().map_or(position.segment, |first| first.number);
        self.position =
            if first == position.segment { position } else { Position { segment: first, offset: 0 } };
        self.position_file.write(self.position)?;
        delivered.into_iter().try_for_each(|number| fs::remove_file(segment::path(&self.folder, number)))
    }
}

impl Store for SpoolState {
    fn prepare(&mut self) {
        if std::mem::take(&mut self.takes_over) {
            self.take_over();
        }
    }

    fn ready(&self) -> (u64, u64) {
        (self.lines, self.waiting())
    }

    fn since(&self) -> Option<Instant> {
        self.since
    }

    fn sync_due(&self) -> Option<(Instant, Arc<File>)> {
        let Fsync::Every(time) = self.fsync else { return None };
        Some((self.dirty? + time, Arc::clone(&self.segments.back()?.file)))
    }

    fn take(&mut self, batch: &Batch) -> io::Result<TakenLines> {
        let mut taken = TakenLines::default();
        // The position after damaged lines with no intact line before them.
        let mut after_damaged = None;
        let mut bytes = 0;
        let mut from = self.position.offset;
        for segment in &self.segments {
            let (lines, room) = (batch.lines - taken.lines.len(), batch.bytes.saturating_sub(bytes));
            if lines == 0 || (room == 0 && !taken.lines.is_empty()) {
                break;
            }
            let found = segment::read(&segment.file, from, segment.bytes, lines, room)?;
            let reached = found.lines.last().map_or(from, |(_, end)| *end);
            for (line, end) in found.lines {
                let position = Position { segment: segment.number, offset: end };
                match line {
                    Some(line) => {
                        bytes += line.len();
                        taken.lines.push(line);
                        taken.positions.push(position);
                    }
                    None => {
                        taken.damaged += 1;
                        // Acknowledged with the line before it, or at once.
                        match taken.positions.last_mut() {
                            Some(last) => *last = position,
                            None => after_damaged = Some(position),
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
        if let Some(position) = after_damaged {
            self.advance(position)?;
        }
        Ok(taken)
    }

    fn begin_sync(&mut self) {
        self.dirty = None;
    }
}

impl Segment {
    fn make(folder: &Path, number: u64) -> io::Result<Segment> {
        let file = segment::open(&segment::path(folder, number))?;
        Ok(Segment { number, file: Arc::new(file), bytes: 0 })
    }
}
