//! Looks whether the disks of all roots answer.

use crate::admission::Deciding;
use crate::generation::Current;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tuffet_store::Disks;

/// How often while they have something to do, and while they have not.
const BUSY: Duration = Duration::from_millis(100);
const IDLE: Duration = Duration::from_secs(1);

/// How often to look whether they are done.
const SETTLE: Duration = Duration::from_millis(2);

/// How often to look where the paths of roots lead.
const PATHS: Duration = Duration::from_secs(5);

/// The shortest time between two log lines about threads that cannot be started.
const QUIET: Duration = Duration::from_secs(60);

/// Gives up what takes too long and notes which roots hang, for ever.
pub(super) async fn look(disks: Disks, deciding: Deciding) {
    let mut complained: Option<Instant> = None;
    loop {
        let mut busy = disks.look();
        if let Some(error) = deciding.look() {
            busy = true;
            if complained.is_none_or(|at| at.elapsed() >= QUIET) {
                complained = Some(Instant::now());
                tracing::error!(
                    target: "tuffet::server::disks",
                    error,
                    "no thread can be started to decide requests; they get no answer until one can: raise the limit \
                     of threads (`TasksMax=`, `ulimit -u`, the pids limit of the container)"
                );
            }
        }
        sleep(if busy { BUSY } else { IDLE }).await;
    }
}

/// Notes which roots were replaced, and opens those that did not answer before, for ever.
pub(super) async fn look_for_replaced(generation: Current) {
    loop {
        generation.get().files.roots.look_for_replaced();
        sleep(PATHS).await;
    }
}

/// Waits until disks have nothing left to do, such as to remove what is left of uploads, but not for long.
pub(super) async fn settle(disks: &Disks, patience: Duration) {
    let end = Instant::now() + patience;
    while !disks.are_idle() && Instant::now() < end {
        sleep(SETTLE).await;
    }
    for disk in disks.states().iter().filter(|disk| disk.running > 0) {
        tracing::warn!(
            target: "tuffet::server::disks",
            root = %disk.root, operations = disk.running, "operations on the disk of a root have not ended; they are not waited for"
        );
    }
}
