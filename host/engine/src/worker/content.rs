//! The bytes of a transfer: the source of its blocks, or their destination.

use std::collections::VecDeque;
use std::io::{self, IoSliceMut};
use std::sync::Arc;
use tuffet_core::netascii::{Decoder, Encoder};
use tuffet_core::{Blocks, DATA_HEADER, Transfer, data_header};
use tuffet_store::{OpenFile, StoreError, Upload};
use tuffet_udp::MAX_SEGMENTS;

/// The bytes of a transfer.
pub enum Content {
    /// A file to read, and whether its last block has been read before.
    File(Arc<OpenFile>, bool),
    /// A file to read and encode.
    Netascii(Box<NetasciiFile>),
    /// Bytes that a plugin generated, already encoded if the mode requires it.
    Bytes(Arc<[u8]>),
    /// A file to write.
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
    /// Bytes as they appear on the wire, where they are known: those of a read.
    pub fn size(&self) -> Option<u64> {
        match self {
            Content::File(file, _) => Some(file.size()),
            Content::Netascii(file) => Some(file.size),
            Content::Bytes(bytes) => Some(bytes.len() as u64),
            Content::Upload(_) => None,
        }
    }

    /// Writes whole DATA packets for `blocks` into `room`, one after the other. The caller has made
    /// `room` exactly as long as they are, and asks for at most [`MAX_SEGMENTS`] of them.
    pub(crate) fn fill(
        &mut self,
        transfer: &Transfer,
        blocks: Blocks,
        room: &mut [u8],
    ) -> Result<(), ReadError> {
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
                    Ok(())
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
                Ok(())
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

/// A file on its way to the wire as netascii. A block's place in the file depends on all bytes before
/// it, so the state at the start of each block that may be sent again is kept: a few bytes per block.
pub struct NetasciiFile {
    file: Arc<OpenFile>,
    /// Bytes on the wire.
    size: u64,
    /// The block that the first of `starts` belongs to.
    first: u64,
    starts: VecDeque<(u64, Encoder)>,
    /// Whether its last block was read before.
    ended: bool,
}

impl NetasciiFile {
    /// Reads the whole file once to know its size on the wire; blocks on the disk.
    pub fn new(file: Arc<OpenFile>) -> io::Result<Self> {
        let mut buffer = vec![0; 256 << 10];
        let (mut offset, mut size) = (0, file.size());
        loop {
            let read = file.read_at(offset, &mut [IoSliceMut::new(&mut buffer)])?;
            if read == 0 {
                break;
            }
            size += Encoder::growth(&buffer[..read]);
            offset += read as u64;
        }
        Ok(NetasciiFile {
            file,
            size,
            first: 1,
            starts: VecDeque::from([(0, Encoder::default())]),
            ended: false,
        })
    }

    fn fill(
        &mut self,
        transfer: &Transfer,
        first: u64,
        room: &mut [u8],
        segment: usize,
    ) -> Result<(), ReadError> {
        // What the client has is never sent again.
        while self.first <= transfer.blocks() && self.starts.len() > 1 {
            self.starts.pop_front();
            self.first += 1;
        }
        let mut raw = vec![0; segment];
        for (block, packet) in (first..).zip(room.chunks_mut(segment)) {
            let at = block.checked_sub(self.first).map(|at| at as usize);
            let Some(&(mut offset, mut encoder)) = at.and_then(|at| self.starts.get(at)) else {
                return Err(ReadError::Changed);
            };
            let payload = &mut packet[DATA_HEADER..];
            let mut filled = 0;
            while filled < payload.len() {
                let wanted = &mut raw[..payload.len() - filled];
                let read =
                    self.file.read_at(offset, &mut [IoSliceMut::new(wanted)]).map_err(ReadError::Io)?;
                let (used, written) = encoder.encode(&raw[..read], &mut payload[filled..]);
                if written == 0 {
                    return Err(ReadError::Changed);
                }
                offset += used as u64;
                filled += written;
            }
            if at == Some(self.starts.len() - 1) {
                self.starts.push_back((offset, encoder));
            }
            self.ended |= transfer.range(block + 1, self.size).0 > self.size;
            if self.ended && !self.file.unchanged().map_err(ReadError::Io)? {
                return Err(ReadError::Changed);
            }
        }
        Ok(())
    }
}

/// The destination of an upload's bytes.
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
