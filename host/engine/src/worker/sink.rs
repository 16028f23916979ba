//! The destination of an upload's bytes: first memory, then the disk.

use super::gate::Gate;
use super::upload_times::UploadTimes;
use std::sync::Arc;
use tuffet_core::netascii::Decoder;
use tuffet_request::ClientKey;
use tuffet_store::{Closing, Disk, RoomBehind, StoreError, Upload};

/// Bytes per write. Small blocks are written together: an ACK before the last promises nothing about the
/// disk.
const GATHER: usize = 32 << 10;

/// Bytes waiting for the disk at which the client has to wait, too.
const ENOUGH: usize = 256 << 10;

/// The same at which blocks are dropped, however large the window is.
const MOST: usize = 8 << 20;

/// Bytes that an upload may have beside each other, in its buffer and in the running write, without a part of the room
/// that all uploads to a disk share: as many as a disk that keeps up lets wait.
const FREE: usize = GATHER + (8 << 10);

/// The largest buffer that is kept for the next write.
const MAX_SPARE: usize = 4 * GATHER;

/// An upload that is being written. At most one write runs at a time, and holds the upload meanwhile.
pub struct Sink {
    upload: Option<Upload>,
    disk: Arc<Disk>,
    client: ClientKey,
    limit: u64,
    times: UploadTimes,
    netascii: Option<Decoder>,
    /// Bytes that were not passed to a write yet.
    buffer: Vec<u8>,
    /// Room for what the buffer has beyond the free bytes.
    room: RoomBehind,
    /// The bytes of the running write without room.
    uncovered: usize,
    /// Whether a block was dropped for lack of room since the running write began.
    lacks_room: bool,
    /// The number of bytes passed to writes.
    submitted: u64,
    /// The buffer of the last write, for reuse.
    spare: Vec<u8>,
    /// Whether all bytes have arrived.
    complete: bool,
    gate: Option<Arc<dyn Gate>>,
}

/// A write of an upload.
pub(super) struct Write {
    pub(super) upload: Upload,
    offset: u64,
    bytes: Vec<u8>,
    /// Freed with the bytes, even if the transfer ends before.
    room: RoomBehind,
}

/// The result of a write.
pub struct Written {
    /// `None` while the write is still running; the upload follows when it has ended.
    pub(super) upload: Option<Upload>,
    pub(super) result: Result<(), StoreError>,
    spare: Vec<u8>,
}

impl Sink {
    /// Creates the destination of an upload from a client.
    pub fn new(upload: Upload, netascii: bool, times: UploadTimes) -> Self {
        Sink {
            room: upload.disk().room_behind(upload.client()),
            uncovered: 0,
            lacks_room: false,
            disk: Arc::clone(upload.disk()),
            client: upload.client(),
            limit: upload.limit(),
            times,
            upload: Some(upload),
            netascii: netascii.then(Decoder::default),
            buffer: Vec::new(),
            submitted: 0,
            spare: Vec::new(),
            complete: false,
            gate: None,
        }
    }

    /// Lets `gate` decide about the upload before it becomes visible.
    pub fn ask(&mut self, gate: Arc<dyn Gate>) {
        self.gate = Some(gate);
    }

    /// Where to drop it. While a write runs, that write owns the program's part.
    pub(super) fn closing(&self) -> Closing {
        self.upload.as_ref().map_or_else(|| Closing::OnDisk(Arc::clone(&self.disk)), Upload::closing)
    }

    pub(super) fn times(&self) -> UploadTimes {
        self.times
    }

    pub(super) fn disk(&self) -> &Arc<Disk> {
        &self.disk
    }

    pub(super) fn client(&self) -> ClientKey {
        self.client
    }

    /// Takes the next bytes of the stream.
    pub(super) fn accept(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        match &mut self.netascii {
            Some(decoder) => decoder.decode(bytes, &mut self.buffer),
            None => self.buffer.extend_from_slice(bytes),
        }
        self.require_limit()
    }

    /// Handles the end of the stream.
    pub(super) fn finish(&mut self) -> Result<(), StoreError> {
        if let Some(decoder) = &mut self.netascii {
            decoder.finish(&mut self.buffer);
        }
        self.complete = true;
        self.require_limit()
    }

    /// Returns whether the client should wait, because too many bytes wait for the disk.
    pub(super) fn is_full(&self) -> bool {
        self.buffer.len() >= ENOUGH || self.lacks_room
    }

    /// Makes room for a block of `more` bytes; false if the block must be dropped. A client that waits for ACKs sends a
    /// window at most after the last one, which may have left just before too many bytes waited. `window`: its bytes.
    pub(super) fn make_room(&mut self, more: usize, window: impl FnOnce() -> usize) -> bool {
        let waits = self.buffer.len() + more;
        if waits > ENOUGH && waits > MOST.min(ENOUGH + 2 * window()) {
            return false;
        }
        let needed = waits.saturating_sub(FREE.saturating_sub(self.uncovered)) as u64;
        // Without a running write, the buffer has less than a piece, and this block may begin the next one.
        if needed <= self.room.bytes() || self.upload.is_some() {
            return true;
        }
        let lacking = (needed - self.room.bytes()).next_multiple_of(GATHER as u64);
        self.lacks_room = !self.room.grow(lacking);
        !self.lacks_room
    }

    /// Returns the next write, if one is due. The caller runs it and passes the result to [`Sink::written`].
    pub(super) fn write(&mut self) -> Option<Write> {
        // Whole pieces, so that the size of writes does not depend on the speed of the disk.
        let rest = if self.complete { 0 } else { self.buffer.len() % GATHER };
        let length = self.buffer.len() - rest;
        if length == 0 {
            return None;
        }
        let upload = self.upload.take()?;
        self.spare.extend_from_slice(&self.buffer[length..]);
        let mut bytes = std::mem::replace(&mut self.buffer, std::mem::take(&mut self.spare));
        bytes.truncate(length);
        let offset = self.submitted;
        self.submitted += length as u64;
        let room = self.room.split(length as u64);
        self.uncovered = length - room.bytes() as usize;
        Some(Write { upload, offset, bytes, room })
    }

    /// Handles the end of a write.
    pub(super) fn written(&mut self, written: Written) -> Result<(), StoreError> {
        self.upload = written.upload;
        (self.uncovered, self.lacks_room) = (0, false);
        self.room.shrink_to(self.buffer.len().saturating_sub(FREE) as u64);
        if written.spare.capacity() <= MAX_SPARE && !self.room.is_scarce() {
            self.spare = written.spare;
        }
        written.result
    }

    /// Removes and returns the upload and its gate, once all bytes are written.
    pub(super) fn take_complete(&mut self) -> Option<(Upload, Option<Arc<dyn Gate>>)> {
        let upload = self.upload.take_if(|_| self.complete && self.buffer.is_empty())?;
        Some((upload, self.gate.take()))
    }

    /// Returns the upload, unless it is being written.
    pub(super) fn into_upload(self) -> Option<Upload> {
        self.upload
    }

    fn require_limit(&self) -> Result<(), StoreError> {
        let bytes = self.submitted + self.buffer.len() as u64;
        if bytes > self.limit { Err(StoreError::TooLarge { limit: self.limit }) } else { Ok(()) }
    }
}

impl Written {
    /// The result of a write that takes too long.
    pub(super) fn lost(why: StoreError) -> Written {
        Written { upload: None, result: Err(why), spare: Vec::new() }
    }
}

impl Write {
    /// Passes the bytes to the program.
    pub(super) async fn supply(mut self) -> Written {
        let mut result = Ok(());
        for piece in self.bytes.chunks(GATHER) {
            result = self.upload.write_supplied(piece).await;
            if result.is_err() {
                break;
            }
        }
        self.end(result)
    }

    /// Runs the write. Blocks on the disk.
    pub(super) fn run(self) -> Written {
        let mut offset = self.offset;
        let result = self.bytes.chunks(GATHER).try_for_each(|piece| {
            self.upload.write_at(offset, piece)?;
            offset += piece.len() as u64;
            Ok(())
        });
        self.end(result)
    }

    fn end(mut self, result: Result<(), StoreError>) -> Written {
        self.bytes.clear();
        self.room.shrink_to(0);
        Written { upload: Some(self.upload), result, spare: self.bytes }
    }
}
