//! What is told to an OpenTelemetry collector.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::sinks::Secret;

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

/// The section `telemetry`. Variables of the environment may still say otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct TelemetryConfig {
    /// The collector, without the path of a signal; `None` for the usual port of this machine.
    pub endpoint: Option<String>,
    /// How it is spoken to.
    pub protocol: OtlpProtocol,
    /// Sent with each request.
    pub headers: BTreeMap<String, Secret>,
    /// How long a request may take, its repetitions included.
    pub timeout: Duration,
    /// The resource attribute `service.name`.
    pub service_name: String,
    /// More resource attributes.
    pub resource: BTreeMap<String, String>,
    /// The part of the requests that become traces, 0 to 1; `None` for no traces at all.
    pub traces: Option<f64>,
    /// How often metrics are sent; `None` for never.
    pub metrics: Option<Duration>,
    /// Whether log records are sent.
    pub logs: bool,
}
