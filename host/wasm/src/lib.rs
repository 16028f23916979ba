//! Plugins: WebAssembly components that implement the hooks of a policy.
//!
//! The server calls them for each request, before the first block. Each call gets a fresh instance, or a reused one
//! if the plugin's manifest or the configuration permits that. CPU time, wall time and memory of a call are limited:
//! a plugin that loops, exhausts memory or traps affects only its own request. The interface is `sdk/wit/policy.wit`.
//!
//! [`PolicyRuntime`] is the engine, one per process. It loads a configuration as a [`Policy`](tuffet_policy::Policy); a
//! reload loads another one beside it and swaps them.

mod access;
mod answer_texts;
mod answer_values;
mod assemble;
mod bindings;
mod call;
mod call_log;
mod calls;
mod code;
mod code_cache;
mod compile;
pub mod compiler;
mod component_cache;
mod convert;
mod cpu_limit;
mod engine;
mod engine_config;
mod event_view;
mod facts;
#[doc(hidden)]
pub mod fuzzing;
mod grants;
mod hook;
mod hooks;
mod imports;
mod inspect;
mod instance;
mod key_space;
mod kind;
mod load;
mod load_problems;
mod make_instance;
mod manifest;
mod member;
mod memory_images;
mod meter;
mod observe;
mod open_access;
mod output_tail;
mod plugin;
mod prepared;
mod problem_location;
mod read;
mod resources;
mod sandbox;
mod sections;
mod settings_schema;
mod spec;
mod stage;
mod stderr_reason;
mod subject;
#[cfg(test)]
mod tests;
mod ticker;
mod trial;
mod type_check;
mod unused_hooks;
mod upload;
mod wit_events;

pub use access::READ_CLOCK;
pub use answer_values::digest;
pub use code_cache::is_own as is_own_code_cache;
pub use engine::PolicyRuntime;
pub use hook::Hook;
pub use inspect::{ComponentInfo, GrantInfo};

pub use key_space::{key_names, open_keys};
pub use manifest::{GrantRequest, Manifest, annotate};
pub use problem_location::locate_in_config;
pub use resources::KeySpace;
pub use settings_schema::{annotate_settings, settings_schema_in, settings_schema_of};
pub use spec::PolicySpec;
pub use stage::{
    AnswerSource, Exchange, GivenRequest, HttpAnswer, HttpFailure, KeyName, LogLine, RecordedAnswers,
    SinkLine, Stage, StagedAnswers,
};
pub use trial::{HookInput, OBSERVE_ANSWER, Trial, TrialResult, TrialUpload};
pub use unused_hooks::unused_hooks;
