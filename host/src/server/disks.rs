//! Looks whether the disks of all roots answer.

use std::time::Duration;
use tokio::time::sleep;
use tuffet_store::Disks;

/// How often while they have something to do, and while they have not.
const BUSY: Duration = Duration::from_millis(100);
const IDLE: Duration = Duration::from_secs(1);

/// Gives up what takes too long and notes which roots hang, for ever.
pub(super) async fn look(disks: Disks) {
    loop {
        sleep(if disks.look() { BUSY } else { IDLE }).await;
    }
}
