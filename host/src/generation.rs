//! One configuration's worth of what requests are decided with; a reload puts another one in its place.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tuffet_core::Limits;
use tuffet_policy::Policy;
use tuffet_store::{FileCache, Roots, Uploads};

/// Where files come from and go to.
#[derive(Clone)]
pub(crate) struct Files {
    pub(crate) roots: Roots,
    pub(crate) cache: FileCache,
    pub(crate) uploads: Uploads,
}

/// What requests are decided with. A request, and the transfer that comes of it, keeps the one that it began
/// with to its end.
pub(crate) struct Generation {
    /// 1 for the configuration that the server started with.
    pub(crate) number: u64,
    pub(crate) files: Files,
    pub(crate) policy: Arc<Policy>,
    pub(crate) limits: Limits,
    /// How long opening a file may take.
    pub(crate) open_time: Duration,
    /// How long what runs may go on when the server stops.
    pub(crate) drain: Duration,
}

/// The generation that new requests get. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Current(Arc<RwLock<Arc<Generation>>>);

impl Current {
    pub(crate) fn new(first: Generation) -> Current {
        Current(Arc::new(RwLock::new(Arc::new(first))))
    }

    pub(crate) fn get(&self) -> Arc<Generation> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts the next one in place. What the last request of the one before leaves behind is dropped with it.
    pub(crate) fn replace(&self, next: Generation) {
        let before =
            std::mem::replace(&mut *self.0.write().unwrap_or_else(PoisonError::into_inner), Arc::new(next));
        // Outside of the lock: it may be the last to let go of plugins and folders.
        drop(before);
    }
}
