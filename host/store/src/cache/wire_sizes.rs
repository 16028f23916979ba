//! Sizes of files on the wire, in an encoding that lengthens them (netascii). Only reading the whole file shows its
//! size.
//!
//! No request waits for a large file. A small file is counted at once, as the cache loads it; a larger one in the
//! background, at most two at a time, and requests get no size until then. Each file is read once, regardless of the
//! number of requests.

use super::loads::Loads;
use super::{MAX_SEEN_FILES, SMALL_BYTES};
use crate::OpenFile;
use crate::identity::Identity;
use quick_cache::sync::Cache;
use std::io::{self, IoSliceMut};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Larger files are never counted.
const MAX_COUNTED_BYTES: u64 = 64 << 20;

/// Bytes per read.
const READ_BYTES: usize = 256 << 10;

/// Returns the number of bytes that the encoding adds to a piece of a file.
pub type Growth = fn(&[u8]) -> u64;

pub(super) struct WireSizes {
    /// Sizes, with the start of their count: like contents, sizes have a maximum age.
    known: Cache<Identity, (u64, Instant)>,
    counts: Loads,
}

impl Default for WireSizes {
    fn default() -> WireSizes {
        WireSizes { known: Cache::new(MAX_SEEN_FILES), counts: Loads::default() }
    }
}

impl WireSizes {
    /// Returns the size if it is known, or if the file is small enough to count now.
    pub(super) fn of(
        self: &Arc<Self>,
        file: &Arc<OpenFile>,
        max_age: Duration,
        growth: Growth,
    ) -> io::Result<Option<u64>> {
        if file.size() > MAX_COUNTED_BYTES {
            return Ok(None);
        }
        let identity = file.identity();
        if let Some((size, began)) = self.known.get(&identity)
            && began.elapsed() < max_age
        {
            return Ok(Some(size));
        }
        if file.size() <= SMALL_BYTES {
            return self.count(identity, file, growth);
        }
        if file.is_settled() {
            self.count_beside(identity, file, growth);
        }
        Ok(None)
    }

    fn count_beside(self: &Arc<Self>, identity: Identity, file: &Arc<OpenFile>, growth: Growth) {
        let Some(slot) = self.counts.begin(identity) else { return };
        let (sizes, file) = (Arc::clone(self), Arc::clone(file));
        let count = move || {
            if let Err(error) = sizes.count(identity, &file, growth) {
                tracing::debug!(target: "tuffet::store::cache", root = file.root(), path = file.path(), %error,
                "a file could not be counted; its size as netascii is not known");
            }
            drop(slot);
        };
        if let Err(error) = std::thread::Builder::new().name("tuffet-count".into()).spawn(count) {
            tracing::debug!(target: "tuffet::store::cache", %error, "no thread to count a file as netascii");
        }
    }

    /// Returns `None` if the file changed during the count.
    fn count(&self, identity: Identity, file: &OpenFile, growth: Growth) -> io::Result<Option<u64>> {
        let began = Instant::now();
        let mut piece = vec![0; READ_BYTES.min(file.size() as usize)];
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
