//! What leaves the process about itself: metrics for Prometheus.
//!
//! Nothing is counted here. [`families`] names and describes what [`crate::watch`] counts, once for every
//! exporter.

mod families;
mod prometheus;
#[cfg(test)]
mod tests;

pub(crate) use prometheus::exposition;
