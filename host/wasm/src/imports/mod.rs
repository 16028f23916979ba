//! The interfaces that plugins import: one file for each grant, and the log.

mod files;
mod history;
mod kv;
mod log;
mod metrics;
mod sinks;
mod upload;
