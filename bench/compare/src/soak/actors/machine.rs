//! Events of the machine: jumps of the server's clock, and standstills.

use super::Stage;
use std::thread;
use std::time::{Duration, Instant};

/// Makes the server's clock jump ahead and back, by up to years.
pub(super) fn clock_jumps(stage: &Stage<'_>) {
    if !stage.site.has_clock() {
        return;
    }
    for offset in ["+0", "+90s", "-90s", "+400d", "-400d", "+4000d"].into_iter().cycle() {
        if let Err(error) = stage.site.set_clock(offset) {
            return stage.wrong(format!("the clock cannot be set: {error}"));
        }
        stage.count("jumps of the clock", 1);
        if !stage.wait(Duration::from_secs(11)) {
            return;
        }
    }
}

/// Records standstills: a machine that does not run for a second is not the server's fault.
pub(super) fn standstills(stage: &Stage<'_>) {
    const NAP: Duration = Duration::from_millis(50);
    const LONG: Duration = Duration::from_secs(1);
    let mut before = Instant::now();
    while stage.goes_on() {
        thread::sleep(NAP);
        let now = Instant::now();
        if now - before > LONG {
            stage.stood_still(now - before);
        }
        before = now;
    }
}
