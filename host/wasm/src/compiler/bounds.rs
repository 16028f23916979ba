//! The bounds of a compiler.

use std::fs;

use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};

/// The most memory that a compiler may write to. Python with its libraries, the largest component known, takes a
/// fraction of it.
pub(super) const MEMORY: u64 = 2 << 30;

/// Puts the bounds in force for this process. Each is one of several, so one that is refused is done without. The
/// priority stays: a start waits for compilers, and beside other work a lower one makes it wait for minutes.
pub fn bound() {
    // No compiler outlives the thread of the starter that waits for it.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    // If memory runs out, the compiler goes before the server.
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
    let limit = |most| Rlimit { current: Some(most), maximum: Some(most) };
    // Not the address space: the allocator reserves much that nobody uses.
    let _ = setrlimit(Resource::Data, limit(MEMORY));
    let _ = setrlimit(Resource::Core, limit(0));
}
