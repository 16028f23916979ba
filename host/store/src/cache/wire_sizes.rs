//! Sizes of files on the wire, in an encoding that makes them longer (netascii). A size is known only after
//! the whole file was read.
//!
//! No request waits for a large file. A small file is counted at once, as the cache loads it; a larger one in
//! the background, at most two at a time, and requests meanwhile get no size. Each file is read once, however
//! often it is requested.

use super::loads::Loads;
use super::{SEEN, SMALL};
use crate::OpenFile;
use crate::open_file::Identity;
use quick_cache::sync::Cache;
use std::io::{self, IoSliceMut};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Larger files are never counted.
const MOST: u64 = 64 << 20;

/// Bytes per read.
const PIECE: usize = 256 << 10;

/// By how many bytes the encoding makes a piece of a file longer.
pub type Growth = fn(&[u8]) -> u64;

pub(super) struct WireSizes {
    /// Sizes with the time at which counting began: like contents, sizes have a maximum age.
    known: Cache<Identity, (u64, Instant)>,
    counts: Loads,
}

impl Default for WireSizes {
    fn default() -> WireSizes {
        WireSizes { known: Cache::new(SEEN), counts: Loads::default() }
    }
}

impl WireSizes {
    /// Returns the size if it is known, or if the file is small enough to be counted now.
    pub(super) fn of(
        self: &Arc<Self>,
        file: &Arc<OpenFile>,
        max_age: Duration,
        growth: Growth,
    ) -> io::Result<Option<u64>> {
        if file.size() > MOST {
            return Ok(None);
        }
        let identity = file.identity();
        if let Some((size, began)) = self.known.get(&identity)
            && began.elapsed() < max_age
        {
            return Ok(Some(size));
        }
        if file.size() <= SMALL {
            return self.count(identity, file, growth);
        }
        if file.is_settled() {
            self.count_beside(identity, file, growth);
        }
        Ok(None)
    }

    fn count_beside(self: &Arc<Self>, identity: Identity, file: &Arc<OpenFile>, growth: Growth) {
        let Some(place) = self.counts.begin(identity) else { return };
        let (sizes, file) = (Arc::clone(self), Arc::clone(file));
        let count = move || {
            if let Err(error) = sizes.count(identity, &file, growth) {
                tracing::debug!(target: "tuffet::store::cache", root = file.root(), path = file.path(), %error,
                "a file could not be counted; its size as netascii is not known");
            }
            drop(place);
        };
        if let Err(error) = std::thread::Builder::new().name("tuffet-count".into()).spawn(count) {
            tracing::debug!(target: "tuffet::store::cache", %error, "no thread to count a file as netascii");
        }
    }

    /// Returns `None` if the file changed meanwhile.
    fn count(&self, identity: Identity, file: &OpenFile, growth: Growth) -> io::Result<Option<u64>> {
        let began = Instant::now();
        let mut piece = vec![0; PIECE.min(file.size() as usize)];
        let (mut offset, mut size) = (0, file.size());
        while offset < file.size() {
            let read = file.read_at(offset, &mut [IoSliceMut::new(&mut piece)])?;
            if read == 0 {
                return Ok(None);
            }
            size += growth(&piece[..read]);
            offset += read as u64;
        }
        let counted = offset == file.size() && file.unchanged()?;
        if counted && file.is_settled() {
            self.known.insert(identity, (size, began));
        }
        Ok(counted.then_some(size))
    }

    #[cfg(test)]
    pub(super) fn running(&self) -> usize {
        self.counts.running()
    }
}
