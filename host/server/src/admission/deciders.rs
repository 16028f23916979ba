//! The threads that decide requests: from a worker to one other thread and back.
//!
//! Most decisions wait for nothing: plugins compute for some microseconds, and the file is in the page cache. A task of
//! the runtime, then a thread for the disk, and the way back would cost more than that. So a thread that may block for
//! a moment polls a decision once, and opens the file itself (`live.rs`). A decision that has to wait (for a plugin's
//! turn, its host calls, its next tick, a slow disk) becomes a task. There are as many of these threads
//! as cores, and more only while those are stuck.

use super::Admission;
use super::held_wake::{HeldWake, Holding};
use super::pending::PendingRequest;
use super::refusals::not_begun;
use crate::generation::Generation;
use parking_lot::Mutex;
use std::cell::Cell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::thread::available_parallelism;
use std::time::Duration;
use tuffet_engine::worker::NewRequest;
use tuffet_policy::DeferredWork;
use tuffet_request::catch_panic_async;
use tuffet_store::{Pool, Undone};

/// The maximum number of these threads: enough for several roots that hang at the same time.
const MAX_DECIDERS: usize = 64;

/// The threads that decide requests. `None` in a simulation: whoever has a request decides it.
#[derive(Clone)]
pub(crate) struct Deciders(Option<Pool>);

impl Deciders {
    pub(crate) fn new() -> Deciders {
        let cores = available_parallelism().map_or(1, NonZeroUsize::get);
        Deciders(Some(Pool::new("tuffet-decide", cores.min(MAX_DECIDERS), MAX_DECIDERS)))
    }

    /// Without threads.
    #[cfg(feature = "simulation")]
    pub(crate) fn none() -> Deciders {
        Deciders(None)
    }

    /// Runs `work` on one of them, or `undone` if none takes it within this time.
    pub(super) fn run(
        &self,
        within: Duration,
        work: impl FnOnce() + Send + 'static,
        undone: impl FnOnce(Undone) + Send + 'static,
    ) {
        match &self.0 {
            Some(pool) => pool.run(within, work, undone),
            None => work(),
        }
    }

    /// Drops requests that no thread has taken in time. Returns why the system starts no thread, if so. Call it several
    /// times a second.
    pub(crate) fn tick(&self) -> Option<String> {
        self.0.as_ref()?.tick()
    }

    /// Ends idle threads at once, and the others when they are idle.
    pub(crate) fn close(&self) {
        if let Some(pool) = &self.0 {
            pool.close();
        }
    }

    /// Drops all waiting requests if the system refuses a thread, for the shutdown.
    pub(crate) fn give_up_without_threads(&self) {
        if let Some(pool) = self.0.as_ref().filter(|pool| pool.tick().is_some()) {
            pool.give_up();
        }
    }
}

impl Admission {
    /// Decides the requests of one turn of a worker, independently: none waits for the disk of another.
    pub(super) fn decide_all(self: &Arc<Self>, requests: Vec<NewRequest>) {
        let worker = requests.first().and_then(|new| self.mailboxes.get(new.worker));
        let Some(mailbox) = worker else { return };
        let batch = RequestBatch {
            admission: Arc::clone(self),
            generation: self.generation.get(),
            wake: HeldWake::new(Arc::clone(mailbox)),
            requests: Mutex::new(requests.into()),
        };
        Arc::new(batch).offer(true);
    }
}

/// The requests of one turn of a worker, which threads take one by one: handing over each separately would cost as much
/// as deciding it.
struct RequestBatch {
    admission: Arc<Admission>,
    generation: Arc<Generation>,
    /// Wakes the worker.
    wake: Arc<HeldWake>,
    requests: Mutex<VecDeque<NewRequest>>,
}

impl RequestBatch {
    /// Offers the batch to one more thread.
    fn offer(self: Arc<Self>, is_first: bool) {
        let (admission, within) = (Arc::clone(&self.admission), self.generation.open_time);
        let its = Arc::clone(&self);
        admission.deciders.run(within, move || self.decide(is_first), move |why| its.give_up(why));
    }

    /// Drops the remaining requests; their clients repeat them.
    fn give_up(&self, why: Undone) {
        while let Some((new, _)) = self.next() {
            let (admission, generation) = (Arc::clone(&self.admission), Arc::clone(&self.generation));
            let (pending, _) = PendingRequest::without_policy(admission, generation, new);
            pending.conclude(not_begun(why));
        }
    }

    /// Decides requests until none are left. Offers the batch to a second thread first, in case this one gets stuck.
    fn decide(self: Arc<Self>, is_first: bool) {
        let mut offered = false;
        let mut holding: Option<Holding> = None;
        while let Some((new, more)) = self.next() {
            if more && !offered {
                offered = true;
                Arc::clone(&self).offer(false);
            }
            if !is_first {
                // The first thread may be stuck with a wake-up that it holds back.
                self.wake.wake();
            }
            let (admission, generation) = (Arc::clone(&self.admission), Arc::clone(&self.generation));
            if self.needs_policy(&new) {
                // The next decision may take long.
                drop(holding.take());
                self.decide_here(async move {
                    let (pending, plan) = PendingRequest::ask(admission, generation, new).await;
                    pending.carry_out(plan).await;
                });
            } else {
                holding.get_or_insert_with(|| self.wake.hold()).before_next(!more);
                let (pending, plan) = PendingRequest::without_policy(admission, generation, new);
                self.decide_here(pending.carry_out(plan));
            }
        }
    }

    /// Decides a request on this thread. If it has to wait, it becomes a task.
    fn decide_here(&self, deciding: impl Future<Output = ()> + Send + 'static) {
        let runtime = &self.admission.runtime;
        // Plugins and roots of the program set timers.
        let _inside = runtime.enter();
        // It becomes tasks of the runtime, so it is started before this thread leaves it.
        let _deferred = DeferredWork::collect();
        let _blocking = Blocking::permit();
        let mut noop = Context::from_waker(Waker::noop());
        let mut deciding = Box::pin(catch_panic_async(deciding));
        if deciding.as_mut().poll(&mut noop).is_pending() {
            let outstanding = self.generation.files.outstanding.clone();
            // The first poll of the task registers its waker.
            drop(runtime.spawn(async move { outstanding.until_stopped(deciding).await }));
        }
    }

    fn needs_policy(&self, new: &NewRequest) -> bool {
        let listener = self.admission.listeners.get(usize::from(new.listener));
        self.generation.needs_policy(listener.map_or("", |name| name))
    }

    /// Takes the next request; also returns whether there are more.
    fn next(&self) -> Option<(NewRequest, bool)> {
        let mut requests = self.requests.lock();
        let next = requests.pop_front()?;
        Some((next, !requests.is_empty()))
    }
}

thread_local! {
    /// Whether this thread may block for a request.
    static MAY_BLOCK: Cell<bool> = const { Cell::new(false) };
}

/// Permits this thread to block until it is dropped.
struct Blocking;

impl Blocking {
    fn permit() -> Blocking {
        MAY_BLOCK.set(true);
        Blocking
    }
}

impl Drop for Blocking {
    fn drop(&mut self) {
        MAY_BLOCK.set(false);
    }
}

/// Whether the decision may block on this thread.
pub(super) fn may_block() -> bool {
    MAY_BLOCK.get()
}

/// Makes a decision a task, unless it is one: from here on it waits.
pub(super) async fn leave_thread() {
    poll_fn(|_| if may_block() { Poll::Pending } else { Poll::Ready(()) }).await;
}
