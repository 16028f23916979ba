//! The telemetry of a server.

mod collector;
mod collector_sinks;
mod exposition;
pub mod fake_collector;
mod process;
mod prometheus;
mod received;
mod traces;
mod trouble;
