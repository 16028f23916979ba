//! Waits for what comes about by itself.

use super::SOON;
use std::thread;
use std::time::{Duration, Instant};

/// Waits until the condition holds.
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + SOON;
    while !is_so() {
        assert!(Instant::now() < end, "it never came about that {what}");
        thread::sleep(Duration::from_millis(5));
    }
}
