//! A file of an origin, as it arrives in the cache.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::{self, IoSliceMut};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::{Arrival, RemoteMeta};

/// The longest wait for bytes of an origin. The origin has shorter limits of its own, and transfers give up earlier.
pub(super) const WAIT: Duration = Duration::from_secs(60);

/// What an open file of an origin has beside the file of the cache.
#[derive(Debug)]
pub(super) struct Elsewhere {
    /// The URL of the origin, without secrets.
    origin: Arc<str>,
    identity: u128,
    modified_unix_ms: u64,
    /// `None` if all bytes have arrived.
    arrival: Option<Arc<dyn Arrival>>,
    /// Whether somebody makes the bytes, at whatever pace.
    made: bool,
}

impl Elsewhere {
    pub(super) fn new(
        origin: &Arc<str>,
        path: &str,
        meta: RemoteMeta,
        arrival: Option<Arc<dyn Arrival>>,
    ) -> Elsewhere {
        let identity = identity(origin, path, &meta);
        let modified_unix_ms = meta.modified_unix_ms;
        Elsewhere { origin: Arc::clone(origin), identity, modified_unix_ms, arrival, made: false }
    }

    /// Of bytes that are being made.
    pub(super) fn made(self) -> Elsewhere {
        Elsewhere { made: true, ..self }
    }

    /// Waits for the first of these bytes if somebody makes them, and returns how many have arrived then.
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

    pub(super) fn identity(&self) -> u128 {
        self.identity
    }

    pub(super) fn modified_unix_ms(&self) -> u64 {
        self.modified_unix_ms
    }

    /// How many of the bytes of these buffers have arrived. Never waits.
    pub(super) fn arrived(&self, offset: u64, buffers: &[IoSliceMut<'_>]) -> usize {
        let Some(arrival) = &self.arrival else { return usize::MAX };
        let wanted = buffers.iter().map(|buffer| buffer.len() as u64).sum();
        usize::try_from(arrival.arrived(offset, wanted)).unwrap_or(usize::MAX)
    }

    /// Waits for the part of these bytes that lies inside of the file; `false` if they will never arrive.
    pub(super) fn wait(&self, offset: u64, length: u64, size: u64, within: Duration) -> io::Result<bool> {
        let length = length.min(size.saturating_sub(offset));
        match &self.arrival {
            Some(arrival) if arrival.arrived(offset, length) < length => arrival.wait(offset, length, within),
            _ => Ok(true),
        }
    }
}

/// Names a version of a file among all that this process opens. 128 bits under keys of this process: nobody can
/// choose two names that are taken for one.
fn identity(origin: &str, path: &str, meta: &RemoteMeta) -> u128 {
    static KEYS: OnceLock<[RandomState; 2]> = OnceLock::new();
    let keys = KEYS.get_or_init(|| [RandomState::new(), RandomState::new()]);
    let name = (origin, path, &meta.version, meta.size);
    let [one, other] = keys.each_ref().map(|key| u128::from(key.hash_one(name)));
    (one << 64) | other
}
