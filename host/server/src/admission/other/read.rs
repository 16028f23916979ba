//! A granted read request by another protocol.

use super::super::READ_TIME;
use super::open::Open;
use super::search::{Body, Found};
use crate::content::OpenedSource;
use bytes::Bytes;
use parking_lot::Mutex;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::time::{sleep, timeout};
use tuffet_core::{Limits, StreamRate};
use tuffet_request::ClientKey;
use tuffet_request::events::{Ending, Outcome};
use tuffet_store::{Ahead, Closing, Lane};

/// The content that a client gets. Whoever speaks the protocol reads it, and says how the request ends; one that is dropped
/// was left by its client, with the outcome [`Outcome::Aborted`].
pub struct ReadTransfer {
    open: Arc<Open>,
    resolved: Arc<str>,
    source: OpenedSource,
    rate: Mutex<StreamRate>,
}

impl ReadTransfer {
    pub(super) fn new(open: Arc<Open>, found: Found, limits: &Limits) -> ReadTransfer {
        let resolved = Arc::clone(&found.resolved);
        let source = match found.into_body() {
            Body::Read(source) => source,
            // Never: a read request opens no upload.
            Body::Write(_) => OpenedSource::Bytes([].into()),
        };
        ReadTransfer { open, resolved, source, rate: Mutex::new(StreamRate::of(limits)) }
    }

    /// `ROOT:PATH`, or `content` of a hook.
    pub fn resolved(&self) -> &str {
        &self.resolved
    }

    /// The size in bytes.
    pub fn size(&self) -> u64 {
        match &self.source {
            OpenedSource::Bytes(bytes) => bytes.len() as u64,
            OpenedSource::File(file) => file.size(),
        }
    }

    /// Whether its bytes can be read only once, in order, as those of a stream: a protocol with ranges must not offer
    /// them.
    pub fn is_sequential(&self) -> bool {
        matches!(&self.source, OpenedSource::File(file) if file.is_sequential())
    }

    /// What names these bytes and no others, as a strong entity tag does (RFC 9110 section 8.8.1): of letters, digits and
    /// hyphens. `None` if a change may leave no trace, since the file was written a moment ago.
    pub fn version(&self) -> Option<String> {
        match &self.source {
            OpenedSource::Bytes(bytes) => {
                let mut hasher = DefaultHasher::new();
                bytes.hash(&mut hasher);
                Some(format!("{:x}-{:016x}", bytes.len(), hasher.finish()))
            }
            OpenedSource::File(file) => file.tag(self.open.server()),
        }
    }

    /// When the file was modified, if that is known.
    pub fn modified(&self) -> Option<SystemTime> {
        match &self.source {
            OpenedSource::Bytes(_) => None,
            OpenedSource::File(file) => {
                let since = Duration::from_millis(file.modified_unix_ms());
                (!since.is_zero()).then(|| SystemTime::UNIX_EPOCH + since)
            }
        }
    }

    /// Reads at most `length` bytes from `offset` on, as many as the rates of the client allow at once; it waits for them.
    /// Returns nothing at the end.
    ///
    /// # Errors
    /// The content cannot be read, has changed since it was opened, or the server has ended.
    pub async fn read_at(&self, offset: u64, length: usize) -> io::Result<Bytes> {
        let left = usize::try_from(self.size().saturating_sub(offset)).unwrap_or(usize::MAX);
        let length = self.open.wait_for_rate(&self.rate, length.min(left)).await?;
        let changed = || io::Error::other("the content has changed since it was opened");
        match &self.source {
            OpenedSource::Bytes(bytes) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
                Ok(Bytes::copy_from_slice(&bytes[start..start + length]))
            }
            OpenedSource::File(file) => {
                if let Some(file) = file.program() {
                    let reading = Box::pin(timeout(READ_TIME, file.read_ahead(offset, length, length, None)));
                    let ahead = reading.await.map_err(|_| late())??.ok_or_else(changed)?;
                    return Ok(ahead.into_bytes(offset));
                }
                if let Some(ahead) = file.read_ahead_now(offset, length)? {
                    return Ok(ahead.into_bytes(offset));
                }
                let its = Arc::clone(file);
                let read = move || its.read_ahead(offset, length, None);
                let read = file.disk().run_anyway(Lane::Read, ClientKey::SERVER, READ_TIME, read);
                let ahead = Box::pin(read)
                    .await
                    .map_err(|_| late())??
                    .filter(Ahead::is_certain)
                    .ok_or_else(changed)?;
                Ok(ahead.into_bytes(offset))
            }
        }
    }

    /// Adds to the progress: the client has got this many bytes more.
    pub fn sent(&self, bytes: u64) {
        self.open.moved(bytes);
    }

    /// Ends the request: the client has what it asked for.
    pub fn served(self) {
        self.open.end(Outcome::Served);
    }

    /// Ends the request: the client did not want the content, but what is known about it.
    pub fn probed(self) {
        self.open.end(Outcome::Probed);
    }

    /// Ends the request: the client has left, or was sent away, for this reason.
    pub fn aborted(self, reason: impl Into<String>) {
        self.open.end(Ending::new(Outcome::Aborted, reason.into()));
    }

    /// Ends the request: the client cannot get the content, for this reason.
    pub fn failed(self, reason: impl Into<String>) {
        self.open.end(Ending::new(Outcome::Failed, reason.into()));
    }
}

impl Drop for ReadTransfer {
    fn drop(&mut self) {
        self.open.left();
        let source = std::mem::replace(&mut self.source, OpenedSource::Bytes([].into()));
        if let OpenedSource::File(file) = source
            && let Closing::OnDisk(disk) = file.closing()
        {
            disk.drop_later(Lane::Open, file.client(), file);
        }
    }
}

impl fmt::Debug for ReadTransfer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadTransfer").field("resolved", &self.resolved).finish_non_exhaustive()
    }
}

impl Open {
    /// Waits until some of `wanted` bytes may pass; returns how many.
    ///
    /// # Errors
    /// The server has ended.
    pub(super) async fn wait_for_rate(&self, rate: &Mutex<StreamRate>, wanted: usize) -> io::Result<usize> {
        loop {
            let now = self.now().ok_or_else(ended)?;
            let until = match rate.lock().take(now, wanted) {
                Ok(passing) => return Ok(passing),
                Err(until) => until,
            };
            sleep(until.since(now)).await;
        }
    }
}

pub(super) fn ended() -> io::Error {
    io::Error::other("the server has ended")
}

fn late() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the root does not answer")
}
