//! Reads past the cache when the cache has no room: a separate request for each piece, into the memory of its reader.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use tuffet_request::ClientKey;
use tuffet_store::{Arrival, Waited};

use crate::cache::PART;
use crate::core::Core;
use crate::failure::Failure;
use crate::fetch::{ExpectedVersion, fetch_piece};
use crate::runtime;

/// A version of a file, read past the cache.
#[derive(Debug)]
pub(crate) struct Bypass {
    core: Arc<Core>,
    wanted: ExpectedVersion,
    client: ClientKey,
}

impl Bypass {
    /// `None` if the pieces might belong to different versions, or the origin sends no ranges.
    pub fn new(core: &Arc<Core>, wanted: ExpectedVersion, client: ClientKey) -> Option<Self> {
        let possible = wanted.version.joins() && !core.no_ranges.load(Ordering::Relaxed);
        possible.then(|| Self { core: Arc::clone(core), wanted, client })
    }
}

impl Arrival for Bypass {
    fn arrived(&self, _: u64, _: u64) -> u64 {
        0
    }

    fn wait(&self, _: u64, _: u64, _: Duration) -> io::Result<Waited> {
        Ok(Waited::NoRoom)
    }

    fn read_past(&self, offset: u64, length: u64, within: Duration) -> io::Result<Option<Vec<u8>>> {
        let end = offset.saturating_add(length.min(PART)).min(self.wanted.size);
        let runtime = runtime::handle()?;
        let (core, wanted, client) = (Arc::clone(&self.core), self.wanted.clone(), self.client);
        let (sender, receiver) = sync_channel(1);
        let task = runtime.spawn(async move {
            let _ = sender.send(fetch_piece(&core, &wanted, client, offset..end).await);
        });
        match receiver.recv_timeout(within) {
            Ok(Ok(bytes)) => Ok(Some(bytes)),
            Ok(Err(Failure::Changed | Failure::Absent)) => Ok(None),
            Ok(Err(failure)) => Err(failure.into_io()),
            Err(RecvTimeoutError::Timeout) => {
                task.abort();
                Err(io::ErrorKind::TimedOut.into())
            }
            Err(RecvTimeoutError::Disconnected) => Err(io::ErrorKind::Other.into()),
        }
    }
}
