//! The configuration of the WebAssembly engine.

use std::num::NonZeroUsize;

use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

use super::code_cache::CodeCache;

/// The maximum number of concurrent calls; further ones wait, within their own time limit. Limits the memory of all
/// plugins to this many times the memory limit of each.
pub(super) const MAX_CALLS: u32 = 128;

/// The maximum number of idle instances of all plugins, configured for their next call. They are counted separately
/// from calls, so that they never delay one.
pub(super) const MAX_IDLE: u32 = 128;

/// The number of calls that a trap has been through that are looked at, to tell an exhausted stack from another access out
/// of bounds.
pub(super) const MAX_FRAMES: NonZeroUsize = NonZeroUsize::new(32).unwrap();
/// The maximum number of instances on their way from one call to the next, which count as neither.
const MAX_PASSING: u32 = 128;

/// Returns an engine that compiles for another process, with a pool or without. The compiled code depends not on the
/// pool itself but on the layout of memories.
pub(super) fn engine_to_compile(code_cache: &CodeCache, pooled: bool) -> wasmtime::Result<Engine> {
    let mut config = config(Some(code_cache));
    if pooled {
        config.allocation_strategy(InstanceAllocationStrategy::OnDemand);
    } else {
        config = without_pool(config);
    }
    Engine::new(&config)
}

/// Allocates each instance on its own, with no more address space than its memory needs.
pub(super) fn without_pool(mut config: Config) -> Config {
    config
        .allocation_strategy(InstanceAllocationStrategy::OnDemand)
        .memory_reservation(0)
        .memory_reservation_for_growth(1 << 20)
        .memory_guard_size(64 << 10);
    config
}

pub(super) fn config(code_cache: Option<&CodeCache>) -> Config {
    // Components of scripting languages contain several core modules and large tables, a Rust plugin one of each. The
    // numbers cost address space, not memory.
    let mut pool = PoolingAllocationConfig::new();
    let instances = MAX_CALLS + MAX_IDLE + MAX_PASSING;
    pool.total_component_instances(instances)
        .total_stacks(instances)
        .total_core_instances(instances * 32)
        .total_memories(instances * 4)
        .total_tables(instances * 32)
        .max_memories_per_component(4)
        .table_elements(64 << 10)
        // Touched pages of a small plugin are cleared in place, which avoids page faults on every call. Kernels that
        // list these pages (Linux 6.7) clear only those.
        .pagemap_scan(Enabled::Auto)
        .linear_memory_keep_resident(256 << 10)
        .table_keep_resident(16 << 10);
    let mut config = Config::new();
    config
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool))
        .epoch_interruption(true)
        .concurrency_support(false)
        .wasm_backtrace_max_frames(Some(MAX_FRAMES))
        .cache(code_cache.map(CodeCache::cache));
    config
}
