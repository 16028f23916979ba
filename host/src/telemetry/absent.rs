//! Takes the place of the exporters in a build without the feature `otlp`: nothing is exported, and the variables of
//! the OpenTelemetry specification that ask for it get a warning.

use super::sampling::Sampling;
use crate::origins::FetchNote;
use crate::watch::Watch;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tuffet_config::TelemetryConfig;
use tuffet_request::Traced;
use tuffet_request::events::Summary;

/// There are none: no exporter is ever started.
pub(crate) enum Settings {}

impl Settings {
    /// Nothing, and a warning where a variable names an endpoint. A configuration with `telemetry` is refused before.
    pub(crate) fn of_process(_: Option<&TelemetryConfig>) -> (Option<Settings>, Vec<String>) {
        let names = ["", "TRACES_", "METRICS_", "LOGS_"].map(|it| format!("OTEL_EXPORTER_OTLP_{it}ENDPOINT"));
        let set =
            names.into_iter().filter(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
        let complaint = |name| format!("the variable {name} is ignored: {}", crate::features::OTLP.missing());
        (None, set.map(complaint).collect())
    }
}

/// Exports nothing.
#[derive(Debug, Clone)]
pub(crate) struct Telemetry;

impl Telemetry {
    pub(crate) fn start(
        _: Option<Settings>,
        _: impl Iterator<Item = (Arc<str>, SocketAddr)>,
        watch: &Watch,
    ) -> Telemetry {
        watch.exports(Vec::new());
        Telemetry
    }

    /// No request gets a trail.
    pub(crate) fn sampling(&self) -> Option<Sampling> {
        None
    }

    pub(crate) fn ended(&self, _: &Summary) -> Option<Traced> {
        None
    }

    pub(crate) fn fetched(&self, _: &FetchNote) {}

    pub(crate) fn finish(&self, _: Duration) {}
}

/// A layer of the log that passes nothing on.
#[derive(Debug, Default)]
pub(crate) struct LogBridge;

impl LogBridge {
    pub(crate) fn filter() -> LevelFilter {
        LevelFilter::OFF
    }
}

impl<S: Subscriber> Layer<S> for LogBridge {}
