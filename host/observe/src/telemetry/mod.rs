//! Telemetry: metrics for Prometheus; traces, metrics and log records for an OpenTelemetry collector.
//!
//! Nothing is counted here. [`families`] names and describes what [`tuffet::watch`] counts, once for every
//! exporter. A trace is made when its request has ended, from time stamps that the control side noted in a
//! [`Trail`]; workers know of none of this. What is exported waits in bounded queues, each with a thread: a
//! collector that is slow or gone costs what it does not take, never a transfer.

mod chosen;
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
mod settings;
mod spans;
#[cfg(test)]
mod tests;

pub use logs::LogBridge;
pub use otlp::Telemetry;
pub use process::open_files;
pub use prometheus::{CONTENT_TYPE, exposition};
pub use settings::Settings;
