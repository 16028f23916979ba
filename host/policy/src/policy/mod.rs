//! Policy: plugins decide whether a request is allowed, and which file it gets.
//!
//! Plugins are WebAssembly components, which the server calls once for each request before the first block.
//! Each call gets a fresh instance, or a reused one if the plugin's manifest or the configuration permits it.
//! CPU time, wall time and memory of a call are limited: a plugin that loops, hogs memory or traps affects
//! its own request, never another one. Clients get fair shares of instances and queue ([`turns`]). The
//! interface is `sdk/wit/policy.wit`.
//!
//! [`PolicyRuntime`] is the engine, one per process. [`Policy`] is a loaded configuration; a reload loads
//! another one beside it and swaps them.

mod afterwards;
mod ahead;
mod ask;
mod bindings;
mod breaker;
mod builtin;
mod call;
mod chain;
mod code;
mod code_cache;
mod compiled;
pub mod compiler;
mod convert;
mod counters;
mod debtors;
mod decisions;
mod engine;
mod facts;
mod failure;
mod grants;
mod history;
mod identity;
mod imports;
mod inspect;
mod instance;
mod last_words;
mod line_rate;
mod load;
mod load_problems;
mod log;
mod log_fields;
mod make;
mod manifest;
mod memory_images;
mod meter;
mod monitor;
mod now;
mod observe;
mod overload;
mod parts;
mod plugin;
mod pool;
mod printed;
mod problem_place;
mod renderings;
mod report;
mod resources;
mod sandbox;
mod series;
mod shown;
mod slices;
mod spec;
mod stage;
#[cfg(test)]
mod tests;
mod text;
mod ticker;
mod trial;
mod turns;
mod type_check;
mod upload;
mod waits;
mod wit_events;

pub use afterwards::Afterwards;
pub use ask::Patience;
pub use chain::{Answer, ChainPosition, Chained, Policy, Resolution, Verdict};
pub use code_cache::is_own as is_own_code_cache;
pub use convert::{Destination, Target};
pub use counters::on_call;
pub use engine::PolicyRuntime;
pub use history::ClientHistory;
pub use identity::PluginIdentity;
pub use inspect::Inspected;
pub use log_fields::PluginFields;
pub use manifest::check as check_manifest;
pub use manifest::section_with as manifest_section;
pub use manifest::{Manifest, Wish, annotate};
pub use now::PluginNow;
pub use renderings::PluginContent;
pub use series::{PluginSeries, SeriesName, SeriesValue};
pub use shown::digest;
pub use spec::{LoadProblem, LoadProblemKind, PolicySpec};
pub use stage::{
    Beyond, Emitted, Exchange, Given, GivenRequest, HttpAnswer, KeyName, Learned, LogLine, Stage,
};
pub use trial::{Hook, HookInput, NOTHING, Trial, Tried, Uploaded};
pub use upload::{Acceptance, Accepted};
