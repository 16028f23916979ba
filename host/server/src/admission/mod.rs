//! The control side: from a request to a decision.
//!
//! A request passes these stages in one direction (`PendingRequest`): the name is read (`pending.rs`) and found
//! (`stored_name.rs`), policy decides (`plan.rs`), the content is searched (`search.rs`) and opened (`live.rs`), and the
//! decision is posted to the worker. Other protocols (`other/`) and explanations (`explain.rs`) run the same search.
//! Policy may wait and never blocks; the disk blocks. So the stages need different threads, and `deciders.rs` assigns
//! them: a slow plugin or disk must not delay other requests.

mod absence;
mod candidates;
mod deciders;
mod explain;
mod gate;
mod held_wake;
mod live;
mod named_files;
mod netboot;
mod open_file;
mod other;
mod pending;
mod plan;
mod refusals;
mod root_access;
mod search;
mod stored_name;
mod supplied;

use crate::events::Observers;
use crate::generation::CurrentGeneration;
use crate::interfaces::InterfaceNames;
use crate::neighbours::Neighbours;
use crate::sampling::Sampling;
use crate::vlans::Vlans;
use crate::watch::Watch;
pub(crate) use absence::AbsenceSearches;
pub(crate) use deciders::Deciders;
pub use explain::{Circumstances, explain};
pub(crate) use other::OpenRequests;
pub use other::{Ask, AskError, Decided, ReadTransfer, Requests, StoredUpload, WriteTransfer};
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tuffet_engine::worker::{Mailbox, OtherRequests, ToControl, ToWorker};
use tuffet_request::events::Ended;
use tuffet_request::events::RecentDecisions;
use tuffet_store::Lane;

/// How long another protocol waits for bytes of a disk.
const READ_TIME: Duration = Duration::from_secs(60);

/// The state for deciding requests.
pub(crate) struct Admission {
    /// The names of the listeners, by number.
    pub(crate) listeners: Vec<Arc<str>>,
    pub(crate) generation: CurrentGeneration,
    pub(crate) observers: Observers,
    pub(crate) watch: Watch,
    pub(crate) neighbours: Neighbours,
    pub(crate) interface_names: InterfaceNames,
    pub(crate) vlans: Vlans,
    /// The workers' mailboxes, by number, then the mailbox of the multicast thread.
    pub(crate) mailboxes: Vec<Arc<Mailbox>>,
    /// The number of the multicast thread, if there is one.
    pub(crate) groups: Option<usize>,
    pub(crate) ids: AtomicU64,
    /// Polls everything that waits.
    pub(crate) runtime: Handle,
    /// The threads that decide.
    pub(crate) deciders: Deciders,
    /// Limits searches for absent files.
    pub(crate) absence_searches: AbsenceSearches,
    /// Finds what a decision has in common with others.
    pub(crate) recent_decisions: RecentDecisions,
    /// Samples traces, if they are exported.
    pub(crate) sampling: Option<Sampling>,
    /// Admits requests of other protocols.
    pub(crate) other_requests: Arc<OtherRequests>,
    /// Those that were granted.
    pub(crate) open_requests: Arc<OpenRequests>,
    /// The queue of their ends, which is that of the workers.
    pub(crate) summaries: mpsc::WeakSender<Ended>,
}

impl Admission {
    /// Executes the messages of a worker on other threads, and posts the results.
    pub(crate) fn take(self: &Arc<Self>, messages: Vec<ToControl>) {
        let runtime = &self.runtime;
        let mut requests = Vec::with_capacity(messages.len());
        for message in messages {
            match message {
                ToControl::Request(new) => requests.push(new),
                ToControl::Store { worker, key, upload, record, gate: Some(gate), limit } => {
                    let post = self.poster(worker);
                    runtime.spawn(async move {
                        let stored = gate.pass(upload, record, limit).await;
                        post(ToWorker::Stored { key, stored });
                    });
                }
                ToControl::Store { worker, key, upload, record, gate: None, limit } => {
                    let outstanding = self.generation.get().files.outstanding.clone();
                    gate::commit(runtime, &outstanding, limit, upload, record, key, self.poster(worker));
                }
                ToControl::Counted { worker, news } => {
                    let (published, names) = (self.watch.worker(worker), self.generation.get().names);
                    runtime.spawn(async move { news.log(Some(worker), &published, names) });
                }
                ToControl::Join(join) => match self.groups {
                    Some(groups) => self.post(groups, ToWorker::Join(join)),
                    None => self.post(join.worker(), ToWorker::Declined(join)),
                },
                ToControl::Member { worker, key, news } => {
                    if let Some(groups) = self.groups {
                        self.post(groups, ToWorker::Member { worker, key, news });
                    }
                }
                ToControl::ToWorker { worker, message } => self.post(worker, message),
                ToControl::Disk { worker, work } => {
                    let post = self.poster(worker);
                    if work.is_supplied() {
                        let outstanding = self.generation.get().files.outstanding.clone();
                        runtime.spawn(async move {
                            if let Some(result) = outstanding.until_stopped(work.supply()).await {
                                post(ToWorker::Disk(result));
                            }
                        });
                    } else {
                        work.submit(move |result| post(ToWorker::Disk(result)));
                    }
                }
                ToControl::Discard(upload) => {
                    let (closing, client) = (upload.closing(), upload.client());
                    closing.close(upload, Lane::Remove, client, runtime);
                }
                ToControl::Close(content) => {
                    let (closing, client) = (content.closing(), content.client());
                    closing.close(content, Lane::Open, client, runtime);
                }
            }
        }
        if !requests.is_empty() {
            self.watch.admitted(requests.len() as u64);
            self.decide_all(requests);
        }
    }

    /// Returns a function that posts to a worker. It keeps only the mailbox alive, so a hanging disk that holds it does
    /// not keep the server.
    fn poster(&self, worker: usize) -> impl Fn(ToWorker) + Send + Sync + 'static {
        let mailbox = self.mailboxes.get(worker).cloned();
        move |message| post(mailbox.as_deref(), message)
    }

    fn post(&self, worker: usize, message: ToWorker) {
        post(self.mailboxes.get(worker).map(|mailbox| &**mailbox), message);
    }
}

fn post(mailbox: Option<&Mailbox>, message: ToWorker) {
    if let Some(mailbox) = mailbox {
        held_wake::post(mailbox, message);
    }
}

fn log_failure(woken: io::Result<()>) {
    if let Err(error) = woken {
        tracing::error!(target: "tuffet::admission", %error, "a worker cannot be woken");
    }
}
