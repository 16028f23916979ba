//! Compiling components in processes of their own.
//!
//! The compiler needs a lot of memory, which the allocator keeps, and its input is third-party code: a component
//! that makes it crash, compute for ever or exhaust the memory must not do so inside the server. So a server with a
//! code cache has another process compile into that cache, and then loads the code from there. Without a code
//! cache the server compiles itself, because wasmtime loads code from its own cache alone without `unsafe`.
//!
//! The filter forbids the server to start a program. Therefore it starts the *compiler starter* before the filter is
//! in force, a process that only starts *compilers*. Both are this program under other names ([`STARTER`],
//! [`COMPILER`]). For each component the server hands one end of a socket pair to the starter, which passes it to a
//! new compiler as its standard streams. The server writes the component to the other end and reads the answer
//! from it.

mod answer;
mod bounds;
mod compilers;
mod places;
mod starter;
mod work;

#[cfg(test)]
mod tests;

pub use bounds::bound;
pub use compilers::Compilers;
pub use starter::start_compilers;
pub use work::compile;

use std::hash::{DefaultHasher, Hash, Hasher};

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use super::code_cache::CodeCache;
use super::engine::Shared;
use super::memory_images;
use answer::Outcome;

/// The name of the compiler starter (`argv[0]`).
pub const STARTER: &str = "tuffet-compilers";
/// The name of a compiler (`argv[0]`).
pub const COMPILER: &str = "tuffet-compile";

/// Identifies what decides, besides the component, whether compiled code fits an engine.
pub(super) fn code_hash(engine: &Engine) -> u64 {
    let mut hasher = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut hasher);
    hasher.finish()
}

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
