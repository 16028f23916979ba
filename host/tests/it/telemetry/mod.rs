//! The telemetry of a server.

mod collector;
mod collector_sinks;
pub mod exposition;
pub mod fake_collector;
mod process;
pub mod prometheus;
mod received;
mod traces;
mod trouble;
