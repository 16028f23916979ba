//! A sink of the kind `otlp` as written.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Batch, SecretText};
use crate::telemetry::OtlpProtocol;
use crate::units::TimeSpan;

/// An OpenTelemetry collector that receives a log record for each line. Temporary failures are retried with
/// growing pauses, as the OTLP specification says. So are failures that an operator fixes: the collector does
/// not accept the credentials or the path (401, 403, 404, and the equivalent gRPC codes). Anything else that
/// it rejects is dropped and counted, including single lines of a batch. The variables `OTEL_EXPORTER_*` have
/// no effect here.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Otlp {
    /// The collector: `http://HOST:PORT`, or `https://` with the system's certificates. With `http/protobuf`,
    /// the server appends `/v1/logs`.
    pub endpoint: String,
    /// The OTLP transport: `http/protobuf`, usually port 4318, or `grpc`, usually port 4317.
    #[serde(default)]
    pub protocol: OtlpProtocol,
    /// Headers of each request; with `grpc`, its metadata. `${NAME}` in a value is an environment variable;
    /// `{ file: PATH }` is the content of a file. Secrets are accepted in no other form.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, SecretText>,
    /// The size of one request.
    #[serde(default)]
    pub batch: Batch,
    /// The time limit of one request.
    #[serde(default = "crate::written::defaults::sink_timeout")]
    #[schemars(extend("x-minimum" = "10ms", "x-maximum" = "5m"))]
    pub timeout: TimeSpan,
}
