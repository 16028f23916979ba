//! A file that is read without waiting: from the kernel's memory in place, from the disk ahead of its client.

use std::collections::VecDeque;
use std::io::{self, IoSliceMut};
use std::sync::Arc;
use tuffet_store::{Ahead, OpenFile};

/// Bytes that are read ahead at once: twice the window, within these bounds.
const LEAST: usize = 64 << 10;
const MOST: usize = 256 << 10;

/// Pieces that stay in memory: the one that is being sent, and the next.
const PIECES: usize = 2;

/// Why blocks could not be read.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// They are not in memory; the disk has to be asked for [`Source::wish`].
    NotYet,
    /// The file is not what it was when it was opened.
    Changed,
    Io(io::Error),
}

/// Bytes to be read from the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wish {
    pub(super) offset: u64,
    /// What is needed next, and what may be read at once where there is room for it.
    pub(super) least: usize,
    pub(super) most: usize,
}

/// What a transfer reads from. One read is under way at a time.
pub(crate) struct Source {
    file: Arc<OpenFile>,
    /// What was read ahead, one piece behind the other.
    pieces: VecDeque<Ahead>,
    /// What was not in memory when it was needed.
    missing: Option<(u64, usize)>,
    under_way: bool,
    failed: Option<ReadError>,
    piece: usize,
    /// Whether its last byte was read before.
    ended: bool,
}

impl Source {
    pub(super) fn new(file: Arc<OpenFile>) -> Source {
        Source {
            file,
            pieces: VecDeque::new(),
            missing: None,
            under_way: false,
            failed: None,
            piece: LEAST,
            ended: false,
        }
    }

    pub(super) fn file(&self) -> &Arc<OpenFile> {
        &self.file
    }

    /// Fills `buffers` with what the file has from `offset` on, all of which is inside of it.
    pub(super) fn read(&mut self, offset: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<(), ReadError> {
        let length: usize = buffers.iter().map(|buffer| buffer.len()).sum();
        if length == 0 || self.read_ahead(offset, length, buffers) {
            return Ok(());
        }
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        if self.file.is_in_place() && self.file.read_now(offset, buffers).map_err(ReadError::Io)? == length {
            return Ok(());
        }
        self.missing = Some((offset, length));
        Err(ReadError::NotYet)
    }

    /// Once its last byte has been read, whether the content is still the one that was opened.
    ///
    /// The client never sees the last block of a file that changed, so it never takes a mix of two contents for a
    /// whole file. Once it may have that block, it is shown no other one again that does not belong to it: it may
    /// have kept what came behind a gap.
    pub(super) fn require_unchanged(&mut self, ends: bool) -> Result<(), ReadError> {
        self.ended |= ends;
        // What was read ahead was looked at when it was read, by a thread that may wait for the answer.
        if !self.ended || !self.file.is_in_place() || self.file.unchanged().map_err(ReadError::Io)? {
            Ok(())
        } else {
            Err(ReadError::Changed)
        }
    }

    /// What is to be read from the disk now, if anything: what is missing, or the next piece where the client has
    /// all but the end of the last one. `acked`: bytes that it has; `window`: bytes that it may get at once. The
    /// caller reads it and says what came of it by [`Source::arrived`].
    pub(super) fn wish(&mut self, acked: u64, window: usize) -> Option<Wish> {
        if self.under_way || (self.missing.is_none() && self.pieces.is_empty()) {
            return None;
        }
        // What comes behind the last piece lies in the kernel's memory by now, if anything of the file does.
        let kept = usize::from(!self.file.is_in_place());
        while self.pieces.len() > kept && self.pieces.front().is_some_and(|piece| piece.end() <= acked) {
            self.pieces.pop_front();
        }
        self.piece = window.saturating_mul(2).clamp(LEAST, MOST);
        let have = self.pieces.front().map(Ahead::start).zip(self.pieces.back().map(Ahead::end));
        let (offset, least) = match (self.missing, have) {
            (Some((offset, length)), Some((start, end))) if (start..=end).contains(&offset) => {
                (end, (offset + length as u64).saturating_sub(end) as usize)
            }
            (Some((offset, length)), _) => {
                self.pieces.clear();
                (offset, length)
            }
            // The kernel reads ahead by itself what it keeps.
            (None, Some((_, end)))
                if !self.file.is_in_place()
                    && self.pieces.len() < PIECES
                    && acked + (self.piece / 2) as u64 >= end =>
            {
                (end, 0)
            }
            _ => return None,
        };
        let left = usize::try_from(self.file.size().saturating_sub(offset)).unwrap_or(usize::MAX);
        if left == 0 {
            return None;
        }
        self.under_way = true;
        Some(Wish { offset, least: least.min(left), most: self.piece.max(least).min(left) })
    }

    /// A wish was fulfilled, or cannot be. `None`: the file has changed.
    pub(super) fn arrived(&mut self, result: io::Result<Option<Ahead>>) {
        self.under_way = false;
        self.missing = None;
        match result {
            Ok(Some(piece)) => {
                if self.pieces.back().is_some_and(|last| last.end() != piece.start()) {
                    self.pieces.clear();
                }
                self.pieces.push_back(piece);
                if self.pieces.len() > PIECES {
                    self.pieces.pop_front();
                }
            }
            Ok(None) => self.failed = Some(ReadError::Changed),
            Err(error) => self.failed = Some(ReadError::Io(error)),
        }
    }

    /// A wish that nobody could be asked for.
    pub(super) fn withdraw(&mut self) {
        self.under_way = false;
    }

    /// Whether dropping it may wait: a file of a network file system may be written back, or asked for, when it is
    /// closed.
    pub(super) fn may_wait(&self) -> bool {
        !self.file.is_in_place()
    }

    fn read_ahead(&self, mut offset: u64, length: usize, buffers: &mut [IoSliceMut<'_>]) -> bool {
        let Some((start, end)) =
            self.pieces.front().map(Ahead::start).zip(self.pieces.back().map(Ahead::end))
        else {
            return false;
        };
        if offset < start || offset + length as u64 > end {
            return false;
        }
        for buffer in buffers {
            let mut room = &mut buffer[..];
            for piece in &self.pieces {
                let bytes = piece.from(offset);
                let (now, later) = room.split_at_mut(bytes.len().min(room.len()));
                now.copy_from_slice(&bytes[..now.len()]);
                offset += now.len() as u64;
                room = later;
            }
        }
        true
    }
}
