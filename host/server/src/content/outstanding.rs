//! What a program does for a server at the moment: calls of its hooks and roots, and its open sinks. A server that ends
//! leaves none of it behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use tokio::sync::Notify;

/// What the program does for a server. Cheap to clone; clones share it.
#[derive(Clone, Default)]
pub(crate) struct Outstanding(Arc<Shared>);

#[derive(Default)]
struct Shared {
    calls: AtomicUsize,
    sinks: AtomicUsize,
    /// Those that are being aborted.
    aborting: AtomicUsize,
    /// A sink was committed or aborted.
    settled: Notify,
    /// The server has no transfers any more.
    stopped: Signal,
    /// The server does not wait any longer.
    abandoned: Signal,
}

/// Something that happens once.
#[derive(Default)]
struct Signal {
    given: AtomicBool,
    notify: Notify,
}

impl Signal {
    fn give(&self) {
        self.given.store(true, SeqCst);
        self.notify.notify_waiters();
    }

    async fn given(&self) {
        let notified = self.notify.notified();
        if !self.given.load(SeqCst) {
            notified.await;
        }
    }

    /// Runs a future until then; `None` if it was not done.
    async fn before<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            done = work => Some(done),
            () = self.given() => None,
        }
    }
}

impl Outstanding {
    /// Counts a request, or an upload that is judged, until the guard is dropped.
    pub(crate) fn call(&self) -> OutstandingCall {
        self.0.calls.fetch_add(1, SeqCst);
        OutstandingCall(self.clone())
    }

    /// Counts a sink until the guard is dropped.
    pub(crate) fn sink(&self) -> OutstandingSink {
        self.0.sinks.fetch_add(1, SeqCst);
        OutstandingSink { of: self.clone(), is_aborting: false }
    }

    /// Runs a future until the server has no transfers any more; `None` if it was not done.
    pub(crate) async fn until_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.0.stopped.before(work).await
    }

    /// Runs a future until the server does not wait any longer; `None` if it was not done.
    pub(crate) async fn until_abandoned<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.0.abandoned.before(work).await
    }

    /// Ends what serves transfers only; returns the number of calls without an answer.
    pub(crate) fn stop(&self) -> usize {
        let calls = self.0.calls.load(SeqCst);
        self.0.stopped.give();
        calls
    }

    /// Waits until every sink is committed or aborted.
    pub(crate) async fn sinks_settled(&self) {
        loop {
            let settled = self.0.settled.notified();
            if self.0.sinks.load(SeqCst) == 0 {
                return;
            }
            settled.await;
        }
    }

    /// The sinks that are being aborted.
    #[cfg(feature = "simulation")]
    pub(crate) fn aborting(&self) -> usize {
        self.0.aborting.load(SeqCst)
    }

    /// Ends the rest; returns the number of sinks that are neither committed nor aborted.
    pub(crate) fn abandon(&self) -> usize {
        let sinks = self.0.sinks.load(SeqCst);
        self.0.abandoned.give();
        sinks
    }
}

/// A request, or an upload that is judged.
pub(crate) struct OutstandingCall(Outstanding);

impl Drop for OutstandingCall {
    fn drop(&mut self) {
        self.0.0.calls.fetch_sub(1, SeqCst);
    }
}

/// A sink that is neither committed nor aborted.
pub(crate) struct OutstandingSink {
    of: Outstanding,
    is_aborting: bool,
}

impl OutstandingSink {
    /// What it is a part of.
    pub(crate) fn outstanding(&self) -> &Outstanding {
        &self.of
    }

    /// Counts it among those that are being aborted.
    pub(crate) fn begin_abort(&mut self) {
        self.is_aborting = true;
        self.of.0.aborting.fetch_add(1, SeqCst);
    }
}

impl Drop for OutstandingSink {
    fn drop(&mut self) {
        let Shared { sinks, aborting, settled, .. } = &*self.of.0;
        if self.is_aborting {
            aborting.fetch_sub(1, SeqCst);
        }
        sinks.fetch_sub(1, SeqCst);
        settled.notify_waiters();
    }
}
