//! The vocabulary of the server: a request and all that is said about it, from what was asked to how it ended.
//!
//! Types, and what can be told from them alone: no socket, no file, no thread. All other crates of the server speak
//! of requests in these words, so none of them has to know the crate that made one.

mod bounds;
mod class;
mod client;
pub mod events;
mod histogram;
pub mod names;
mod progress;
mod request;
mod root;
mod trail;

pub use bounds::{Bounds, PerSecond};
pub use class::ClientClass;
pub use client::ClientKey;
pub use histogram::{BOUNDS_US, Distribution, Histogram};
pub use progress::Progress;
pub use request::{
    Ceilings, Denial, ErrorCode, MacAddress, MacFact, MacSource, Mode, Operation, Request, RequestId,
};
pub use root::{Links, RootSpec};
pub use trail::{SpanId, Step, TraceId, Traced, Trail, What};
