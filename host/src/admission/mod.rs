//! The control side: from a request to a decision.
//!
//! Each request is decided in a task of its own on the control runtime: plugins and disks may be slow,
//! and one that is must not hold up another. What comes out is posted to the worker that asked.

mod decide;

use crate::events::{Ending, Outcome};
use crate::names;
use crate::neighbours::Neighbours;
use crate::policy::Policy;
use crate::request::{ErrorCode, MacFact, MacSource, Request, RequestId};
use crate::store::{Roots, Upload};
use crate::udp::Local;
use crate::worker::{Decision, Key, Mailbox, NewRequest, Ticket, ToControl, ToWorker};
use decide::Decided;
use futures_util::FutureExt;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use tokio::sync::mpsc::UnboundedReceiver;
use tuffet_core::Limits;

/// What requests are decided with.
pub(crate) struct Admission {
    /// The names of the listeners, by number.
    pub(crate) listeners: Vec<Arc<str>>,
    pub(crate) roots: Arc<Roots>,
    pub(crate) policy: Arc<Policy>,
    pub(crate) neighbours: Neighbours,
    pub(crate) limits: Limits,
    /// The workers' mailboxes, by number.
    pub(crate) mailboxes: Vec<Arc<Mailbox>>,
    pub(crate) ids: AtomicU64,
}

impl Admission {
    /// Decides what the workers ask until they are gone.
    pub(crate) async fn run(self: Arc<Self>, mut letters: UnboundedReceiver<ToControl>) {
        while let Some(letter) = letters.recv().await {
            let admission = self.clone();
            match letter {
                ToControl::Request(asked) => drop(tokio::spawn(async move { admission.answer(asked).await })),
                ToControl::Store { worker, key, upload } => {
                    tokio::task::spawn_blocking(move || admission.store(worker, key, upload));
                }
                ToControl::Discard(upload) => drop(tokio::task::spawn_blocking(move || drop(upload))),
            }
        }
    }

    async fn answer(&self, asked: NewRequest) {
        let (request, refused) = self.read(&asked).await;
        let request = Arc::new(request);
        let decided = match refused {
            Some(decision) => decision.into(),
            // A bug in here must cost one request, not a place among the pending ones for ever.
            None => AssertUnwindSafe(self.decide(&request, &asked.asked))
                .catch_unwind()
                .await
                .unwrap_or_else(|_| Decided::from(internal_error())),
        };
        let Decided { decision, resolved, verdict_by, plugin_calls } = decided;
        let ticket = Box::new(Ticket {
            request,
            asked: asked.asked,
            resolved,
            verdict_by,
            plugin_calls,
            received: asked.received,
            decided: Instant::now(),
            place: asked.place,
        });
        self.post(asked.worker, ToWorker::Decided { key: asked.key, ticket, decision });
    }

    /// The request as policy sees it; a decision already where its name is refused.
    async fn read(&self, asked: &NewRequest) -> (Request, Option<Decision>) {
        let requested = String::from_utf8_lossy(&asked.name).into_owned();
        let (path, refused) = match names::normalise(&asked.name) {
            Ok(path) => (path, None),
            Err(error) => {
                let ending = Ending::new(Outcome::Denied, format!("the name is refused: {error}"));
                let refused = Decision::Refuse { code: error.code(), message: error.to_string(), ending };
                (requested.escape_default().take(200).collect(), Some(refused))
            }
        };
        let request = Request {
            id: RequestId(self.ids.fetch_add(1, Ordering::Relaxed)),
            listener: self.listeners.get(usize::from(asked.listener)).cloned().unwrap_or_else(|| "".into()),
            operation: asked.operation,
            mode: asked.mode,
            macs: self.macs(&asked.peer, asked.local, &path).await,
            path,
            requested,
            client: asked.peer,
            options: asked.options.clone(),
        };
        (request, refused)
    }

    async fn macs(&self, peer: &SocketAddr, local: Option<Local>, path: &str) -> Vec<MacFact> {
        let interface = local.map_or(0, |local| local.interface);
        let neighbour = self.neighbours.find(peer.ip(), interface).await;
        let requested = names::mac_in_name(path);
        let fact = |source| move |address| MacFact { address, source };
        neighbour
            .map(fact(MacSource::NeighbourTable))
            .into_iter()
            .chain(requested.map(fact(MacSource::RequestedName)))
            .collect()
    }

    /// Runs on a thread that may block.
    fn store(&self, worker: usize, key: Key, upload: Upload) {
        let result = upload.commit();
        self.post(worker, ToWorker::Stored { key, result });
    }

    fn post(&self, worker: usize, letter: ToWorker) {
        let posted = self.mailboxes.get(worker).map(|mailbox| mailbox.post(letter));
        if let Some(Err(error)) = posted {
            tracing::error!(worker, %error, "a worker cannot be woken");
        }
    }
}

fn internal_error() -> Decision {
    Decision::Refuse {
        code: ErrorCode::NotDefined,
        message: "server error".into(),
        ending: Ending::new(Outcome::Failed, "a bug: deciding the request panicked"),
    }
}
