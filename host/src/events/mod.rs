//! Passes the workers' summaries to the log and to the observers.
//!
//! Summaries leave the workers through a bounded queue. A request is only admitted with a place in that queue
//! already reserved for its summary, so none is ever lost and no transfer ever waits to report: when the
//! queue is full, new requests wait.

mod compatible;
mod flood;
mod hints;
mod log;
mod observers;
mod refusals;
mod surge;

pub(crate) use hints::Hints;
pub(crate) use log::log_summaries;
pub(crate) use observers::Observers;
pub(crate) use surge::Surge;
