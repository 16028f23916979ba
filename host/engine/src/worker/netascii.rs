//! A file that is encoded as netascii while it is sent.

use super::source::{ReadError, Source};
use std::collections::VecDeque;
use std::io::IoSliceMut;
use std::sync::Arc;
use tuffet_core::netascii::Encoder;
use tuffet_core::{DATA_HEADER, Transfer};
use tuffet_store::OpenFile;

/// A file that is sent as netascii. A block's position in the file depends on all bytes before it, so the
/// state at the start of each block that may be sent again is kept: a few bytes per block.
pub struct NetasciiFile {
    pub(super) source: Source,
    /// Bytes on the wire; `None` until the end is reached, unless they were counted before.
    pub(super) size: Option<u64>,
    /// The block of the first entry of `starts`.
    first: u64,
    starts: VecDeque<(u64, Encoder)>,
}

impl NetasciiFile {
    /// `size`: its bytes on the wire, if they were counted. Counting takes as long as reading the file.
    pub fn new(file: Arc<OpenFile>, size: Option<u64>) -> Self {
        let starts = VecDeque::from([(0, Encoder::default())]);
        NetasciiFile { source: Source::new(file), size, first: 1, starts }
    }

    /// Forgets blocks that the client has: they are never sent again. Returns the bytes of the file in them.
    pub(super) fn acknowledged(&mut self, transfer: &Transfer) -> u64 {
        while self.first <= transfer.blocks() && self.starts.len() > 1 {
            self.starts.pop_front();
            self.first += 1;
        }
        self.starts.front().map_or(0, |(offset, _)| *offset)
    }

    /// As [`Content::fill`](super::Content::fill), after headers that are already written.
    pub(super) fn fill(
        &mut self,
        transfer: &Transfer,
        first: u64,
        room: &mut [u8],
        segment: usize,
    ) -> Result<usize, ReadError> {
        self.acknowledged(transfer);
        let blksize = segment - DATA_HEADER;
        let mut raw = vec![0; segment];
        let mut used = 0;
        for (block, packet) in (first..).zip(room.chunks_mut(segment)) {
            let at = block.checked_sub(self.first).map(|at| at as usize);
            let Some(&(mut offset, mut encoder)) = at.and_then(|at| self.starts.get(at)) else {
                return Err(ReadError::Changed);
            };
            let payload = &mut packet[DATA_HEADER..];
            let mut filled = 0;
            if payload.is_empty() {
                // An empty last block: whether the file is unchanged depends on the last read.
                self.source.read(offset, &mut [])?;
            }
            while filled < payload.len() {
                let left = self.source.file().size().saturating_sub(offset);
                let wanted = (payload.len() - filled).min(usize::try_from(left).unwrap_or(usize::MAX));
                self.source.read(offset, &mut [IoSliceMut::new(&mut raw[..wanted])])?;
                let (taken, written) = encoder.encode(&raw[..wanted], &mut payload[filled..]);
                if written == 0 {
                    break;
                }
                offset += taken as u64;
                filled += written;
            }
            let is_at_end = offset == self.source.file().size() && encoder.is_done();
            let is_full = filled == blksize;
            if !is_full && !is_at_end {
                return Err(ReadError::Changed);
            }
            if is_at_end {
                let size = (block - 1) * blksize as u64 + filled as u64;
                // The size was counted before a change that the file's times do not show.
                if *self.size.get_or_insert(size) != size {
                    return Err(ReadError::Changed);
                }
            }
            if at == Some(self.starts.len() - 1) {
                self.starts.push_back((offset, encoder));
            }
            used += DATA_HEADER + filled;
            self.source.require_unchanged(!is_full)?;
            if !is_full {
                break;
            }
        }
        Ok(used)
    }
}
