//! The end of the process, whatever hangs.
//!
//! A server that was told to stop ends by itself, in order. Should a disk keep it, a thread that waits for nothing but
//! its time ends the process. What waits for no disk, such as lines for a slow collector, gets some time more.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use tuffet_store::Disks;

/// How much more time it gets that waits for no disk.
const GRACE: Duration = Duration::from_secs(10);

/// Ends the process at its time, unless it is dropped before.
pub(super) struct Deadline(Sender<Instant>);

impl Deadline {
    /// In so long. Without a thread for it, the server ends by itself or not at all.
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
                "the server did not end in time; the process ends now"
            );
            std::process::exit(0);
        };
        if let Err(error) = thread::Builder::new().name("tuffet-deadline".into()).spawn(wait) {
            tracing::warn!(
                target: "tuffet::server::deadline",
                %error, "no thread that ends the process in time; a disk that hangs may keep it"
            );
        }
        Deadline(sender)
    }

    /// In so long, if that is earlier.
    pub(super) fn bring_forward(&self, patience: Duration) {
        // Without its thread there is nothing to bring forward.
        let _ = self.0.send(Instant::now() + patience);
    }
}
