//! A file that is read without blocking: in place if the kernel has it in memory, otherwise from the disk
//! ahead of its client.

use std::collections::VecDeque;
use std::io::{self, IoSliceMut};
use std::sync::Arc;
use tuffet_store::{Ahead, Change, Checksum, OpenFile};

/// Bytes per read-ahead: twice the window, within these bounds.
const MIN_READ_AHEAD: usize = 64 << 10;
const MAX_READ_AHEAD: usize = 256 << 10;

/// Pieces kept in memory: the one being sent, and the next. Of a stream, all that the client does not have; its window is
/// limited.
const PIECES: usize = 2;

/// The reason why blocks could not be read.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// They are not in memory; the disk has to read [`Source::next_read`].
    NotYet,
    /// The file has changed since it was opened.
    Changed,
    Io(io::Error),
}

/// A read that the disk should do.
#[derive(Debug)]
pub(super) struct NextRead {
    pub(super) offset: u64,
    /// The bytes needed next, and the bytes to read at once if memory permits.
    pub(super) least: usize,
    pub(super) most: usize,
    /// Set if the file has grown: what has been read of it must still be there.
    pub(super) known: Option<Checksum>,
}

/// The source of a transfer's bytes. At most one read runs at a time.
pub(crate) struct Source {
    file: Arc<OpenFile>,
    /// The pieces read ahead, in order.
    pieces: VecDeque<Ahead>,
    /// The needed range that was not in memory.
    missing: Option<(u64, usize)>,
    in_flight: bool,
    failed: Option<ReadError>,
    piece: usize,
    /// Whether the last byte of the file was read before.
    ended: bool,
    /// What has been read.
    read: Checksum,
    last: LastRead,
    /// Whether the file has grown, and the disk has to find out whether in no other way.
    is_doubtful: bool,
}

/// The last read: its offset, and what is known of its bytes.
#[derive(Debug, Clone, Copy, Default)]
struct LastRead {
    offset: u64,
    /// As in [`Ahead::is_certain`] and [`Ahead::is_proven`].
    is_certain: bool,
    is_proven: bool,
}

impl Source {
    pub(super) fn new(file: Arc<OpenFile>) -> Source {
        Source {
            file,
            pieces: VecDeque::new(),
            missing: None,
            in_flight: false,
            failed: None,
            piece: MIN_READ_AHEAD,
            ended: false,
            read: Checksum::default(),
            last: LastRead::default(),
            is_doubtful: false,
        }
    }

    pub(super) fn file(&self) -> &Arc<OpenFile> {
        &self.file
    }

    /// Fills `buffers` from `offset` on; the whole range is inside of the file.
    pub(super) fn read(&mut self, offset: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<(), ReadError> {
        self.last = self.fill(offset, buffers)?;
        if self.file.can_change() {
            let mut at = offset;
            for buffer in buffers {
                self.read.add(at, buffer);
                at += buffer.len() as u64;
            }
        }
        Ok(())
    }

    fn fill(&mut self, offset: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<LastRead, ReadError> {
        let length: usize = buffers.iter().map(|buffer| buffer.len()).sum();
        if let Some(read) = self.read_ahead(offset, length, buffers) {
            return Ok(read);
        }
        // Before all else, also of an empty last block: the next check would have the disk read again.
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        let in_place = LastRead { offset, ..LastRead::default() };
        if length == 0 {
            return Ok(in_place);
        }
        if self.file.is_in_place() && self.file.read_now(offset, buffers).map_err(ReadError::Io)? == length {
            return Ok(in_place);
        }
        self.missing = Some((offset, length));
        Err(ReadError::NotYet)
    }

    /// Checks, once the last byte has been read, that the content is still the one that was opened.
    ///
    /// The client never gets the last block of a changed file, so it never takes a mix of two contents for a whole
    /// file. Once it may have that block, it gets no other block of a changed file either: it may have kept the
    /// blocks after a gap. Of a file that has grown, the disk reads again what was read before: only if that is the same,
    /// the client gets its end.
    pub(super) fn require_unchanged(&mut self, ends: bool) -> Result<(), ReadError> {
        self.ended |= ends;
        if !self.ended || self.last.is_proven {
            return Ok(());
        }
        let change = if self.file.is_in_place() {
            self.file.change().map_err(ReadError::Io)?
        } else if self.last.is_certain || !self.file.can_change() {
            // Pieces read ahead were checked when they were read, by a thread that may block.
            Change::None
        } else {
            Change::Grown
        };
        match change {
            Change::None => Ok(()),
            Change::Grown if self.file.size() == 0 => Ok(()),
            Change::Grown if self.read.length() == self.file.size() => {
                self.is_doubtful = true;
                Err(ReadError::NotYet)
            }
            Change::Grown | Change::Other => Err(ReadError::Changed),
        }
    }

    /// Returns the next read from the disk, if one is due: the missing range, or the next piece if the client
    /// has all but the end of the last one. `acked`: bytes that the client has; `window`: bytes in a window.
    /// The caller runs the read and passes the result to [`Source::arrived`].
    pub(super) fn next_read(&mut self, acked: u64, window: usize) -> Option<NextRead> {
        if self.in_flight {
            return None;
        }
        if self.is_doubtful {
            self.in_flight = true;
            return Some(self.proof(acked));
        }
        if self.missing.is_none() && self.pieces.is_empty() {
            return None;
        }
        // If the file is read in place, the bytes after the last piece are in the kernel's memory by now.
        let kept = usize::from(!self.file.is_in_place());
        while self.pieces.len() > kept && self.pieces.front().is_some_and(|piece| piece.end() <= acked) {
            self.pieces.pop_front();
        }
        self.piece = window.saturating_mul(2).clamp(MIN_READ_AHEAD, MAX_READ_AHEAD);
        let have = self.pieces.front().map(Ahead::start).zip(self.pieces.back().map(Ahead::end));
        // Half of the last piece, which may be larger than requested.
        let lead = self.pieces.back().map_or(0, Ahead::length).max(self.piece) / 2;
        let (offset, least) = match (self.missing, have) {
            (Some((offset, length)), Some((start, end))) if (start..=end).contains(&offset) => {
                (end, (offset + length as u64).saturating_sub(end) as usize)
            }
            (Some((offset, length)), _) => {
                self.pieces.clear();
                (offset, length)
            }
            // The kernel itself reads ahead in files that it caches.
            (None, Some((_, end)))
                if !self.file.is_in_place() && self.pieces.len() < PIECES && acked + lead as u64 >= end =>
            {
                (end, 0)
            }
            _ => return None,
        };
        let left = usize::try_from(self.file.size().saturating_sub(offset)).unwrap_or(usize::MAX);
        if left == 0 {
            return None;
        }
        self.in_flight = true;
        let most = self.piece.max(least).min(left);
        Some(NextRead { offset, least: least.min(left), most, known: None })
    }

    /// The read that shows whether the file has grown and has not changed otherwise. It brings all that may be sent
    /// again, so that this is not read once more.
    fn proof(&self, acked: u64) -> NextRead {
        let size = self.file.size();
        // At least one byte, also where the last block has none.
        let offset = acked.min(self.last.offset).min(size.saturating_sub(1));
        let length = usize::try_from(size - offset).unwrap_or(usize::MAX);
        NextRead { offset, least: length, most: length, known: Some(self.read.clone()) }
    }

    /// Handles the result of a read. `None`: the file has changed.
    pub(super) fn arrived(&mut self, result: io::Result<Option<Ahead>>) {
        self.in_flight = false;
        self.missing = None;
        match result {
            Ok(Some(piece)) if piece.is_proven() => {
                self.is_doubtful = false;
                self.pieces = VecDeque::from([piece]);
            }
            Ok(Some(piece)) => {
                if self.pieces.back().is_some_and(|last| last.end() != piece.start()) {
                    self.pieces.clear();
                }
                self.pieces.push_back(piece);
                // A stream cannot be read again: its pieces stay until the client has them.
                if self.pieces.len() > PIECES && !self.file.is_sequential() {
                    self.pieces.pop_front();
                }
            }
            failed => {
                if self.is_doubtful {
                    self.is_doubtful = false;
                    self.pieces.clear();
                }
                self.failed = Some(failed.err().map_or(ReadError::Changed, ReadError::Io));
            }
        }
    }

    /// Cancels a read that could not be submitted.
    pub(super) fn withdraw(&mut self) {
        self.in_flight = false;
    }

    /// Fills `buffers` from the pieces, if they have the whole range.
    fn read_ahead(&self, offset: u64, length: usize, buffers: &mut [IoSliceMut<'_>]) -> Option<LastRead> {
        let (start, end) = (self.pieces.front()?.start(), self.pieces.back()?.end());
        if offset < start || offset + length as u64 > end {
            return None;
        }
        let mut at = offset;
        for buffer in buffers {
            let mut room = &mut buffer[..];
            for piece in &self.pieces {
                let bytes = piece.from(at);
                let (now, later) = room.split_at_mut(bytes.len().min(room.len()));
                now.copy_from_slice(&bytes[..now.len()]);
                at += now.len() as u64;
                room = later;
            }
        }
        let is_certain = self.pieces.iter().all(Ahead::is_certain);
        Some(LastRead { offset, is_certain, is_proven: self.pieces.iter().all(Ahead::is_proven) })
    }
}
