//! The control side: from a request to a decision.
//!
//! A request passes three stages ([`Undecided`]): policy, the disk, and the decision that is posted to its worker.
//! Policy may wait and never blocks; the disk blocks. So a stage needs a thread of its own kind, and `at_once.rs`
//! decides which thread takes which request: plugins and disks may be slow, and one that is must not hold up another.

mod at_once;
mod gate;
mod open;
mod plan;
mod undecided;

use crate::events::Observers;
use crate::generation::Current;
use crate::neighbours::Neighbours;
use crate::telemetry::Sampling;
use crate::watch::Watch;
pub(crate) use at_once::Deciding;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;
use tokio::runtime::Handle;
use tuffet_engine::worker::{Mailbox, Stored, ToControl, ToWorker};
#[cfg(doc)]
use undecided::Undecided;

/// What requests are decided with.
pub(crate) struct Admission {
    /// The names of the listeners, by number.
    pub(crate) listeners: Vec<Arc<str>>,
    pub(crate) generation: Current,
    pub(crate) observers: Observers,
    pub(crate) watch: Watch,
    pub(crate) neighbours: Neighbours,
    /// The workers' mailboxes, by number.
    pub(crate) mailboxes: Vec<Arc<Mailbox>>,
    pub(crate) ids: AtomicU64,
    /// Threads that decide at once.
    pub(crate) deciding: Deciding,
    /// How traces are chosen, where there are any.
    pub(crate) sampling: Option<Sampling>,
}

impl Admission {
    /// Does what a worker asks for, on threads of the runtime, and posts the results.
    pub(crate) fn take(self: &Arc<Self>, runtime: &Handle, letters: Vec<ToControl>) {
        let mut requests = Vec::new();
        for letter in letters {
            let admission = self.clone();
            match letter {
                ToControl::Request(new) => requests.push(new),
                ToControl::Store { worker, key, upload, record, generation } if generation.asks() => {
                    runtime.spawn(async move {
                        let stored = generation.pass(upload, record).await;
                        admission.post(worker, ToWorker::Stored { key, stored });
                    });
                }
                ToControl::Store { worker, key, upload, record, .. } => {
                    runtime.spawn_blocking(move || {
                        let began = Instant::now();
                        let result = upload.commit();
                        gate::note(&record.request, began, &result);
                        admission.post(worker, ToWorker::Stored { key, stored: Stored { result, record } });
                    });
                }
                ToControl::Counted { worker, news } => drop(runtime.spawn(async move { news.log(worker) })),
                ToControl::Discard(upload) => drop(runtime.spawn_blocking(move || drop(upload))),
            }
        }
        if !requests.is_empty() {
            self.watch.admitted(requests.len() as u64);
            self.decide_all(runtime, requests);
        }
    }

    fn post(&self, worker: usize, letter: ToWorker) {
        let posted = self.mailboxes.get(worker).map(|mailbox| mailbox.post(letter));
        if let Some(Err(error)) = posted {
            tracing::error!(worker, %error, "a worker cannot be woken");
        }
    }
}
