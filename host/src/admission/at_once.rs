//! Deciding at once: from the worker to one other thread and back.
//!
//! Most decisions wait for nothing: plugins compute for some microseconds, and the file is in the kernel's
//! memory. Going through the runtime's tasks, then to a thread for the disk, and back, costs more than that.
//! So a few requests are taken by a thread that may block, and their decisions are polled there once. One
//! that waits (for a plugin's turn, its host calls, its next tick) becomes a task, as all do while as many
//! threads decide as there are cores.

use super::Admission;
use crate::generation::Generation;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Waker};
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tuffet_engine::worker::NewRequest;

/// Requests that one thread takes: each waits for those before it.
const CHUNK: usize = 4;

thread_local! {
    /// Whether what runs on this thread may wait for the disk.
    static MAY_BLOCK: Cell<bool> = const { Cell::new(false) };
}

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
struct Turn<'a>(&'a AtomicUsize);

impl<'a> Turn<'a> {
    fn new(deciding: &'a Deciding) -> Turn<'a> {
        MAY_BLOCK.set(true);
        Turn(&deciding.threads)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        MAY_BLOCK.set(false);
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Admission {
    /// Decides requests that policy is asked about.
    pub(super) fn decide_all(
        self: &Arc<Self>,
        runtime: &Handle,
        asked: Vec<NewRequest>,
        generation: &Arc<Generation>,
    ) {
        let mut asked = asked.into_iter().peekable();
        while asked.peek().is_some() {
            if self.deciding.begin() {
                let (admission, generation) = (Arc::clone(self), Arc::clone(generation));
                let chunk: Vec<_> = asked.by_ref().take(CHUNK).collect();
                runtime.spawn_blocking(move || admission.decide_here(chunk, &generation));
            } else if let Some(asked) = asked.next() {
                let (admission, generation) = (Arc::clone(self), Arc::clone(generation));
                runtime.spawn(async move { admission.answer(asked, generation).await });
            }
        }
    }

    fn decide_here(self: Arc<Self>, chunk: Vec<NewRequest>, generation: &Arc<Generation>) {
        let turn = Turn::new(&self.deciding);
        let mut nobody = Context::from_waker(Waker::noop());
        for asked in chunk {
            let (admission, generation) = (Arc::clone(&self), Arc::clone(generation));
            let mut answer = Box::pin(async move { admission.answer(asked, generation).await });
            if answer.as_mut().poll(&mut nobody).is_pending() {
                // Its first poll there gives it a waker.
                tokio::spawn(answer);
            }
        }
        drop(turn);
    }
}

/// Waits for the disk, on this thread if it may.
///
/// # Errors
/// `work` panicked on another thread.
pub(super) async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, tokio::task::JoinError> {
    if MAY_BLOCK.get() { Ok(work()) } else { spawn_blocking(work).await }
}
