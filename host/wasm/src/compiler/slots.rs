//! Limits the number of concurrent compilers.

use parking_lot::{Condvar, Mutex};
use std::thread::available_parallelism;

/// The maximum number of compilers. Each uses several cores itself; more compilers only take more memory.
const MAX_COMPILERS: usize = 4;

/// The free slots for compilers.
#[derive(Debug)]
pub(super) struct CompilerSlots {
    free: Mutex<usize>,
    freed: Condvar,
}

impl CompilerSlots {
    pub fn new() -> CompilerSlots {
        let cores = available_parallelism().map_or(1, usize::from);
        CompilerSlots { free: Mutex::new(cores.min(MAX_COMPILERS)), freed: Condvar::new() }
    }

    /// Waits for a free slot.
    pub fn take(&self) -> CompilerSlot<'_> {
        let mut free = self.free.lock();
        self.freed.wait_while(&mut free, |free| *free == 0);
        *free -= 1;
        CompilerSlot(self)
    }
}

/// A slot, free again when dropped.
pub(super) struct CompilerSlot<'a>(&'a CompilerSlots);

impl Drop for CompilerSlot<'_> {
    fn drop(&mut self) {
        *self.0.free.lock() += 1;
        self.0.freed.notify_one();
    }
}
