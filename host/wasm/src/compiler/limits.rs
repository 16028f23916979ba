//! The resource limits of a compiler.

use std::fs;

use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};

/// The memory limit of a compiler. Python with its libraries, the largest known component, takes a fraction of it.
pub(super) const MAX_MEMORY: u64 = 2 << 30;

/// Applies the limits to this process. Each is one of several, so a refused one is ignored. The priority stays: a
/// start waits for compilers, and beside other work a lower priority would delay it for minutes.
pub fn apply_limits() {
    // The compiler ends with the thread of the starter that waits for it.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    // If memory runs out, the kernel kills the compiler before the server.
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
    let limit = |max| Rlimit { current: Some(max), maximum: Some(max) };
    // Not the address space: the allocator reserves much that it never uses.
    let _ = setrlimit(Resource::Data, limit(MAX_MEMORY));
    let _ = setrlimit(Resource::Core, limit(0));
}
