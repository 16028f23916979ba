//! Waits for what comes about by itself.

use super::SOON;
use std::fmt::Debug;
use std::thread;
use std::time::{Duration, Instant};

/// Waits until the condition holds.
#[track_caller]
pub fn wait_until(what: &str, is_so: impl FnMut() -> bool) {
    until(what, is_so, |is_so| *is_so);
}

/// Asks until the answer fits, and returns it.
#[track_caller]
pub fn until<T: Debug>(what: &str, mut ask: impl FnMut() -> T, mut fits: impl FnMut(&T) -> bool) -> T {
    let end = Instant::now() + SOON;
    loop {
        let answer = ask();
        if fits(&answer) {
            return answer;
        }
        assert!(Instant::now() < end, "it never came about that {what}: {answer:?}");
        thread::sleep(Duration::from_millis(5));
    }
}
