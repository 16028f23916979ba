//! What plugins decide, keep and send: the runtime that they run in, their keys and values, and the named outputs
//! that they fill.
//!
//! The crate knows requests and the configuration. It knows neither who asks for a decision nor who watches: how long
//! calls took goes to whoever gives [`on_call`] a function.

pub mod kv;
mod open_once;
mod policy;
pub mod sinks;
pub mod tls;

pub use policy::{
    Acceptance, Accepted, Answer, Beyond, Emitted, Exchange, Given, Hook, HookInput, HttpAnswer, Inspected,
    Learned, LoadProblem, LoadProblemKind, LogLine, NOTHING, Patience, PluginNow, Policy, PolicyRuntime,
    PolicySpec, Resolution, Stage, Target, Trial, Tried, Uploaded, Verdict, check_manifest, digest,
    is_own_code_cache, manifest_section, on_call,
};
