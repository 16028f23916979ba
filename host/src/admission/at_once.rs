//! Deciding at once: from the worker to one other thread and back.
//!
//! Most decisions wait for nothing: plugins compute for some microseconds, and the file is in the kernel's
//! memory. Going through the runtime's tasks, then to a thread for the disk, and back, costs more than that.
//! So a few requests are taken by a thread that may block. It polls the first stage of each decision once and carries
//! out the others itself. A decision that has to wait (for a plugin's turn, its host calls, its next tick) becomes a
//! task, as all do while as many threads decide as there are cores; its file is opened on yet another thread.

use super::Admission;
use super::plan::Plan;
use super::undecided::Undecided;
use crate::generation::Generation;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tuffet_engine::worker::NewRequest;

/// Requests that one thread takes: each waits for those before it.
const CHUNK: usize = 4;

/// How many threads decide.
#[derive(Debug)]
pub(crate) struct Deciding {
    threads: AtomicUsize,
    most: usize,
}

impl Deciding {
    /// At most so many at once, and one at least.
    pub(crate) fn at_most(most: usize) -> Deciding {
        Deciding { threads: AtomicUsize::new(0), most: most.max(1) }
    }

    /// Whether another one may.
    fn begin(&self) -> bool {
        let room = |threads| (threads < self.most).then_some(threads + 1);
        self.threads.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room).is_ok()
    }
}

/// Ends a turn, also by a panic.
struct Turn<'a>(&'a Deciding);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.threads.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Admission {
    /// Decides the requests of one turn of a worker.
    pub(super) fn decide_all(self: &Arc<Self>, runtime: &Handle, requests: Vec<NewRequest>) {
        let generation = self.generation.get();
        if generation.policy.is_empty() {
            // Each is one look at the disk: together they are worth one thread, not one each.
            let admission = Arc::clone(self);
            runtime.spawn_blocking(move || decide_here(&admission, &generation, requests));
            return;
        }
        let mut requests = requests.into_iter().peekable();
        while requests.peek().is_some() {
            let (admission, generation) = (Arc::clone(self), Arc::clone(&generation));
            if self.deciding.begin() {
                let chunk = requests.by_ref().take(CHUNK).collect();
                runtime.spawn_blocking(move || {
                    let _turn = Turn(&admission.deciding);
                    decide_here(&admission, &generation, chunk);
                });
            } else if let Some(new) = requests.next() {
                runtime.spawn(decide_as_task(Undecided::ask(admission, generation, new)));
            }
        }
    }
}

/// Decides requests on this thread, which may block. One whose policy has to wait becomes a task.
fn decide_here(admission: &Arc<Admission>, generation: &Arc<Generation>, requests: Vec<NewRequest>) {
    let mut nobody = Context::from_waker(Waker::noop());
    for new in requests {
        let mut asking = Box::pin(Undecided::ask(admission.clone(), generation.clone(), new));
        match asking.as_mut().poll(&mut nobody) {
            Poll::Ready((undecided, plan)) => undecided.open(plan),
            // Its first poll there gives it a waker.
            Poll::Pending => drop(tokio::spawn(decide_as_task(asking))),
        }
    }
}

async fn decide_as_task(asking: impl Future<Output = (Undecided, Plan)>) {
    let (undecided, plan) = asking.await;
    if plan.needs_disk() {
        drop(spawn_blocking(move || undecided.open(plan)));
    } else {
        undecided.open(plan);
    }
}
