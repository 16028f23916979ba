//! The control side: from a request to a decision.
//!
//! Each request is decided in a task of its own on the control runtime: plugins and disks may be slow,
//! and one that is must not hold up another. What comes out is posted to the worker that asked.

mod at_once;
mod decide;
mod gate;

use crate::events::Observers;
use crate::generation::{Current, Generation};
use crate::neighbours::Neighbours;
use crate::telemetry::Sampling;
use crate::watch::{Granted, Watch};
pub(crate) use at_once::Deciding;
use decide::Decided;
use futures_util::FutureExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use tokio::runtime::Handle;
use tuffet_core::OptionSet;
use tuffet_engine::worker::{Content, Decision, Mailbox, NewRequest, Ticket, ToControl, ToWorker};
use tuffet_request::Progress;
use tuffet_request::events::{Answered, Ending, Happening, Outcome};
use tuffet_request::names;
use tuffet_request::{ClientClass, ErrorCode, MacAddress, MacFact, MacSource, Request, RequestId};

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
    /// Does what a worker asks, on threads of the runtime; what comes out is posted.
    pub(crate) fn take(self: &Arc<Self>, runtime: &Handle, letters: Vec<ToControl>) {
        let (mut unasked, mut to_ask) = (Vec::new(), Vec::new());
        let generation = self.generation.get();
        let requests = letters.iter().filter(|letter| matches!(letter, ToControl::Request(_))).count();
        if requests > 0 {
            self.watch.admitted(requests as u64);
        }
        for letter in letters {
            let admission = self.clone();
            match letter {
                ToControl::Request(asked) if generation.policy.is_empty() => unasked.push(asked),
                ToControl::Request(asked) => to_ask.push(asked),
                ToControl::Store { worker, key, upload, request, generation } if generation.asks() => {
                    runtime.spawn(async move {
                        let stored = generation.pass(upload, &request).await;
                        admission.post(worker, ToWorker::Stored { key, stored });
                    });
                }
                ToControl::Store { worker, key, upload, request, .. } => {
                    runtime.spawn_blocking(move || {
                        let began = Instant::now();
                        let stored = upload.commit();
                        gate::note(&request, began, &stored);
                        let stored = stored.into();
                        admission.post(worker, ToWorker::Stored { key, stored });
                    });
                }
                ToControl::Counted { worker, news } => drop(runtime.spawn(async move { news.log(worker) })),
                ToControl::Discard(upload) => drop(runtime.spawn_blocking(move || drop(upload))),
            }
        }
        self.decide_all(runtime, to_ask, &generation);
        // Without policy a request is one look at the disk: those of a turn are worth one thread, not one
        // each.
        if !unasked.is_empty() {
            let admission = self.clone();
            let its = runtime.clone();
            runtime.spawn_blocking(move || {
                unasked.into_iter().for_each(|asked| admission.answer_unasked(&its, asked, &generation));
            });
        }
    }

    async fn answer(&self, asked: NewRequest, generation: Arc<Generation>) {
        let interface = asked.local.map_or(0, |local| local.interface);
        let neighbour = self.neighbours.find(asked.peer.ip(), interface).await;
        let (request, refused) = self.read(&asked, neighbour);
        let decided = match refused {
            Some(decision) => decision.into(),
            // A bug in here must cost one request, not a place among the pending ones for ever.
            None => AssertUnwindSafe(generation.decide(&request, &asked.asked))
                .catch_unwind()
                .await
                .unwrap_or_else(|_| internal_error().into()),
        };
        let at = Instant::now();
        let progress = self.begin(&request, &asked, &decided, at);
        if let Some(start) = self.start(&request, &asked, &decided, at, progress.as_ref()) {
            self.observers.tell(start).await;
        }
        self.conclude(asked, request, decided, at, progress, generation);
    }

    /// As [`Admission::answer`] where there is no policy to ask; on a thread that may block.
    fn answer_unasked(self: &Arc<Self>, runtime: &Handle, asked: NewRequest, generation: &Arc<Generation>) {
        let interface = asked.local.map_or(0, |local| local.interface);
        let neighbour = self.neighbours.known(asked.peer.ip(), interface);
        let (request, refused) = self.read(&asked, neighbour);
        let decided = match refused {
            Some(decision) => decision.into(),
            None => catch_unwind(AssertUnwindSafe(|| generation.decide_unasked(&request, &asked.asked)))
                .unwrap_or_else(|_| internal_error().into()),
        };
        let at = Instant::now();
        let progress = self.begin(&request, &asked, &decided, at);
        let start = self.start(&request, &asked, &decided, at, progress.as_ref());
        let generation = Arc::clone(generation);
        match start.and_then(|start| self.observers.try_tell(start).err()) {
            None => self.conclude(asked, request, decided, at, progress, generation),
            // Not on this thread: who empties the queue may need one like it.
            Some(start) => {
                let admission = self.clone();
                runtime.spawn(async move {
                    admission.observers.tell(*start).await;
                    admission.conclude(asked, request, decided, at, progress, generation);
                });
            }
        }
    }

    /// Lets all who watch know of a decision, before the worker hears of it, and so before the end. Where the
    /// worker writes how far it has come, if it was granted.
    fn begin(
        &self,
        request: &Arc<Request>,
        asked: &NewRequest,
        decided: &Decided,
        at: Instant,
    ) -> Option<Arc<Progress>> {
        self.watch.decided(at.saturating_duration_since(asked.received));
        if !matches!(decided.decision, Decision::Grant { .. }) {
            return None;
        }
        let progress = Arc::new(Progress::default());
        self.watch.granted(Granted {
            request: request.clone(),
            resolved: decided.resolved.clone(),
            verdict_by: decided.verdict_by.clone(),
            size: size(&decided.decision, &asked.asked),
            received: asked.received,
            progress: progress.clone(),
        });
        Some(progress)
    }

    /// What observers are told of a request that is granted, before the worker hears of it.
    fn start(
        &self,
        request: &Arc<Request>,
        asked: &NewRequest,
        decided: &Decided,
        at: Instant,
        progress: Option<&Arc<Progress>>,
    ) -> Option<Happening> {
        let want = self.observers.want();
        // Whose progress is to be looked at is known by its start.
        let progress = progress.filter(|_| want.started || want.progressed)?;
        Some(Happening::Started {
            request: request.clone(),
            resolved: decided.resolved.clone(),
            verdict_by: decided.verdict_by.clone(),
            size: size(&decided.decision, &asked.asked),
            decided_after: at.saturating_duration_since(asked.received),
            progress: progress.clone(),
        })
    }

    fn conclude(
        &self,
        asked: NewRequest,
        request: Arc<Request>,
        decided: Decided,
        at: Instant,
        progress: Option<Arc<Progress>>,
        generation: Arc<Generation>,
    ) {
        let Decided { decision, resolved, verdict_by, plugin_calls } = decided;
        let ticket = Box::new(Ticket {
            request,
            asked: asked.asked,
            answered: match &decision {
                Decision::Grant { .. } => Answered::Granted,
                Decision::Refuse { .. } => Answered::Refused,
                Decision::Drop { .. } => Answered::Dropped,
            },
            size: size(&decision, &asked.asked),
            resolved,
            verdict_by,
            plugin_calls,
            received: asked.received,
            decided: at,
            place: asked.place,
            share: asked.share,
            progress,
            generation,
        });
        self.post(asked.worker, ToWorker::Decided { key: asked.key, ticket, decision });
    }

    /// The request as policy sees it; a decision already where its name is refused.
    fn read(&self, asked: &NewRequest, neighbour: Option<MacAddress>) -> (Arc<Request>, Option<Decision>) {
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
            macs: macs(neighbour, &path),
            class: ClientClass::guess(asked.operation, &path, &asked.options),
            path,
            requested,
            client: asked.peer,
            options: asked.options.clone(),
            trail: self.sampling.map(|sampling| sampling.begin(asked.received)),
        };
        (Arc::new(request), refused)
    }

    fn post(&self, worker: usize, letter: ToWorker) {
        let posted = self.mailboxes.get(worker).map(|mailbox| mailbox.post(letter));
        if let Some(Err(error)) = posted {
            tracing::error!(worker, %error, "a worker cannot be woken");
        }
    }
}

/// Bytes on the wire, if they are known: of what is read, or as the client announced.
fn size(decision: &Decision, asked: &OptionSet) -> Option<u64> {
    match decision {
        Decision::Grant { content: Content::Upload(_), .. } => asked.tsize,
        Decision::Grant { content, .. } => content.size(),
        Decision::Refuse { .. } | Decision::Drop { .. } => None,
    }
}

fn internal_error() -> Decision {
    Decision::Refuse {
        code: ErrorCode::NotDefined,
        message: "server error".into(),
        ending: Ending::new(Outcome::Failed, "a bug: deciding the request panicked"),
    }
}

fn macs(neighbour: Option<MacAddress>, path: &str) -> Vec<MacFact> {
    let fact = |source| move |address| MacFact { address, source };
    neighbour
        .map(fact(MacSource::NeighbourTable))
        .into_iter()
        .chain(names::mac_in_name(path).map(fact(MacSource::RequestedName)))
        .collect()
}
