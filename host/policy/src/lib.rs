//! The policy of plugins: the runtime that they run in, their key-value store, and the sinks that they write
//! to.
//!
//! The crate knows requests and the configuration. It knows neither the callers of its decisions nor the
//! views of its counters: durations of calls go to the function given to [`on_call`].

mod policy;

pub use policy::{
    Acceptance, Accepted, Afterwards, Answer, Beyond, ChainPosition, Chained, ClientHistory, Destination,
    Emitted, Exchange, Given, GivenRequest, Hook, HookInput, HttpAnswer, Inspected, KeyName, Learned,
    LoadProblem, LoadProblemKind, LogLine, Manifest, NOTHING, Patience, PluginContent, PluginFields,
    PluginIdentity, PluginNow, PluginSeries, Policy, PolicyRuntime, PolicySpec, Resolution, SeriesName,
    SeriesValue, Stage, Target, Trial, Tried, Uploaded, Verdict, Wish, annotate, check_manifest, compiler,
    digest, is_own_code_cache, manifest_section, on_call,
};
