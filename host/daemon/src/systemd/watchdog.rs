//! The watchdog of the service manager, which restarts a process that does not report that it is alive.

use super::Manager;
use std::sync::Arc;
use tokio::time::{MissedTickBehavior, interval};
use tuffet::watch::Watch;
use tuffet_observe::admin::Pulse;

/// Reports at half of the manager's interval while all workers respond; that this task runs shows that the
/// control runtime does. Returns at once without a watchdog.
pub(crate) async fn watch_over(manager: Manager, pulse: Arc<Pulse>, watch: Watch) {
    let Some(every) = manager.watchdog() else { return };
    let mut ticks = interval(every / 2);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut was_silent = false;
    loop {
        ticks.tick().await;
        // Idle workers have exited by then, and the process will follow.
        let silent = if watch.is_draining() { Vec::new() } else { pulse.silent().await };
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
