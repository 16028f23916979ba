//! Deciding about requests: chains of plugins, their verdicts, and what guards their calls.
//!
//! A request passes the chains of its listener: `authorize` (may it?), `resolve` (which file does it get?), and for
//! uploads `accept-upload` (may it become visible?); `observe` hears of the result. Each hook is a trait ([`Authorize`],
//! [`Resolve`], [`AcceptUpload`], [`Observe`]), and this crate does not know what implements them: components of
//! WebAssembly (`tuffet-wasm`), or Rust code. A [`Member`] of a chain is an implementation with its guards: time limits,
//! a breaker, a decision cache, counters. Clients get fair shares of whatever serves the calls ([`Turns`]).
//!
//! The crate knows requests and the store. It knows neither the configuration nor the callers of its decisions nor the
//! views of its counters: durations of calls go to the function given to [`on_call`].

mod afterwards;
mod answer;
mod arriving;
mod ask;
mod asker;
mod breaker;
mod chain;
mod content;
mod counters;
mod debtors;
mod decisions;
mod delivery;
mod fact;
mod fact_key;
mod failure;
mod gate;
mod history;
mod hooks;
mod identity;
mod line_rate;
mod load_problem;
mod log_fields;
mod member;
mod memo;
mod monitor;
mod now;
mod observe;
mod opinion;
mod overload;
mod parts;
mod patience;
mod policy;
mod pool;
mod renderings;
mod series;
mod slices;
pub mod text;
mod turns;
mod unsent;
mod upload;
mod weighty;

pub use afterwards::{Afterwards, afterwards};
pub use answer::{Answer, Authorization, ChainPosition, Chained, Resolution, Verdict};
pub use arriving::{Announced, part_length};
pub use asker::{Asker, Lines};
pub use breaker::{Breaker, BreakerLimits, Shut};
pub use content::{PluginContent, Rendered, Rendering};
pub use counters::{Counted, Counters, on_call};
pub use decisions::Decisions;
pub use delivery::{Batch, Delivery};
pub use fact::Fact;
pub use failure::{Cause, Failure, Problem};
pub use history::{ClientHistory, HistoryReader, PastRequest};
pub use hooks::{AcceptUpload, Answering, Authorize, Hooks, Observe, Render, Resolve};
pub use identity::PluginIdentity;
pub use line_rate::{LineRate, LineRates};
pub use load_problem::{LoadProblem, LoadProblemKind};
pub use log_fields::PluginFields;
pub use member::{Member, OnError};
pub use memo::Memo;
pub use now::PluginNow;
pub use opinion::{Destination, Found, Opinion, Otherwise, Selection, Target, UploadOpinion};
pub use overload::Overload;
pub use patience::Patience;
pub use policy::{Chains, DefaultVerdict, Policy, PolicyParts};
pub use pool::{Lodging, Pool};
pub use renderings::Renderings;
pub use series::{PluginSeries, SeriesError, SeriesName, SeriesTable, SeriesValue};
pub use slices::{SHORT, Slice, Slices};
pub use turns::{Occupancy, Turn, Turns, Waived};
pub use unsent::Unsent;
pub use upload::{Acceptance, Accepted, ReceivedUpload};
pub use weighty::Weighty;
