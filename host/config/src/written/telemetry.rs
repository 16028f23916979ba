//! The section `telemetry` as it is written.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SecretText;
use crate::telemetry::{OtlpProtocol, TracesSampled};
use crate::units::TimeSpan;

/// What is told to an OpenTelemetry collector, over OTLP. Without this section nothing is, unless
/// `OTEL_EXPORTER_OTLP_ENDPOINT` or one of its kind is set. The variables `OTEL_*` have precedence over what
/// stands here.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Telemetry {
    /// The collector: `http://HOST:PORT`, or `https://` for TLS. Paths such as `/v1/traces` are added with
    /// `http/protobuf`. Without it, `http://localhost:4318`, and port 4317 with `grpc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// How the collector is spoken to.
    pub protocol: OtlpProtocol,
    /// Headers of each request. `${NAME}` in a value is an environment variable; `{ file: PATH }` is the
    /// content of a file. What is secret stands here in no other way.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, SecretText>,
    /// How long a request may take, its repetitions included.
    #[schemars(extend("x-minimum" = "100ms", "x-maximum" = "1m"))]
    pub timeout: TimeSpan,
    /// The resource attribute `service.name`.
    pub service_name: String,
    /// More resource attributes, such as `deployment.environment.name: lab`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub resource: BTreeMap<String, String>,
    /// A span for each request, with children for plugins, opening and negotiation.
    pub traces: Traces,
    /// Everything that `tuffet status --metrics` shows.
    pub metrics: Metrics,
    /// Whether the line of each request, and warnings and errors, are sent as log records.
    pub logs: bool,
}

/// A span for each request, with children for plugins, opening and negotiation.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Traces {
    /// Whether there are any.
    pub enabled: bool,
    /// The part of the requests that is sent, 0 to 1. Those that were denied, timed out or failed, and those
    /// of which a plugin failed, are sent always.
    #[schemars(range(min = 0, max = 1))]
    pub sample: f64,
    /// The most of them that are sent in a second, so that a storm costs no more than a busy day. Those that
    /// are sent always do not count. Where `OTEL_TRACES_SAMPLER` is set, it alone decides.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub per_second: u32,
}

/// Everything that `tuffet status --metrics` shows.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Metrics {
    /// Whether they are sent.
    pub enabled: bool,
    /// How often.
    #[schemars(extend("x-minimum" = "100ms", "x-maximum" = "1h"))]
    pub interval: TimeSpan,
}

impl Traces {
    /// What is written, where traces are wanted.
    pub(crate) fn chosen(&self) -> Option<TracesSampled> {
        let chosen = TracesSampled { part: self.sample, per_second: Some(self.per_second) };
        self.enabled.then_some(chosen)
    }
}
