//! Deciding at once: from the worker to one other thread and back.
//!
//! Most decisions wait for nothing: plugins compute for some microseconds, and the file is in the kernel's
//! memory. Going through the runtime's tasks, then to a thread for the disk, and back, costs more than that.
//! So requests are taken by a thread that may block for a moment. It polls the first stage of a decision once and
//! carries out the others itself (`opening.rs`). A decision that has to wait (for a plugin's turn, its host calls, its
//! next tick) becomes a task. As many threads decide as there are cores, and more only while those are stuck.

use super::Admission;
use super::plan::Plan;
use super::undecided::Undecided;
use crate::generation::Generation;
use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread::available_parallelism;
use tuffet_engine::worker::NewRequest;
use tuffet_store::Pool;

/// Threads that decide, at most: some for each of many roots that hang at a time.
const MOST: usize = 64;

/// The threads that decide.
pub(crate) struct Deciding(Pool);

impl Deciding {
    pub(crate) fn new() -> Deciding {
        let cores = available_parallelism().map_or(1, NonZeroUsize::get);
        Deciding(Pool::new("tuffet-decide", cores.min(MOST), MOST))
    }
}

impl Admission {
    /// Decides the requests of one turn of a worker, each for itself: none waits for the disk of another.
    pub(super) fn decide_all(self: &Arc<Self>, requests: Vec<NewRequest>) {
        let turn = Turn {
            admission: Arc::clone(self),
            generation: self.generation.get(),
            requests: Mutex::new(requests.into()),
        };
        Arc::new(turn).offer();
    }
}

/// The requests of one turn of a worker. Threads take one after the other: handing over each by itself would cost as
/// much as deciding it.
struct Turn {
    admission: Arc<Admission>,
    generation: Arc<Generation>,
    requests: Mutex<VecDeque<NewRequest>>,
}

impl Turn {
    /// One more thread may help.
    fn offer(self: Arc<Self>) {
        let admission = Arc::clone(&self.admission);
        admission.deciding.0.run(move || self.decide());
    }

    /// While requests are left, the next helper stands ready, so that they never wait for a thread that is stuck.
    fn decide(self: Arc<Self>) {
        let mut offered = false;
        while let Some((new, more)) = self.next() {
            if more && !offered {
                offered = true;
                Arc::clone(&self).offer();
            }
            decide_here(Arc::clone(&self.admission), Arc::clone(&self.generation), new);
        }
    }

    /// The next request, and whether there are more.
    fn next(&self) -> Option<(NewRequest, bool)> {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let next = requests.pop_front()?;
        Some((next, !requests.is_empty()))
    }
}

/// Decides a request on this thread. One whose policy has to wait becomes a task.
fn decide_here(admission: Arc<Admission>, generation: Arc<Generation>, new: NewRequest) {
    if generation.policy.is_empty() {
        let (undecided, plan) = Undecided::without_policy(admission, generation, new);
        return undecided.open(plan);
    }
    let runtime = admission.runtime.clone();
    // Plugins set timers.
    let _inside = runtime.enter();
    let mut nobody = Context::from_waker(Waker::noop());
    let mut asking = Box::pin(Undecided::ask(admission, generation, new));
    match asking.as_mut().poll(&mut nobody) {
        Poll::Ready((undecided, plan)) => undecided.open(plan),
        // Its first poll there gives it a waker.
        Poll::Pending => drop(runtime.spawn(decide_as_task(asking))),
    }
}

async fn decide_as_task(asking: impl Future<Output = (Undecided, Plan)>) {
    let (undecided, plan) = asking.await;
    if plan.needs_disk() {
        let admission = Arc::clone(&undecided.admission);
        admission.deciding.0.run(move || undecided.open(plan));
    } else {
        undecided.open(plan);
    }
}
