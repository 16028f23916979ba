//! Plugins: components of WebAssembly that implement the hooks of a policy.
//!
//! The server calls them once for each request before the first block. Each call gets a fresh instance, or a reused one
//! if the plugin's manifest or the configuration permits it. CPU time, wall time and memory of a call are limited: a
//! plugin that loops, hogs memory or traps affects its own request, never another one. The interface is
//! `sdk/wit/policy.wit`.
//!
//! [`PolicyRuntime`] is the engine, one per process. It loads a configuration as a [`Policy`](tuffet_policy::Policy); a
//! reload loads another one beside it and swaps them.

mod access;
mod ahead;
mod assemble;
mod bindings;
mod builtin;
mod call;
mod call_log;
mod calls;
mod code;
mod code_cache;
mod compile;
mod compiled;
pub mod compiler;
mod convert;
mod cpu_limit;
mod engine;
mod engine_config;
mod facts;
mod from_config;
mod grants;
mod hooks;
mod identity;
mod imports;
mod inspect;
mod instance;
mod kind;
mod last_words;
mod load;
mod load_problems;
mod make;
mod manifest;
mod member;
mod memory_images;
mod meter;
mod observe;
mod open_access;
mod plugin;
mod printed;
mod problem_place;
mod read;
mod refused;
mod report;
mod resources;
mod sandbox;
mod shown;
mod spec;
mod stage;
mod subject;
#[cfg(test)]
mod tests;
mod ticker;
mod trial;
mod type_check;
mod upload;
mod waits;
mod wit_events;

pub use code_cache::is_own as is_own_code_cache;
pub use engine::PolicyRuntime;
pub use inspect::Inspected;
pub use manifest::check as check_manifest;
pub use manifest::section_with as manifest_section;
pub use manifest::{Manifest, Wish, annotate};
pub use problem_place::place_in_config;
pub use shown::digest;
pub use spec::PolicySpec;
pub use stage::{
    Beyond, Emitted, Exchange, Given, GivenRequest, HttpAnswer, KeyName, Learned, LogLine, Stage,
};
pub use trial::{Hook, HookInput, NOTHING, Trial, Tried, Uploaded};
