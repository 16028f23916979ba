//! What a transfer moves: where the bytes of a block come from, and where they go.

use super::netascii::NetasciiFile;
use std::io::{self, IoSliceMut};
use std::sync::Arc;
use tuffet_core::netascii::Decoder;
use tuffet_core::{Blocks, DATA_HEADER, Transfer, data_header};
use tuffet_store::{MemoryBytes, OpenFile, StoreError, Upload};
use tuffet_udp::MAX_SEGMENTS;

/// The bytes of a transfer.
pub enum Content {
    /// A file that is read, and whether its last block was read before.
    File(Arc<OpenFile>, bool),
    /// A file that is read and encoded on the way.
    Netascii(Box<NetasciiFile>),
    /// Bytes in memory: a cached file, or what a plugin made, encoded already where the mode asks for it.
    Bytes(MemoryBytes),
    /// A file that is written.
    Upload(Box<Sink>),
}

/// Why blocks could not be read.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// The file is not what it was when it was opened.
    Changed,
    Io(io::Error),
}

impl Content {
    /// Bytes as they appear on the wire, where they are known: those of a read, but for netascii that was not
    /// counted before.
    pub fn size(&self) -> Option<u64> {
        match self {
            Content::File(file, _) => Some(file.size()),
            Content::Netascii(file) => file.size,
            Content::Bytes(bytes) => Some(bytes.len() as u64),
            Content::Upload(_) => None,
        }
    }

    /// Bytes of the file or content itself, before it is encoded on the way; `None` for an upload.
    pub fn source_size(&self) -> Option<u64> {
        match self {
            Content::Netascii(file) => Some(file.file.size()),
            content => content.size(),
        }
    }

    /// Writes whole DATA packets for `blocks` into `room`, one after the other. The caller has made
    /// `room` exactly as long as they are, and asks for at most [`MAX_SEGMENTS`] of them. Says how much of `room` they
    /// take: all of it, unless the content ends before, and that was not known.
    pub(crate) fn fill(
        &mut self,
        transfer: &Transfer,
        blocks: Blocks,
        room: &mut [u8],
    ) -> Result<usize, ReadError> {
        let segment = usize::from(transfer.options().block_size()) + DATA_HEADER;
        for (index, packet) in room.chunks_mut(segment).enumerate() {
            packet[..DATA_HEADER].copy_from_slice(&data_header(transfer.wire(blocks.first + index as u64)));
        }
        let size = self.size().unwrap_or(0);
        let (offset, _) = transfer.range(blocks.first, size);
        match self {
            Content::File(file, ended) => {
                read_payloads(file, offset, room, segment)?;
                let payload = room.len() - blocks.count as usize * DATA_HEADER;
                // The client never sees the last block of a file that changed, so it never takes a mix
                // of two contents for a whole file. Once it may have that block, it is shown no other
                // one again that does not belong to it: it may have kept what came behind a gap.
                *ended |= offset + payload as u64 >= size;
                if *ended && !file.unchanged().map_err(ReadError::Io)? {
                    Err(ReadError::Changed)
                } else {
                    Ok(room.len())
                }
            }
            Content::Netascii(file) => file.fill(transfer, blocks.first, room, segment),
            Content::Bytes(bytes) => {
                let mut rest = bytes.get(offset as usize..).unwrap_or_default();
                for packet in room.chunks_mut(segment) {
                    let payload = &mut packet[DATA_HEADER..];
                    let (now, later) = rest.split_at(payload.len().min(rest.len()));
                    payload[..now.len()].copy_from_slice(now);
                    rest = later;
                }
                Ok(room.len())
            }
            Content::Upload(_) => Err(ReadError::Io(io::ErrorKind::Unsupported.into())),
        }
    }
}

fn read_payloads(file: &OpenFile, offset: u64, room: &mut [u8], segment: usize) -> Result<(), ReadError> {
    let mut payloads: [IoSliceMut<'_>; MAX_SEGMENTS] = std::array::from_fn(|_| IoSliceMut::new(&mut []));
    let (mut count, mut wanted) = (0, 0);
    for (slot, packet) in payloads.iter_mut().zip(room.chunks_mut(segment)) {
        let payload = &mut packet[DATA_HEADER..];
        wanted += payload.len();
        *slot = IoSliceMut::new(payload);
        count += 1;
    }
    if wanted == 0 {
        return Ok(());
    }
    let read = file.read_at(offset, &mut payloads[..count]).map_err(ReadError::Io)?;
    // A regular file gives less only where it ends.
    if read == wanted { Ok(()) } else { Err(ReadError::Changed) }
}

/// Where the bytes of an upload go.
pub struct Sink {
    upload: Upload,
    netascii: Option<Decoder>,
    /// Bytes that the file does not have yet: small blocks are written together. An ACK before the last
    /// promises nothing about the disk.
    buffer: Vec<u8>,
    /// Bytes that the file has.
    written: u64,
}

/// Bytes written at once.
const GATHER: usize = 32 << 10;

impl Sink {
    /// Takes an upload from a client.
    pub fn new(upload: Upload, netascii: bool) -> Self {
        Sink { upload, netascii: netascii.then(Decoder::default), buffer: Vec::new(), written: 0 }
    }

    /// Takes the next bytes of the stream.
    pub(crate) fn accept(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        match &mut self.netascii {
            Some(decoder) => decoder.decode(bytes, &mut self.buffer),
            None => self.buffer.extend_from_slice(bytes),
        }
        let limit = self.upload.limit();
        if self.written + self.buffer.len() as u64 > limit {
            return Err(StoreError::TooLarge { limit });
        }
        if self.buffer.len() >= GATHER { self.write() } else { Ok(()) }
    }

    /// All bytes have come.
    pub(crate) fn finish(&mut self) -> Result<(), StoreError> {
        if let Some(decoder) = &mut self.netascii {
            decoder.finish(&mut self.buffer);
        }
        self.write()
    }

    pub(crate) fn into_upload(self) -> Upload {
        self.upload
    }

    fn write(&mut self) -> Result<(), StoreError> {
        self.upload.write_at(self.written, &self.buffer)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}
