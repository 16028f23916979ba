//! Compiles components in separate processes.
//!
//! The compiler needs a lot of memory, which the allocator keeps, and its input is third-party code. A component that
//! makes it crash, loop or exhaust the memory must not do so inside the server. So a server with a code cache lets
//! another process compile into that cache, and loads the code from there. Without a code cache the server compiles
//! itself, because wasmtime loads code without `unsafe` only from its own cache.
//!
//! The system call filter keeps the server from starting programs. So before the filter applies, the server starts
//! the *compiler starter*, a process that only starts *compilers*. Both are this program under other names
//! ([`STARTER`], [`COMPILER`]). For each component the server hands one end of a socket pair to the starter, which
//! passes it to a new compiler as its standard streams. The server writes the component to the other end and reads
//! the answer from it.

mod answer;
mod compilers;
mod limits;
mod starter;
mod work;

#[cfg(test)]
mod tests;

pub(super) use answer::CompileOutcome;
pub use compilers::Compilers;
pub use limits::apply_limits;
pub use starter::start_compilers;
pub use work::compile;

use std::hash::{DefaultHasher, Hash, Hasher};

use wasmtime::Engine;

/// The name of the compiler starter (`argv[0]`).
pub const STARTER: &str = "tuffet-compilers";
/// The name of a compiler (`argv[0]`).
pub const COMPILER: &str = "tuffet-compile";

/// Returns a hash of everything besides the component that compiled code depends on.
pub(super) fn code_hash(engine: &Engine) -> u64 {
    let mut hasher = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut hasher);
    hasher.finish()
}
