//! Ends the process in time, even if a disk hangs.
//!
//! A stopping server normally ends by itself, in order. If a disk blocks it, a thread that waits only for the deadline
//! ends the process. Work that does not wait for a disk, such as lines for a slow collector, gets more time.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use tuffet_store::Disks;

/// The additional time for work that does not wait for a disk.
const GRACE: Duration = Duration::from_secs(10);

/// Ends the process at the deadline, unless dropped before.
pub(super) struct Deadline(Sender<Instant>);

impl Deadline {
    /// Starts the deadline, after `patience`. Without a thread, a failure is logged, and a disk may keep the process.
    pub(super) fn after(patience: Duration, disks: Disks) -> Deadline {
        let (sender, earlier) = channel();
        let mut end = Instant::now() + patience;
        let mut grace = Some(GRACE);
        let wait = move || {
            loop {
                match earlier.recv_timeout(end.saturating_duration_since(Instant::now())) {
                    Ok(earlier) => end = end.min(earlier),
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) if disks.are_idle() => match grace.take() {
                        Some(grace) => end = Instant::now() + grace,
                        None => break,
                    },
                    Err(RecvTimeoutError::Timeout) => break,
                }
            }
            tracing::warn!(
                target: "tuffet::server::deadline",
                "the server did not end in time; exiting"
            );
            std::process::exit(0);
        };
        if let Err(error) = thread::Builder::new().name("tuffet-deadline".into()).spawn(wait) {
            tracing::warn!(
                target: "tuffet::server::deadline",
                %error, "no thread for the deadline of the shutdown; a hanging disk may delay it"
            );
        }
        Deadline(sender)
    }

    /// Moves the deadline to `patience` from now, if that is earlier.
    pub(super) fn bring_forward(&self, patience: Duration) {
        // Without the thread there is no deadline.
        let _ = self.0.send(Instant::now() + patience);
    }
}
