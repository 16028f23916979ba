//! Compiles components, or takes them from the code cache.

use sha2::{Digest, Sha256};
use wasmtime::component::Component;

use super::code_cache::CodeCache;
use super::compiler::{CompileOutcome, Compilers, code_hash};
use super::engine::Shared;
use super::{memory_images, sections};

/// Returns the component from the code cache, or compiles it, ready for instances. Blocks.
pub(super) fn component(shared: &Shared, binary: &[u8]) -> wasmtime::Result<Component> {
    let component = compiled(shared, &sections::code(binary))?;
    memory_images::make(&component)?;
    Ok(component)
}

fn compiled(shared: &Shared, code: &[u8]) -> wasmtime::Result<Component> {
    let (Some(cache), Some(compilers)) = (&shared.code_cache, &shared.compilers) else {
        return Component::from_binary(&shared.engine, code);
    };
    let hash = code_hash(&shared.engine);
    let key = format!("{:x}-{hash:x}", Sha256::digest(code));
    if !cache.has_component(&key) {
        compile_apart(cache, compilers, (code, hash, shared.pooled), &key)?;
    }
    Component::from_binary(&shared.engine, code)
}

/// Lets a compiler process compile into the cache. If that is impossible, loading fails: no component makes a server
/// with compilers compile in its own process.
fn compile_apart(
    cache: &CodeCache,
    compilers: &Compilers,
    (code, hash, pooled): (&[u8], u64, bool),
    key: &str,
) -> wasmtime::Result<()> {
    match compilers.compile(code, hash, pooled) {
        CompileOutcome::Compiled => {
            cache.count_compiled_apart();
            cache.mark_component(key);
        }
        CompileOutcome::Cached => cache.mark_component(key),
        CompileOutcome::Refused(why) => return Err(wasmtime::Error::msg(why)),
        CompileOutcome::Unavailable(why) => {
            return Err(wasmtime::Error::msg(format!("no process could compile it: {why}")));
        }
    }
    Ok(())
}
