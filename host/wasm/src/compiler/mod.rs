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

pub(super) use answer::Outcome;
pub use bounds::bound;
pub use compilers::Compilers;
pub use starter::start_compilers;
pub use work::compile;

use std::hash::{DefaultHasher, Hash, Hasher};

use wasmtime::Engine;

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
