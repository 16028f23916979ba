//! Writes arriving bytes of a version to its content.

use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::limits::PART;
use super::{Cache, Entry, Open};

/// Writes arriving bytes of a version, from the start of a part on.
#[derive(Debug)]
pub(crate) struct Writer {
    open: Open,
    at: u64,
    hash: Sha256,
}

impl Writer {
    /// `None` if the version is being removed.
    pub fn open(cache: &Arc<Cache>, entry: &Arc<Entry>, part: u32) -> io::Result<Option<Self>> {
        let open = cache.open_entry(entry)?;
        Ok(open.map(|open| Self { open, at: u64::from(part) * PART, hash: Sha256::new() }))
    }

    /// The offset of the next byte.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Writes bytes, and makes them readable. Fails beyond the end of the file.
    pub fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let entry = &self.open.entry;
        while !bytes.is_empty() {
            let part = (self.at / PART) as u32;
            let within = self.at % PART;
            let length = u64::from(entry.length(part));
            let piece = &bytes[..bytes.len().min((length - within) as usize)];
            if piece.is_empty() {
                return Err(io::Error::other("the origin sent more than the file has"));
            }
            self.open.file.write_all_at(piece, self.at)?;
            crate::fault::point("content-written");
            self.hash.update(piece);
            self.at += piece.len() as u64;
            bytes = &bytes[piece.len()..];
            let filled = within + piece.len() as u64;
            let digest = (filled == length).then(|| self.hash.finalize_reset().into());
            // At most PART.
            entry.has_arrived(part, filled as u32, digest);
        }
        Ok(())
    }
}
