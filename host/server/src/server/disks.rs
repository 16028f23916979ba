//! Checks whether the disks of all roots answer.

use crate::admission::Deciders;
use crate::generation::CurrentGeneration;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tuffet_store::Disks;

/// The intervals of checks, with and without running operations.
const BUSY_INTERVAL: Duration = Duration::from_millis(100);
const IDLE_INTERVAL: Duration = Duration::from_secs(1);

/// The interval of checks for idle disks at the shutdown.
const SETTLE_INTERVAL: Duration = Duration::from_millis(2);

/// The interval of checks of the paths of roots.
const PATH_INTERVAL: Duration = Duration::from_secs(5);

/// The shortest time between log lines about threads that cannot be started.
const COMPLAINT_INTERVAL: Duration = Duration::from_secs(60);

/// Times out operations and records hanging roots, until aborted.
pub(super) async fn watch(disks: Disks, deciders: Deciders) {
    let mut last_complaint: Option<Instant> = None;
    loop {
        let mut busy = disks.tick();
        if let Some(error) = deciders.tick() {
            busy = true;
            if last_complaint.is_none_or(|at| at.elapsed() >= COMPLAINT_INTERVAL) {
                last_complaint = Some(Instant::now());
                tracing::error!(
                    target: "tuffet::server::disks",
                    error,
                    "no thread can be started to decide requests; they get no answer until one can: raise the limit \
                     of threads (`TasksMax=`, `ulimit -u`, the pids limit of the container)"
                );
            }
        }
        sleep(if busy { BUSY_INTERVAL } else { IDLE_INTERVAL }).await;
    }
}

/// Records replaced roots, and opens roots that did not answer before, until aborted.
pub(super) async fn look_for_replaced(generation: CurrentGeneration) {
    loop {
        generation.get().files.roots.look_for_replaced();
        sleep(PATH_INTERVAL).await;
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
