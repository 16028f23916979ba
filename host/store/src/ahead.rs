//! Bytes of a file that were read before they are needed.

use super::Room;
use bytes::Bytes;

/// Bytes read ahead.
#[derive(Debug)]
pub struct Ahead {
    pub(super) offset: u64,
    pub(super) bytes: Bytes,
    pub(super) trust: Trust,
    /// Released with the bytes.
    pub(super) _room: Option<Room>,
}

/// What was known of the file after the bytes were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// It was as it had been opened.
    Unchanged,
    /// It had grown.
    Grown,
    /// It had grown, and everything before these bytes was still as it had been read.
    Proven,
}

impl Ahead {
    /// Whether the file was unchanged, or had grown and nothing else, after the bytes were read.
    pub fn is_certain(&self) -> bool {
        self.trust != Trust::Grown
    }

    /// Whether the file had grown, and nothing else ([`OpenFile::read_proven`](crate::OpenFile::read_proven)).
    pub fn is_proven(&self) -> bool {
        self.trust == Trust::Proven
    }

    /// The offset of the first byte in the file.
    pub fn start(&self) -> u64 {
        self.offset
    }

    /// The offset after the last byte in the file.
    pub fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }

    /// The number of bytes.
    pub fn length(&self) -> usize {
        self.bytes.len()
    }

    /// As [`Ahead::from`], without a copy.
    pub fn into_bytes(self, offset: u64) -> Bytes {
        let skipped = offset.checked_sub(self.offset).and_then(|skipped| usize::try_from(skipped).ok());
        match skipped.unwrap_or(usize::MAX).min(self.bytes.len()) {
            0 => self.bytes,
            skipped => self.bytes.slice(skipped..),
        }
    }

    /// The bytes from `offset` on; empty if it is outside.
    pub fn from(&self, offset: u64) -> &[u8] {
        let skipped = offset.checked_sub(self.offset).and_then(|skipped| usize::try_from(skipped).ok());
        skipped.and_then(|skipped| self.bytes.get(skipped..)).unwrap_or_default()
    }
}
