//! How many compilers run at the same time.

use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::available_parallelism;

/// A compiler uses several cores itself; more compilers only take more memory.
const MOST: usize = 4;

/// Free places for compilers.
#[derive(Debug)]
pub(super) struct Places {
    free: Mutex<usize>,
    left: Condvar,
}

impl Places {
    pub fn new() -> Places {
        let cores = available_parallelism().map_or(1, usize::from);
        Places { free: Mutex::new(cores.min(MOST)), left: Condvar::new() }
    }

    /// Waits for a place.
    pub fn take(&self) -> Place<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self.left.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Place(self)
    }
}

/// A place, until it is dropped.
pub(super) struct Place<'a>(&'a Places);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.left.notify_one();
    }
}
