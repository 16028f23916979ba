//! The clock of computing guests.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::{fmt, io};

use wasmtime::Engine;

/// A thread that advances the engine's epoch while calls run, and sleeps otherwise. Compiled code checks the epoch in
/// every loop and function, so a guest that never returns is interrupted.
pub(super) struct Ticker {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    running: AtomicUsize,
    stop: AtomicBool,
}

impl Ticker {
    /// Starts the thread.
    pub fn start(engine: Engine, period: Duration) -> io::Result<Ticker> {
        let shared = Arc::new(Shared::default());
        let thread_shared = Arc::clone(&shared);
        let tick = move || {
            while !thread_shared.stop.load(Ordering::Acquire) {
                if thread_shared.running.load(Ordering::Acquire) == 0 {
                    thread::park();
                } else {
                    thread::sleep(period);
                    engine.increment_epoch();
                }
            }
        };
        let thread = thread::Builder::new().name("policy-ticker".into()).spawn(tick)?;
        Ok(Ticker { shared, thread: Some(thread) })
    }

    /// Keeps the clock running until the guard is dropped.
    pub fn hold(&self) -> Hold<'_> {
        if self.shared.running.fetch_add(1, Ordering::AcqRel) == 0 {
            self.wake();
        }
        Hold(&self.shared)
    }

    fn wake(&self) {
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        self.wake();
        if let Some(thread) = self.thread.take() {
            // The thread only sleeps and counts, so it has not panicked.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Ticker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ticker").field("running", &self.shared.running).finish_non_exhaustive()
    }
}

/// Keeps the clock running during a call.
pub(super) struct Hold<'a>(&'a Shared);

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::AcqRel);
    }
}
