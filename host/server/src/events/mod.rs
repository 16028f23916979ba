//! Passes the workers' summaries to a subscriber and to the observers.
//!
//! Summaries leave the workers through a bounded queue. Admission of a request requires a reserved place for its
//! summary, so no summary is lost and no transfer waits to report: when the queue is full, new requests wait. They also
//! wait while the observers have too many events before them.

mod hints;
mod observers;
mod pass_on;
mod subscriber;
mod surge;

pub(crate) use hints::{HintSettings, HintedListener, Hints};
pub(crate) use observers::Observers;
pub(crate) use pass_on::{Flush, Flushes, pass_on};
pub use subscriber::Subscriber;
pub use surge::{SECOND, Surge, within_ms};
