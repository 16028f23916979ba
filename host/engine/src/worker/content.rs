//! The content of a transfer: the source or destination of its blocks.

use super::netascii::NetasciiFile;
use super::sink::Sink;
use super::source::{ReadError, Source};
use std::io::{self, IoSliceMut};
use std::sync::Arc;
use tuffet_core::{Blocks, DATA_HEADER, Transfer, data_header};
use tuffet_request::ClientKey;
use tuffet_store::{Closing, MemoryBytes, OpenFile};
use tuffet_udp::MAX_SEGMENTS;

/// The bytes of a transfer.
pub enum Content {
    /// A file, read as it is.
    File(Box<FileSource>),
    /// A file, read and encoded on the way.
    Netascii(Box<NetasciiFile>),
    /// Bytes in memory: a cached file, or content of a plugin, already encoded if the mode requires it.
    Bytes(MemoryBytes),
    /// A file that is being written.
    Upload(Box<Sink>),
}

/// A file that is read, for [`Content::File`].
pub struct FileSource(Source);

impl FileSource {
    pub(super) fn file(&self) -> &Arc<OpenFile> {
        self.0.file()
    }
}

impl Content {
    /// Content that is read from a file as it is.
    pub fn file(file: Arc<OpenFile>) -> Content {
        Content::File(Box::new(FileSource(Source::new(file))))
    }

    /// Bytes on the wire, if known: always for a read, except for netascii that was not counted before.
    pub fn size(&self) -> Option<u64> {
        match self {
            Content::File(file) => Some(file.file().size()),
            Content::Netascii(file) => file.size,
            Content::Bytes(bytes) => Some(bytes.len() as u64),
            Content::Upload(_) => None,
        }
    }

    /// Size of the file or content itself, before it is encoded on the way; `None` for an upload.
    pub fn source_size(&self) -> Option<u64> {
        match self {
            Content::Netascii(file) => Some(file.source.file().size()),
            content => content.size(),
        }
    }

    /// Writes whole DATA packets for `blocks` into `room`, one after the other. The caller makes `room`
    /// exactly as long as they are, and requests at most [`MAX_SEGMENTS`] of them. Returns the used length:
    /// all of `room`, unless the content ends earlier and its size was unknown.
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
            Content::File(file) => {
                let source = &mut file.0;
                read_payloads(source, offset, room, segment)?;
                let payload = room.len() - blocks.count as usize * DATA_HEADER;
                source.require_unchanged(offset + payload as u64 >= size)?;
                Ok(room.len())
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

impl Content {
    /// The source, if the content is read from a file.
    pub(super) fn source(&mut self) -> Option<&mut Source> {
        match self {
            Content::File(file) => Some(&mut file.0),
            Content::Netascii(file) => Some(&mut file.source),
            Content::Bytes(_) | Content::Upload(_) => None,
        }
    }

    /// The bytes of the source, before encoding, that the client has.
    pub(super) fn acknowledged(&mut self, transfer: &Transfer) -> u64 {
        match self {
            Content::Netascii(file) => file.acknowledged(transfer),
            _ => transfer.bytes(),
        }
    }

    /// Where to drop the content.
    pub fn closing(&self) -> Closing {
        match self {
            Content::File(file) => file.0.file().closing(),
            Content::Netascii(file) => file.source.file().closing(),
            Content::Upload(sink) => sink.closing(),
            Content::Bytes(_) => Closing::AtOnce,
        }
    }

    /// The client that sends an upload, or for which a file was opened.
    pub fn client(&self) -> ClientKey {
        match self {
            Content::File(file) => file.0.file().client(),
            Content::Netascii(file) => file.source.file().client(),
            Content::Upload(sink) => sink.client(),
            Content::Bytes(_) => ClientKey::SERVER,
        }
    }
}

pub(super) fn read_payloads(
    source: &mut Source,
    offset: u64,
    room: &mut [u8],
    segment: usize,
) -> Result<(), ReadError> {
    let mut payloads: [IoSliceMut<'_>; MAX_SEGMENTS] = std::array::from_fn(|_| IoSliceMut::new(&mut []));
    let mut count = 0;
    for (slot, packet) in payloads.iter_mut().zip(room.chunks_mut(segment)) {
        *slot = IoSliceMut::new(&mut packet[DATA_HEADER..]);
        count += 1;
    }
    source.read(offset, &mut payloads[..count])
}
