//! Waits for what comes about by itself.

use super::SOON;
use std::fmt::Debug;
use std::thread;
use std::time::{Duration, Instant};

/// Between two questions.
const SHORTEST: Duration = Duration::from_millis(5);
const LONGEST: Duration = Duration::from_millis(200);

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
        let asked = Instant::now();
        let answer = ask();
        if fits(&answer) {
            return answer;
        }
        assert!(Instant::now() < end, "it never came about that {what}: {answer:?}");
        // An answer that takes long, such as all of a live view, takes a fifth of the time at most.
        thread::sleep((4 * asked.elapsed()).clamp(SHORTEST, LONGEST));
    }
}
