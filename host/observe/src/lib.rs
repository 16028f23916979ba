//! Observability of a Tuffet server: metrics, traces, records of ended requests, the admin listener, and the view of
//! many servers as one.

pub mod accept;
pub mod admin;
pub mod dialect;
mod escaped;
pub mod feed;
pub mod fleet;
pub mod list;
pub mod peer;
pub mod records;
pub mod stall;
pub mod telemetry;
pub mod word;

pub use escaped::escaped;
