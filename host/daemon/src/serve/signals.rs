//! Signals, caught from the start of the server on.

use super::ServeError;
use rustix::process::Signal as Number;
use std::io;
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that a server handles, including those before the runtime starts.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    /// Those of scripts for other servers, which must not end this one.
    user1: Signal,
    user2: Signal,
}

/// Keeps signals from ending the process until the result is dropped.
pub fn catch() -> impl Sized {
    Signals::catch()
}

/// The request of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignalRequest {
    /// Shut down.
    Stop,
    /// Reload the configuration.
    Reload,
    /// Nothing; its name is logged.
    Other(&'static str),
}

impl Signals {
    /// Catches the signals, whose default action is to kill. Starts no thread.
    ///
    /// # Errors
    /// The system has no descriptor left.
    pub(super) fn catch() -> Result<Signals, ServeError> {
        Signals::try_catch().map_err(|error| ServeError::System("signals cannot be received", error))
    }

    fn try_catch() -> io::Result<Signals> {
        // Handlers and pending signals belong to the process: this runtime registers the handlers, the server's runtime
        // receives the signals.
        let runtime = Builder::new_current_thread().enable_io().build()?;
        let _inside = runtime.enter();
        // A write past RLIMIT_FSIZE must fail with EFBIG instead of killing the process.
        drop(signal(SignalKind::from_raw(Number::XFSZ.as_raw()))?);
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            user1: signal(SignalKind::user_defined1())?,
            user2: signal(SignalKind::user_defined2())?,
        })
    }

    /// Waits for the next signal.
    pub(super) async fn next(&mut self) -> SignalRequest {
        tokio::select! {
            () = stop(&mut self.terminate, &mut self.interrupt) => SignalRequest::Stop,
            _ = self.hangup.recv() => SignalRequest::Reload,
            _ = self.user1.recv() => SignalRequest::Other("SIGUSR1"),
            _ = self.user2.recv() => SignalRequest::Other("SIGUSR2"),
        }
    }

    /// Waits for a signal that stops the server; others stay pending.
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
    use crate::control_runtime;
    use rustix::process::{getpid, kill_process};

    /// Caught before a runtime runs, received by the later one.
    #[test]
    fn early_signals_stay_pending() {
        let mut signals = Signals::catch().unwrap();
        kill_process(getpid(), Number::HUP).unwrap();
        let runtime = control_runtime().unwrap();
        assert_eq!(runtime.block_on(signals.next()), SignalRequest::Reload);
        drop(runtime);
        // A caller that waits for a stop gets it first; the other signal stays pending.
        kill_process(getpid(), Number::HUP).unwrap();
        kill_process(getpid(), Number::TERM).unwrap();
        let runtime = control_runtime().unwrap();
        runtime.block_on(signals.stop());
        assert_eq!(runtime.block_on(signals.next()), SignalRequest::Reload);
    }
}
