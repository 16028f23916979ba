//! The section `telemetry` as written.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SecretText;
use crate::telemetry::{OtlpProtocol, TracesSampled};
use crate::units::TimeSpan;

/// Export to an OpenTelemetry collector over OTLP. Disabled without this section, unless
/// `OTEL_EXPORTER_OTLP_ENDPOINT` or its variant for one signal is set. The variables `OTEL_*` override this
/// section.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Telemetry {
    /// The collector: `http://HOST:PORT`, or `https://` for TLS. With `http/protobuf`, the server appends
    /// paths such as `/v1/traces`. Default: `http://localhost:4318`, or port 4317 with `grpc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// The OTLP transport: `http/protobuf`, usually port 4318, or `grpc`, usually port 4317.
    pub protocol: OtlpProtocol,
    /// Headers of each request. `${NAME}` in a value is an environment variable; `{ file: PATH }` is the
    /// content of a file. Secrets are accepted in no other form.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, SecretText>,
    /// The time limit of a request, including its retries.
    #[schemars(extend("x-minimum" = "100ms", "x-maximum" = "1m"))]
    pub timeout: TimeSpan,
    /// The resource attribute `service.name`.
    pub service_name: String,
    /// Further resource attributes, such as `deployment.environment.name: lab`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub resource: BTreeMap<String, String>,
    /// A trace for each request, with spans for plugins, opening and negotiation.
    pub traces: Traces,
    /// All metrics that `tuffet status --metrics` shows.
    pub metrics: Metrics,
    /// Whether to export the line of each request, warnings and errors as log records.
    pub logs: bool,
}

/// A trace for each request, with spans for plugins, opening and negotiation.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Traces {
    /// Whether to export traces.
    pub enabled: bool,
    /// The fraction of requests to export, 0 to 1. Requests that were denied, timed out or failed, and
    /// requests with a failed plugin, are always exported.
    #[schemars(range(min = 0, max = 1))]
    pub sample: f64,
    /// The largest number of sampled requests to export per second, so that a storm costs no more than a busy
    /// day. Requests that are always exported do not count. If `OTEL_TRACES_SAMPLER` is set, it alone
    /// decides.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub per_second: u32,
}

/// All metrics that `tuffet status --metrics` shows.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Metrics {
    /// Whether to export metrics.
    pub enabled: bool,
    /// The time between exports.
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
