//! A file of an origin, open for reading: waits for bytes that have not arrived in the cache.

use std::fmt::Debug;
use std::fs::File;
use std::io::{self, IoSliceMut};
use std::sync::Arc;
use std::time::Duration;

use super::facts::Facts;
use super::{Arrival, ContentId, Disk, RemoteFile, RemoteMeta, StoreError, Waited};

/// The longest wait for bytes of an origin. Origins have shorter limits, and transfers give up earlier.
pub(super) const WAIT: Duration = Duration::from_secs(60);

/// A file of an origin.
#[derive(Debug)]
pub(super) struct OriginFile {
    /// The cache file, shared by all readers of the content.
    pub(super) file: Arc<File>,
    pub(super) in_place: bool,
    pub(super) size: u64,
    pub(super) content: ContentId,
    pub(super) modified_unix_ms: u64,
    /// The URL of the origin, without secrets.
    origin: Arc<str>,
    /// `None` if all bytes have arrived.
    arrival: Option<Arc<dyn Arrival>>,
    /// Whether the content is still being produced, at any pace.
    made: bool,
    _place: Option<Box<dyn Debug + Send + Sync>>,
}

impl OriginFile {
    pub(super) fn new(found: RemoteFile, disk: &Disk, origin: &Arc<str>) -> Result<OriginFile, StoreError> {
        let RemoteFile { file, content, meta, arrival, place: _place } = found;
        let in_place = disk.reads_in_place(Facts::of(&file)?.device, &file);
        let (origin, RemoteMeta { size, modified_unix_ms, .. }) = (Arc::clone(origin), meta);
        Ok(OriginFile {
            file,
            in_place,
            size,
            content,
            modified_unix_ms,
            origin,
            arrival,
            made: false,
            _place,
        })
    }

    /// Marks the content as still being produced.
    pub(super) fn made(self) -> OriginFile {
        OriginFile { made: true, ..self }
    }

    pub(super) fn unreadable(&self, error: &io::Error) -> StoreError {
        StoreError::Unreachable { origin: Arc::clone(&self.origin), why: error.to_string() }
    }

    /// If the content is still being produced, waits for the first of these bytes and returns the number available.
    pub(super) fn wait_for_some(
        &self,
        offset: u64,
        length: usize,
        within: Duration,
    ) -> io::Result<Option<usize>> {
        let Some(arrival) = self.arrival.as_ref().filter(|_| self.made && length > 0) else {
            return Ok(None);
        };
        arrival.wait(offset, 1, within)?;
        let arrived = arrival.arrived(offset, length as u64);
        Ok(Some(usize::try_from(arrived).unwrap_or(length)))
    }

    /// The number of bytes of these buffers that have arrived. Never waits.
    pub(super) fn arrived(&self, offset: u64, buffers: &[IoSliceMut<'_>]) -> usize {
        let Some(arrival) = &self.arrival else { return usize::MAX };
        let wanted = buffers.iter().map(|buffer| buffer.len() as u64).sum();
        usize::try_from(arrival.arrived(offset, wanted)).unwrap_or(usize::MAX)
    }

    /// Waits for these bytes, as far as they lie within the file. `None` if the caller can read them from the file. If
    /// the cache has no room for them, reads them from the origin into `buffers` and returns their number; 0 if they
    /// will never arrive.
    pub(super) fn wait(
        &self,
        offset: u64,
        buffers: &mut [IoSliceMut<'_>],
        within: Duration,
    ) -> io::Result<Option<usize>> {
        let wanted: u64 = buffers.iter().map(|buffer| buffer.len() as u64).sum();
        let length = wanted.min(self.size.saturating_sub(offset));
        let Some(arrival) = &self.arrival else { return Ok(None) };
        if arrival.arrived(offset, length) == length {
            return Ok(None);
        }
        match arrival.wait(offset, length, within)? {
            Waited::Arrived => Ok(None),
            Waited::Changed => Ok(Some(0)),
            Waited::NoRoom => {
                let bytes = arrival.read_past(offset, length, within)?.unwrap_or_default();
                let mut rest = bytes.as_slice();
                for buffer in buffers {
                    let (now, later) = rest.split_at(rest.len().min(buffer.len()));
                    buffer[..now.len()].copy_from_slice(now);
                    rest = later;
                }
                Ok(Some(bytes.len() - rest.len()))
            }
        }
    }
}
