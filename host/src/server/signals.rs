//! Signals, from the first moment of a server on.

use super::ServeError;
use rustix::process::Signal as Number;
use std::io;
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Those that a server heeds. What comes before somebody waits for it is kept.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

/// What is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// To end.
    Stop,
    /// To read the configuration again.
    Reload,
}

impl Signals {
    /// Catches them: their default action is to kill. Starts no thread.
    ///
    /// # Errors
    /// The system has no descriptor for it.
    pub(super) fn catch() -> Result<Signals, ServeError> {
        Signals::try_catch().map_err(|error| ServeError::System("signals cannot be received", error))
    }

    fn try_catch() -> io::Result<Signals> {
        // Handlers and what they note belong to the process. The runtime is there to be asked for them, and the
        // one that serves reads on.
        let runtime = Builder::new_current_thread().enable_io().build()?;
        let _inside = runtime.enter();
        // A write past RLIMIT_FSIZE shall fail with EFBIG instead of killing.
        drop(signal(SignalKind::from_raw(Number::XFSZ.as_raw()))?);
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the next.
    pub(super) async fn next(&mut self) -> Wish {
        tokio::select! {
            () = stop(&mut self.terminate, &mut self.interrupt) => Wish::Stop,
            _ = self.hangup.recv() => Wish::Reload,
        }
    }

    /// Waits for one that ends the server; others are kept.
    pub(super) async fn stop(&mut self) {
        stop(&mut self.terminate, &mut self.interrupt).await;
    }
}

async fn stop(terminate: &mut Signal, interrupt: &mut Signal) {
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::control_runtime;
    use rustix::process::{getpid, kill_process};

    /// Caught without a runtime that runs, heard by the one that comes later.
    #[test]
    fn what_came_early_is_heard_late() {
        let mut signals = Signals::catch().unwrap();
        kill_process(getpid(), Number::HUP).unwrap();
        let runtime = control_runtime().unwrap();
        assert_eq!(runtime.block_on(signals.next()), Wish::Reload);
        drop(runtime);
        // Stopping goes first for who waits for that alone, and the other is kept.
        kill_process(getpid(), Number::HUP).unwrap();
        kill_process(getpid(), Number::TERM).unwrap();
        let runtime = control_runtime().unwrap();
        runtime.block_on(signals.stop());
        assert_eq!(runtime.block_on(signals.next()), Wish::Reload);
    }
}
