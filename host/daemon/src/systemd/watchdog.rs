//! Feeds the watchdog of the service manager, which restarts a process without a sign of life.

use super::ServiceManager;
use std::sync::Arc;
use tokio::time::{MissedTickBehavior, interval};
use tuffet_observe::admin::WorkerLiveness;
use tuffet_server::watch::Watch;

/// Reports at half of the manager's interval while all workers respond; the running task itself proves that the control
/// runtime works. Returns at once without a watchdog.
pub(crate) async fn feed_watchdog(manager: ServiceManager, liveness: Arc<WorkerLiveness>, watch: Watch) {
    let Some(every) = manager.watchdog() else { return };
    let mut ticks = interval(every / 2);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut was_silent = false;
    loop {
        ticks.tick().await;
        // During a drain idle workers have exited, and the process will follow.
        let silent = if watch.is_draining() { Vec::new() } else { liveness.silent().await };
        if silent.is_empty() {
            manager.alive();
            if was_silent {
                tracing::info!(target: "tuffet::systemd::watchdog", "all workers respond again");
                manager.status("serving; workers did not answer for a while");
            }
        } else if !was_silent {
            tracing::error!(
                target: "tuffet::systemd::watchdog",
                workers = ?silent,
                "workers do not respond; the service manager's watchdog is not notified"
            );
            manager.status(&format!("workers do not answer: {silent:?}"));
        }
        was_silent = !silent.is_empty();
    }
}
