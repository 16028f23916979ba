//! Telemetry: metrics for Prometheus; traces, metrics and log records for an OpenTelemetry collector.
//!
//! Nothing is counted here. [`families`] names and describes what [`crate::watch`] counts, once for every
//! exporter. A trace is made when its request has ended, from time stamps that the control side noted in a
//! [`Trail`]; workers know of none of this. What is exported waits in bounded queues, each with a thread: a
//! collector that is slow or gone costs what it does not take, never a transfer.

mod endpoint;
mod environment;
mod export;
mod families;
mod fetches;
mod identity;
mod logs;
mod metrics;
mod otlp;
mod process;
mod prometheus;
mod queue;
mod sampling;
mod settings;
mod spans;
#[cfg(test)]
mod tests;

pub(crate) use logs::LogBridge;
pub(crate) use otlp::Telemetry;
pub(crate) use process::open_files;
pub(crate) use prometheus::{CONTENT_TYPE, exposition};
pub(crate) use sampling::Sampling;
pub(crate) use settings::Settings;
