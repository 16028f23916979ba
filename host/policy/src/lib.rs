//! Decides requests: chains of plugins, their verdicts, and the guards of their calls.
//!
//! A request passes the chains of its listener: `authorize` (may it?), `resolve` (which file does it get?), and for
//! uploads `accept-upload` (may it become visible?); `observe` receives the events. Each hook is a trait
//! ([`Authorize`], [`Resolve`], [`AcceptUpload`], [`Observe`]), implemented by WebAssembly components (`tuffet-wasm`)
//! or Rust code. A [`Member`] of a chain is an implementation with its guards: time limits, a breaker, a decision
//! cache, counters. Clients get fair shares of the instances ([`Turns`]).
//!
//! The crate depends on requests and the store, not on the configuration. Counters are kept in [`PluginRecords`], across
//! reloads.

mod answers;
mod backlog;
mod breaker;
mod call;
mod chain;
mod chain_deadline;
mod chain_results;
mod content;
mod content_parts;
mod counters;
mod debtors;
mod decision_cache;
mod deferred_work;
mod delivery;
mod fact_key;
mod failure;
mod freshness;
mod functions;
mod history;
mod hook_call;
mod hooks;
mod identity;
mod line_rate;
mod load_problem;
mod log_fields;
mod made_content;
mod make_parts;
mod member;
mod memo;
mod memory_file;
mod monitor;
mod observe;
mod observer_thread;
mod overload;
mod policy;
mod pool;
mod records;
mod renderings;
mod series;
mod slices;
pub mod text;
mod turns;
mod unsent;
mod upload;
mod upload_chain;

pub use answers::{Answer, Fallback, MAX_CANDIDATES, Resolution, Selection, Target, UploadVerdict, Verdict};
pub use backlog::{Backlog, Place};
pub use breaker::{Breaker, BreakerChange, BreakerRefusal, Permit};
pub use chain_deadline::ChainDeadline;
pub use chain_results::{
    Authorization, ChainAnswer, ChainPosition, ChainedPlugin, NoAnswer, Resolved, UploadDecision,
};
pub use content::{PluginContent, Rendered, Rendering};
pub use content_parts::{AnnouncedContent, part_length};
pub use counters::{Counters, PluginCounts};
pub use decision_cache::DecisionCache;
pub use deferred_work::{DeferredWork, defer};
pub use delivery::{Batch, Delivery};
pub use failure::{Cause, Failure, Problem};
pub use freshness::Freshness;
pub use functions::{HookFn, accept_upload_fn, authorize_fn, observe_fn, resolve_fn};
pub use history::{ClientHistory, HistoryReader, PastRequest};
pub use hook_call::{HookCall, Lines};
pub use hooks::{AcceptUpload, Authorize, Deliver, HookFuture, Hooks, Observe, Render, Resolve};
pub use identity::PluginIdentity;
pub use line_rate::{LineRate, LineRates};
pub use load_problem::{LoadProblem, LoadProblemKind};
pub use log_fields::PluginFields;
pub use member::{Member, PluginState};
pub use memo::Memo;
pub use observer_thread::ObserverThread;
pub use overload::Overload;
pub use policy::{Chains, Policy, PolicyParts};
pub use pool::{InstanceCondition, Pool};
pub use records::PluginRecords;
pub use renderings::Renderings;
pub use series::{PluginSeries, SeriesError, SeriesName, SeriesTable, SeriesValue};
pub use slices::{SHORT_CALL, Slice, Slices};
pub use tuffet_request::settings::{BreakerLimits, DefaultVerdict, Fact, OnError};
pub use tuffet_store::Destination;
pub use turns::{NoTurn, Occupancy, Turn, Turns};
pub use unsent::Unsent;
pub use upload::ReceivedUpload;
