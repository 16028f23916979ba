//! Checks whether the disks of all roots answer.

use crate::admission::Deciders;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tuffet_store::Disks;

/// The interval of checks for idle disks at the shutdown.
const SETTLE_INTERVAL: Duration = Duration::from_millis(2);

/// The shortest time between log lines about threads that cannot be started.
const COMPLAINT_INTERVAL: Duration = Duration::from_secs(60);

/// Times out operations, and records hanging roots.
pub(super) struct DiskWatch {
    disks: Disks,
    deciders: Deciders,
    last_complaint: Option<Instant>,
}

impl DiskWatch {
    pub fn new(disks: Disks, deciders: Deciders) -> Self {
        Self { disks, deciders, last_complaint: None }
    }

    /// Checks all disks. Returns whether the next check is due soon, because an operation is running or waiting.
    pub fn check(&mut self) -> bool {
        let busy = self.disks.tick();
        let Some(error) = self.deciders.tick() else { return busy };
        if self.last_complaint.is_none_or(|at| at.elapsed() >= COMPLAINT_INTERVAL) {
            self.last_complaint = Some(Instant::now());
            tracing::error!(
                target: "tuffet::server::disks",
                error,
                "no thread can be started to decide requests; they get no answer until one can: raise the limit of \
                 threads (`TasksMax=`, `ulimit -u`, the pids limit of the container)"
            );
        }
        true
    }
}

/// Waits for pending disk operations, such as removing incomplete uploads, but not for long.
pub(super) async fn settle(disks: &Disks, time_limit: Duration) {
    let end = Instant::now() + time_limit;
    while !disks.are_idle() && Instant::now() < end {
        sleep(SETTLE_INTERVAL).await;
    }
    for disk in disks.states().iter().filter(|disk| disk.running > 0) {
        tracing::warn!(
            target: "tuffet::server::disks",
            root = %disk.root, operations = disk.running, "operations on the disk of a root are still running; shutting down without them"
        );
    }
}
