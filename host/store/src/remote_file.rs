//! The origin's side of an open file: waits for bytes that have not arrived in the cache.

use std::fmt::Debug;
use std::io::{self, IoSliceMut};
use std::sync::Arc;
use std::time::Duration;

use super::{Arrival, ContentId, RemoteFile, Waited};

/// The longest wait for bytes of an origin. Origins have shorter limits, and transfers give up earlier.
pub(super) const WAIT: Duration = Duration::from_secs(60);

/// The part of an open file of an origin beyond its cache file.
#[derive(Debug)]
pub(super) struct Elsewhere {
    /// The URL of the origin, without secrets.
    origin: Arc<str>,
    content: ContentId,
    modified_unix_ms: u64,
    /// `None` if all bytes have arrived.
    arrival: Option<Arc<dyn Arrival>>,
    /// Whether the content is still being produced, at any pace.
    made: bool,
    _place: Option<Box<dyn Debug + Send + Sync>>,
}

impl Elsewhere {
    pub(super) fn new(origin: &Arc<str>, found: RemoteFile) -> Elsewhere {
        let RemoteFile { content, meta, arrival, place: _place, .. } = found;
        let (origin, modified_unix_ms) = (Arc::clone(origin), meta.modified_unix_ms);
        Elsewhere { origin, content, modified_unix_ms, arrival, made: false, _place }
    }

    /// A content that the program supplies.
    pub(super) fn supplied(root: &Arc<str>, content: ContentId) -> Elsewhere {
        let (origin, modified_unix_ms) = (Arc::clone(root), 0);
        Elsewhere { origin, content, modified_unix_ms, arrival: None, made: false, _place: None }
    }

    /// Marks the content as still being produced.
    pub(super) fn made(self) -> Elsewhere {
        Elsewhere { made: true, ..self }
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

    pub(super) fn origin(&self) -> &Arc<str> {
        &self.origin
    }

    pub(super) fn content(&self) -> ContentId {
        self.content
    }

    pub(super) fn modified_unix_ms(&self) -> u64 {
        self.modified_unix_ms
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
        size: u64,
        within: Duration,
    ) -> io::Result<Option<usize>> {
        let wanted: u64 = buffers.iter().map(|buffer| buffer.len() as u64).sum();
        let length = wanted.min(size.saturating_sub(offset));
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
