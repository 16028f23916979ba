//! Compiles components, or takes them from the code cache.

use sha2::{Digest, Sha256};
use wasmtime::component::Component;

use super::code_cache::CodeCache;
use super::compiler::{Compilers, Outcome, code_hash};
use super::engine::Shared;
use super::memory_images;

/// Returns the component from the code cache, or compiles it. `plugin` is the name for the log. It can have instances at
/// once. Blocks.
pub(super) fn component(shared: &Shared, plugin: &str, binary: &[u8]) -> wasmtime::Result<Component> {
    let component = compiled(shared, plugin, binary)?;
    memory_images::make(&component)?;
    Ok(component)
}

fn compiled(shared: &Shared, plugin: &str, binary: &[u8]) -> wasmtime::Result<Component> {
    let (Some(cache), Some(compilers)) = (&shared.code_cache, &shared.compilers) else {
        return Component::from_binary(&shared.engine, binary);
    };
    let hash = code_hash(&shared.engine);
    let key = format!("{:x}-{hash:x}", Sha256::digest(binary));
    if !cache.has_component(&key) {
        compile_apart(cache, compilers, plugin, (binary, hash, shared.pooled), &key)?;
    }
    Component::from_binary(&shared.engine, binary)
}

/// Has a process compile into the cache. If that is impossible, the caller compiles.
fn compile_apart(
    cache: &CodeCache,
    compilers: &Compilers,
    plugin: &str,
    (binary, hash, pooled): (&[u8], u64, bool),
    key: &str,
) -> wasmtime::Result<()> {
    match compilers.compile(binary, hash, pooled) {
        Outcome::Compiled => {
            cache.count_compiled_apart();
            cache.note_component(key);
        }
        Outcome::Kept => cache.note_component(key),
        Outcome::Refused(why) => return Err(wasmtime::Error::msg(why)),
        Outcome::Unavailable(why) if compilers.first_failure() => tracing::warn!(
            target: "tuffet::policy",
            plugin,
            "the plugin was compiled in the server, which keeps the memory for it, since a process of its own could \
             not: {why}; the next ones are too, without another warning"
        ),
        Outcome::Unavailable(_) => {}
    }
    Ok(())
}
