//! The last granted request for each name of a client: it shows that a client asks again from another port.

use hashbrown::DefaultHashBuilder;
use parking_lot::Mutex;
use std::hash::BuildHasher;
use std::net::IpAddr;
use std::sync::{Arc, Weak};
use tuffet_request::events::{CompactRecord, Summary};

/// Remembered requests. A request that loses its slot to another one is forgotten, which costs a hint.
const REQUESTS: usize = 1024;

#[derive(Debug)]
pub(super) struct LastAsked {
    /// Each with its own lock, held for an assignment: several threads decide.
    slots: Box<[Mutex<Weak<CompactRecord>>]>,
    hasher: DefaultHashBuilder,
}

impl Default for LastAsked {
    fn default() -> LastAsked {
        let slots = (0..REQUESTS).map(|_| Mutex::default()).collect();
        LastAsked { slots, hasher: DefaultHashBuilder::default() }
    }
}

impl LastAsked {
    /// Records a granted request.
    pub(super) fn note(&self, record: &Arc<CompactRecord>) {
        *self.slot(record.client().ip(), record.path()).lock() = Arc::downgrade(record);
    }

    /// Returns whether the client waits for this file a second time, since a later request, and has answered nothing.
    pub(super) fn waits_again(&self, summary: &Summary) -> bool {
        let request = &summary.record.request;
        let last = self.slot(request.client.ip(), &request.path).lock().upgrade();
        last.is_some_and(|last| {
            last.id().0 != request.id.0
                && last.client().ip() == request.client.ip()
                && last.path() == request.path
                && last.received() > summary.record.received
                && !last.progress.is_answered()
        })
    }

    fn slot(&self, client: IpAddr, path: &str) -> &Mutex<Weak<CompactRecord>> {
        &self.slots[self.hasher.hash_one((client, path)) as usize % REQUESTS]
    }
}
