//! Stops this process and its children on SIGINT, SIGTERM and SIGHUP.

use std::io;
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

/// The interval at which a child is polled.
const POLL: Duration = Duration::from_millis(50);

/// Whether a signal asked this process to end. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Starts to watch the signals.
    ///
    /// # Errors
    /// The system lacks a thread or a descriptor for it.
    pub fn on_signals() -> io::Result<Stop> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let (mut interrupt, mut terminate, mut hang_up) = {
            let _entered = runtime.enter();
            (
                signal(SignalKind::interrupt())?,
                signal(SignalKind::terminate())?,
                signal(SignalKind::hangup())?,
            )
        };
        let stop = Stop::default();
        let requested = Arc::clone(&stop.0);
        thread::Builder::new().name("signals".into()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                    _ = hang_up.recv() => {}
                }
            });
            requested.store(true, Relaxed);
        })?;
        Ok(stop)
    }

    pub fn requested(&self) -> bool {
        self.0.load(Relaxed)
    }

    /// Waits for a child, and ends it if a signal arrives.
    pub fn wait_for(&self, mut child: Child) -> Option<ExitStatus> {
        loop {
            match child.try_wait() {
                Ok(None) if self.requested() => {
                    end(&mut child);
                    return None;
                }
                Ok(None) => thread::sleep(POLL),
                Ok(Some(status)) => return Some(status),
                Err(_) => return None,
            }
        }
    }
}

/// How long a child may take to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// Ends a child: by SIGTERM, and if that does not help, by SIGKILL.
pub(super) fn end(child: &mut Child) {
    let _ =
        rustix::process::kill_process(rustix::process::Pid::from_child(child), rustix::process::Signal::TERM);
    let looks = PATIENCE.as_millis() / POLL.as_millis();
    for _ in 0..looks {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        thread::sleep(POLL);
    }
    let _ = child.kill();
    let _ = child.wait();
}
