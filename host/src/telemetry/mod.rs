//! Telemetry: metrics for Prometheus; traces, metrics and log records for an OpenTelemetry collector.
//!
//! Nothing is counted here. [`families`] names and describes what [`crate::watch`] counts, once for every
//! exporter. A trace is made when its request has ended, from time stamps that the control side noted in a
//! [`Trail`]; workers know of none of this. What is exported waits in bounded queues, each with a thread: a
//! collector that is slow or gone costs what it does not take, never a transfer.
//!
//! A build without the feature `otlp` has the metrics for Prometheus alone (`absent`).

#[cfg(not(feature = "otlp"))]
mod absent;
#[cfg(feature = "otlp")]
mod endpoint;
#[cfg(feature = "otlp")]
mod environment;
#[cfg(feature = "otlp")]
mod export;
mod families;
#[cfg(feature = "otlp")]
mod fetches;
#[cfg(feature = "otlp")]
mod identity;
#[cfg(feature = "otlp")]
mod logs;
#[cfg(feature = "otlp")]
mod metrics;
#[cfg(feature = "otlp")]
mod otlp;
mod process;
mod prometheus;
#[cfg(feature = "otlp")]
mod queue;
mod sampling;
#[cfg(feature = "otlp")]
mod settings;
#[cfg(feature = "otlp")]
mod spans;
#[cfg(test)]
mod tests;

#[cfg(not(feature = "otlp"))]
pub(crate) use absent::{LogBridge, Settings, Telemetry};
#[cfg(feature = "otlp")]
pub(crate) use logs::LogBridge;
#[cfg(feature = "otlp")]
pub(crate) use otlp::Telemetry;
pub(crate) use process::open_files;
pub(crate) use prometheus::{CONTENT_TYPE, exposition};
pub(crate) use sampling::Sampling;
#[cfg(feature = "otlp")]
pub(crate) use settings::Settings;
