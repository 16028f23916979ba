//! A sink that is an OpenTelemetry collector, as it is written.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Batch, SecretText};
use crate::telemetry::OtlpProtocol;
use crate::units::TimeSpan;

/// An OpenTelemetry collector that gets a log record for each line. What may pass is tried again, after longer
/// and longer pauses, as the specification of OTLP says it; and so is what an operator mends, when the collector
/// does not know us or the path (401, 403, 404, and their likes in gRPC). What else it refuses is dropped and
/// counted, single lines of a batch included. The variables `OTEL_EXPORTER_*` mean nothing here.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Otlp {
    /// The collector: `http://HOST:PORT`, or `https://` with the certificates of the system. With
    /// `http/protobuf`, `/v1/logs` is added to it.
    pub endpoint: String,
    /// How the collector is spoken to.
    #[serde(default)]
    pub protocol: OtlpProtocol,
    /// Headers of each request, with `grpc` its metadata. `${NAME}` in a value is an environment variable;
    /// `{ file: PATH }` is the content of a file. What is secret stands here in no other way.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, SecretText>,
    /// What one request holds.
    #[serde(default)]
    pub batch: Batch,
    /// How long one request may take.
    #[serde(default = "crate::written::defaults::sink_timeout")]
    #[schemars(extend("x-minimum" = "10ms", "x-maximum" = "5m"))]
    pub timeout: TimeSpan,
}
