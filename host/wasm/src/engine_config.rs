//! How the engine of WebAssembly is configured.

use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

use super::code_cache::CodeCache;

/// Concurrent calls; further ones wait their turn, within their own time limit. Limits the memory of all
/// plugins to this many times the memory limit of each.
pub(super) const MAX_CALLS: u32 = 128;

/// Idle instances of all plugins, configured for their next call. They are counted separately from calls, so
/// that they never delay a call.
pub(super) const MAX_KEPT: u32 = 128;

/// Instances that pass from one call to the next, which for a moment count as neither.
const MAX_PASSING: u32 = 128;

/// Returns an engine that compiles what another process runs, with a pool or without: the same code, which does not
/// depend on the pool itself but on how memories are laid out.
pub(super) fn engine_to_compile(code_cache: &CodeCache, pooled: bool) -> wasmtime::Result<Engine> {
    let mut config = config(Some(code_cache));
    if pooled {
        config.allocation_strategy(InstanceAllocationStrategy::OnDemand);
    } else {
        config = small_room(config);
    }
    Engine::new(&config)
}

/// Allocates each instance on its own, with no more address space than its memory needs.
pub(super) fn small_room(mut config: Config) -> Config {
    config
        .allocation_strategy(InstanceAllocationStrategy::OnDemand)
        .memory_reservation(0)
        .memory_reservation_for_growth(1 << 20)
        .memory_guard_size(64 << 10);
    config
}

pub(super) fn config(code_cache: Option<&CodeCache>) -> Config {
    // Components of scripting languages contain several core modules and large tables; a Rust plugin has one
    // of each. The numbers cost address space, not memory.
    let mut pool = PoolingAllocationConfig::new();
    let instances = MAX_CALLS + MAX_KEPT + MAX_PASSING;
    pool.total_component_instances(instances)
        .total_stacks(instances)
        .total_core_instances(instances * 32)
        .total_memories(instances * 4)
        .total_tables(instances * 32)
        .max_memories_per_component(4)
        .table_elements(64 << 10)
        // The pages that a small plugin touched are cleared in place, which avoids page faults on every call.
        // Kernels that can list these pages (Linux 6.7) clear no others.
        .pagemap_scan(Enabled::Auto)
        .linear_memory_keep_resident(256 << 10)
        .table_keep_resident(16 << 10);
    let mut config = Config::new();
    config
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool))
        .epoch_interruption(true)
        .concurrency_support(false)
        .wasm_backtrace_max_frames(None)
        .cache(code_cache.map(CodeCache::cache));
    config
}
