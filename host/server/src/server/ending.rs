//! The end of a server whose workers have ended: what is left ends in order, and what is late is counted.

use super::{RunningServer, disks};
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;
use tokio::time::{timeout, timeout_at};
use tuffet_store::Disks;

/// How long a shutdown waits for a disk, and for tasks that it blocks.
const DISK_WAIT: Duration = Duration::from_millis(300);

/// How long a shutdown waits for observers and for the log, if its program sets no limit.
const END_WAIT: Duration = Duration::from_secs(30);

impl RunningServer {
    /// Ends the rest after the workers have ended. Each step ends the producers of the next. If a disk hangs, what depends
    /// on it is left behind.
    pub async fn end(self) {
        let late = self.finish(Instant::now() + END_WAIT, true).await;
        late.iter().for_each(JoinHandle::abort);
    }

    /// Ends the rest after the workers have ended: calls of hooks and roots at once, sinks, the log and observers by
    /// `until`. Returns what was not finished.
    pub(crate) async fn end_by(self, until: Instant) -> Unfinished {
        let outstanding = self.generation().files.outstanding.clone();
        let backlog = self.admission.observers.backlog().clone();
        let unanswered_calls = outstanding.stop();
        let sinks = timeout_at(until.into(), outstanding.sinks_settled());
        let (_, late) = tokio::join!(sinks, self.finish(until, false));
        // Counts them before what ends here drops them.
        let (open_sinks, unobserved_ends) = (outstanding.abandon(), backlog.give_up());
        late.iter().for_each(JoinHandle::abort);
        Unfinished { unanswered_calls, open_sinks, unobserved_ends }
    }

    /// `leaves_disks`: whether what a disk holds up is left behind before `until`. Returns the tasks that are late.
    async fn finish(self, until: Instant, leaves_disks: bool) -> Vec<JoinHandle<()>> {
        for task in self.tasks {
            task.abort();
            let _ = task.await;
        }
        // Ends decisions, also those that wait for a disk: they hold admission, and so the producers of summaries.
        self.disks.give_up();
        self.admission.deciders.give_up_without_threads();
        let deciders = self.admission.deciders.clone();
        drop(self.admission);
        let disks = leaves_disks.then_some(&self.disks);
        let passing = wait_for(self.passing, disks, "the log", until).await;
        // The last producer of events has ended.
        let observing = wait_for(self.observing, disks, "observers", until).await;
        let left = if leaves_disks { DISK_WAIT } else { until.saturating_duration_since(Instant::now()) };
        disks::settle(&self.disks, left.min(DISK_WAIT)).await;
        deciders.close();
        self.disks.close();
        passing.into_iter().chain(observing).collect()
    }
}

/// What a server had not finished when it ended.
pub(crate) struct Unfinished {
    /// Requests and uploads that a hook, a root or a disk had not answered.
    pub(crate) unanswered_calls: usize,
    /// Sinks that were neither committed nor aborted.
    pub(crate) open_sinks: usize,
    /// Ends that an observer had not taken.
    pub(crate) unobserved_ends: usize,
}

/// Waits until `until` for a task that ends after its producers; returns it if it is late. An operation on one of `disks`
/// that hangs may be one of those: then it is left behind earlier.
async fn wait_for(
    task: Option<JoinHandle<()>>,
    disks: Option<&Disks>,
    what: &str,
    until: Instant,
) -> Option<JoinHandle<()>> {
    let mut task = task?;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if timeout(left.min(DISK_WAIT), &mut task).await.is_ok() {
            return None;
        }
        if disks.is_some_and(|disks| !disks.are_idle()) {
            tracing::warn!(
                target: "tuffet::server::running",
                "disk unresponsive; shutting down without {what}"
            );
            return None;
        }
        if Instant::now() >= until {
            tracing::warn!(
                target: "tuffet::server::running",
                "{what} did not finish in time; shutting down without waiting any longer"
            );
            return Some(task);
        }
    }
}
