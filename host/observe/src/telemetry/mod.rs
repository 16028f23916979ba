//! Telemetry: metrics for Prometheus; traces, metrics and log records for an OpenTelemetry collector.
//!
//! Nothing is counted here. `families` names and describes the counters of [`tuffet_server::watch`], once for all exporters.
//! A trace is built when its request has ended, from the time stamps in a [`Trail`](tuffet_request::Trail); workers are
//! not involved. Exports wait in bounded queues, each with a thread: a slow or unreachable collector loses data, and
//! delays no transfer.

mod environment;
mod families;
mod fetch_spans;
mod log_record;
mod logs;
mod metrics;
mod otlp;
mod process;
mod prometheus;
mod queue;
mod selection;
mod sender;
mod settings;
mod spans;
#[cfg(test)]
mod tests;

pub use logs::LogBridge;
pub use otlp::Telemetry;
pub use process::open_files;
pub use prometheus::{CONTENT_TYPE, exposition};
pub use settings::Settings;
