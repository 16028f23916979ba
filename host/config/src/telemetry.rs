//! What is told to an OpenTelemetry collector.

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

/// Which requests become traces, beside those that went wrong, which all do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TracesSampled {
    /// This part of them, 0 to 1.
    pub part: f64,
    /// At most so many in a second; `None` for as many as there are.
    pub per_second: Option<u32>,
}

impl TracesSampled {
    /// Every request, however many there are.
    pub const ALL: TracesSampled = TracesSampled { part: 1.0, per_second: None };
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
    /// Which requests become traces; `None` for no traces at all.
    pub traces: Option<TracesSampled>,
    /// How often metrics are sent; `None` for never.
    pub metrics: Option<Duration>,
    /// Whether log records are sent.
    pub logs: bool,
}
