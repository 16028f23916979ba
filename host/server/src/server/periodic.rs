//! What a running server does each second. One task does all of it, because each timer of an idle server wakes up a core.

use super::disks::DiskWatch;
use super::slow_log::log_slow;
use crate::events::HintSettings;
use crate::generation::CurrentGeneration;
use crate::watch::Watch;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval, sleep};
use tuffet_engine::worker::OtherRequests;

/// The interval of checks of disks while operations are running. Otherwise they are checked each second.
const BUSY_INTERVAL: Duration = Duration::from_millis(100);

/// The interval of checks for the folders of roots that clients wait for. Otherwise nothing is checked for them.
const AWAITED_INTERVAL: Duration = Duration::from_millis(500);

/// The interval of checks of the paths of roots, in seconds.
const PATH_INTERVAL: u32 = 5;

/// Takes samples, checks disks and the paths of roots, until aborted.
pub(super) async fn run(
    watch: Watch,
    mut disks: DiskWatch,
    generation: CurrentGeneration,
    hints: HintSettings,
    other_requests: Arc<OtherRequests>,
) {
    let mut seconds = interval(Duration::from_secs(1));
    seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last = seconds.tick().await;
    let mut until_paths = 0;
    loop {
        if until_paths == 0 {
            until_paths = PATH_INTERVAL;
            generation.get().files.roots.look_for_replaced();
        }
        let busy = disks.check();
        let awaited = generation.get().files.roots.look_for_unopened();
        tokio::select! {
            now = seconds.tick() => {
                log_slow(&watch.sample(now.duration_since(last)), &hints);
                other_requests.report();
                last = now;
                until_paths -= 1;
            }
            () = sleep(if busy { BUSY_INTERVAL } else { AWAITED_INTERVAL }), if busy || awaited => {}
        }
    }
}
