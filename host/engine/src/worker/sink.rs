//! Where the bytes of an upload go: into memory first, and behind that to the disk.

use std::io;
use std::sync::Arc;
use tuffet_core::netascii::Decoder;
use tuffet_store::{Disk, StoreError, Upload};

/// Bytes written at once. Small blocks are written together: an ACK before the last promises nothing about the disk.
const GATHER: usize = 32 << 10;

/// Bytes that wait for the disk before a client has to wait, too.
const ENOUGH: usize = 256 << 10;

/// An upload on its way to the disk. One write is under way at a time, and has the upload meanwhile.
pub struct Sink {
    upload: Option<Upload>,
    disk: Arc<Disk>,
    limit: u64,
    netascii: Option<Decoder>,
    /// Bytes that were not given to a write so far.
    buffer: Vec<u8>,
    /// Bytes that were.
    given: u64,
    /// The room of the last write, to be used again.
    spare: Vec<u8>,
    /// Whether all bytes have come.
    complete: bool,
}

/// A write of an upload.
pub(super) struct Write {
    pub(super) upload: Upload,
    offset: u64,
    bytes: Vec<u8>,
}

/// What a write came to.
pub struct Written {
    /// `None` where the write has not ended yet; it comes once it has.
    pub(super) upload: Option<Upload>,
    pub(super) result: Result<(), StoreError>,
    spare: Vec<u8>,
}

impl Sink {
    /// Takes an upload from a client.
    pub fn new(upload: Upload, netascii: bool) -> Self {
        Sink {
            disk: Arc::clone(upload.disk()),
            limit: upload.limit(),
            upload: Some(upload),
            netascii: netascii.then(Decoder::default),
            buffer: Vec::new(),
            given: 0,
            spare: Vec::new(),
            complete: false,
        }
    }

    pub(super) fn disk(&self) -> &Arc<Disk> {
        &self.disk
    }

    /// Takes the next bytes of the stream.
    pub(super) fn accept(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        match &mut self.netascii {
            Some(decoder) => decoder.decode(bytes, &mut self.buffer),
            None => self.buffer.extend_from_slice(bytes),
        }
        self.require_limit()
    }

    /// All bytes have come.
    pub(super) fn finish(&mut self) -> Result<(), StoreError> {
        if let Some(decoder) = &mut self.netascii {
            decoder.finish(&mut self.buffer);
        }
        self.complete = true;
        self.require_limit()
    }

    /// Whether so much waits for the disk that the client should wait.
    pub(super) fn is_full(&self) -> bool {
        self.buffer.len() >= ENOUGH
    }

    /// Whether `more` bytes beyond that would take more memory than a window is worth.
    pub(super) fn is_overfull(&self, more: usize) -> bool {
        self.buffer.len() + more > ENOUGH * 32
    }

    /// What is to be written now, if anything. The caller writes it and says what came of it by
    /// [`Sink::written`].
    pub(super) fn write(&mut self) -> Option<Write> {
        // Whole pieces, so that what is written does not depend on how fast the disk is.
        let rest = if self.complete { 0 } else { self.buffer.len() % GATHER };
        let length = self.buffer.len() - rest;
        if length == 0 {
            return None;
        }
        let upload = self.upload.take()?;
        self.spare.extend_from_slice(&self.buffer[length..]);
        let mut bytes = std::mem::replace(&mut self.buffer, std::mem::take(&mut self.spare));
        bytes.truncate(length);
        let offset = self.given;
        self.given += length as u64;
        Some(Write { upload, offset, bytes })
    }

    /// A write has ended.
    pub(super) fn written(&mut self, written: Written) -> Result<(), StoreError> {
        self.upload = written.upload;
        self.spare = written.spare;
        written.result
    }

    /// The upload, once all bytes are written.
    pub(super) fn take_complete(&mut self) -> Option<Upload> {
        if self.complete && self.buffer.is_empty() { self.upload.take() } else { None }
    }

    /// The upload, unless it is being written.
    pub(super) fn into_upload(self) -> Option<Upload> {
        self.upload
    }

    fn require_limit(&self) -> Result<(), StoreError> {
        let bytes = self.given + self.buffer.len() as u64;
        if bytes > self.limit { Err(StoreError::TooLarge { limit: self.limit }) } else { Ok(()) }
    }
}

impl Written {
    /// One that takes too long.
    pub(super) fn lost(why: io::Error) -> Written {
        Written { upload: None, result: Err(StoreError::Io(why)), spare: Vec::new() }
    }
}

impl Write {
    /// Waits for the disk.
    pub(super) fn run(mut self) -> Written {
        let mut offset = self.offset;
        let result = self.bytes.chunks(GATHER).try_for_each(|piece| {
            self.upload.write_at(offset, piece)?;
            offset += piece.len() as u64;
            Ok(())
        });
        self.bytes.clear();
        Written { upload: Some(self.upload), result, spare: self.bytes }
    }
}
