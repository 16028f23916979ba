//! The section `telemetry`: the export to an OpenTelemetry collector. None of it can change while the server
//! runs. Environment variables may override it.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tuffet_request::units::{TimeSpan, plain};

use super::resolver::Resolver;
use super::secret::{Secret, SecretText};
use super::tree::join;

/// Export to an OpenTelemetry collector over OTLP. Disabled without this section, unless
/// `OTEL_EXPORTER_OTLP_ENDPOINT` or its variant for one signal is set. The variables `OTEL_*` override this
/// section.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct TelemetryConfig<S = Secret> {
    /// The collector: `http://HOST:PORT`, or `https://` for TLS. With `http/protobuf`, the server appends
    /// paths such as `/v1/traces`. Default: `http://localhost:4318`, or port 4317 with `grpc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// The OTLP transport: `http/protobuf`, usually port 4318, or `grpc`, usually port 4317.
    pub protocol: OtlpProtocol,
    /// Headers of each request. `${NAME}` in a value is an environment variable; `{ file: PATH }` is the
    /// content of a file. Secrets are accepted in no other form.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, S>,
    /// The time limit of a request, including its retries.
    #[serde(with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "100ms", "x-maximum" = "1m"))]
    pub timeout: Duration,
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
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Traces {
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
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Metrics {
    /// Whether to export metrics.
    pub enabled: bool,
    /// The time between exports.
    #[serde(with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "100ms", "x-maximum" = "1h"))]
    pub interval: Duration,
}

/// The two encodings of OTLP.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
pub enum OtlpProtocol {
    /// Protobuf in HTTP/1.1 requests, usually to port 4318.
    #[default]
    #[serde(rename = "http/protobuf")]
    HttpProtobuf,
    /// gRPC, usually to port 4317.
    #[serde(rename = "grpc")]
    Grpc,
}

/// The sampling of traces. Requests that go wrong are always traced.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TracesSampled {
    /// The sampled part, 0 to 1.
    pub part: f64,
    /// At most this many per second; `None` for no limit.
    pub per_second: Option<u32>,
}

impl TracesSampled {
    /// Every request is traced.
    pub const ALL: TracesSampled = TracesSampled { part: 1.0, per_second: None };
}

/// The settings without the section, if only the environment enables the export.
impl<S> Default for TelemetryConfig<S> {
    fn default() -> Self {
        Self {
            endpoint: None,
            protocol: OtlpProtocol::default(),
            headers: BTreeMap::new(),
            timeout: Duration::from_secs(10),
            service_name: "tuffet".into(),
            resource: BTreeMap::new(),
            traces: Traces::default(),
            metrics: Metrics::default(),
            logs: true,
        }
    }
}

impl Default for Traces {
    fn default() -> Self {
        Self { enabled: true, sample: 1.0, per_second: 100 }
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self { enabled: true, interval: Duration::from_secs(60) }
    }
}

impl Traces {
    /// Returns the sampling; `None` for no traces at all.
    pub fn sampled(&self) -> Option<TracesSampled> {
        let sampled = TracesSampled { part: self.sample, per_second: Some(self.per_second) };
        self.enabled.then_some(sampled)
    }
}

impl Resolver<'_> {
    pub(crate) fn telemetry(&mut self, written: TelemetryConfig<SecretText>) -> TelemetryConfig {
        let at = |key: &str| join("/telemetry", key);
        if let Some(endpoint) = &written.endpoint
            && let Err(complaint) = check_endpoint(endpoint, written.protocol)
        {
            self.wrong(at("endpoint"), complaint);
        }
        if written.service_name.trim().is_empty() {
            self.wrong(at("service-name"), "the name is empty; give one, or remove the key");
        }
        let headers = self.headers(&at("headers"), &written.headers);
        let headers = headers.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value)).collect();
        let TelemetryConfig {
            endpoint,
            protocol,
            timeout,
            service_name,
            resource,
            traces,
            metrics,
            logs,
            ..
        } = written;
        TelemetryConfig {
            endpoint,
            protocol,
            headers,
            timeout,
            service_name,
            resource,
            traces,
            metrics,
            logs,
        }
    }
}

/// Checks an endpoint, from the configuration or from the environment.
///
/// # Errors
/// The problem and its remedy.
pub fn check_endpoint(endpoint: &str, protocol: OtlpProtocol) -> Result<(), String> {
    if endpoint.contains('@') {
        return Err("a user and password in a URL would be shown; use the header `authorization`".into());
    }
    let uri: http::Uri = endpoint.parse().map_err(|_| {
        format!("`{endpoint}` is not a URL; write one such as http://127.0.0.1:{}", default_port(protocol))
    })?;
    match (uri.scheme_str(), uri.host()) {
        (Some("http" | "https"), Some(_)) => Ok(()),
        _ => Err(format!(
            "`{endpoint}` is not an http:// or https:// URL; write one such as http://127.0.0.1:{}",
            default_port(protocol)
        )),
    }
}

/// Returns the default port of collectors.
pub fn default_port(protocol: OtlpProtocol) -> u16 {
    match protocol {
        OtlpProtocol::HttpProtobuf => 4318,
        OtlpProtocol::Grpc => 4317,
    }
}
