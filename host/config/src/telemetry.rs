//! The export to an OpenTelemetry collector.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::secret::Secret;

/// How it is told: the two encodings of OTLP.
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

/// The section `telemetry`. Environment variables may override it.
#[derive(Debug, Clone, PartialEq)]
pub struct TelemetryConfig {
    /// The collector, without the path of a signal; `None` for the usual port on this machine.
    pub endpoint: Option<String>,
    /// The encoding.
    pub protocol: OtlpProtocol,
    /// Headers of each request.
    pub headers: BTreeMap<String, Secret>,
    /// The time limit of a request, its retries included.
    pub timeout: Duration,
    /// The resource attribute `service.name`.
    pub service_name: String,
    /// More resource attributes.
    pub resource: BTreeMap<String, String>,
    /// The sampling of traces; `None` for no traces at all.
    pub traces: Option<TracesSampled>,
    /// The interval of metrics; `None` for never.
    pub metrics: Option<Duration>,
    /// Whether log records are sent.
    pub logs: bool,
}
