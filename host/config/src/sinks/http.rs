//! The sinks that send batches over HTTP: `http`, and `otlp` for an OpenTelemetry collector.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tuffet_request::units::{ByteCount, MIB, TimeSpan, plain};
use url::Url;

use super::super::resolver::Resolver;
use super::super::secret::{Secret, SecretText};
use super::super::telemetry::{OtlpProtocol, check_endpoint};
use super::super::tree::join;

/// An HTTP server that receives lines by POST. The sink retries with growing pauses if the server cannot be
/// reached, is overloaded (429) or fails (5xx), and if it does not accept the credentials or the URL (401,
/// 403, 404). With any other 4xx the server rejects the lines: they are dropped and counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, bound(deserialize = "S: Deserialize<'de>"))]
pub struct HttpTarget<S = Secret> {
    /// `http://HOST:PORT/PATH`, or `https://` with the system's certificates. Redirects are not followed.
    pub url: String,
    /// Headers of each request. `${NAME}` in a value is an environment variable; `{ file: PATH }` is the
    /// content of a file. Secrets are accepted in no other form.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, S>,
    /// The size of one request.
    #[serde(default)]
    pub batch: Batch,
    /// The time limit of one request.
    #[serde(default = "timeout", with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "10ms", "x-maximum" = "5m"))]
    pub timeout: Duration,
    /// `ndjson`: one line of JSON after another, each with a line feed. `json-array`: one array.
    #[serde(default)]
    pub format: Format,
}

/// An OpenTelemetry collector that receives a log record for each line. Temporary failures are retried with
/// growing pauses, as the OTLP specification says. So are failures that an operator fixes: the collector does
/// not accept the credentials or the path (401, 403, 404, and the equivalent gRPC codes). Anything else that
/// it rejects is dropped and counted, including single lines of a batch. The variables `OTEL_EXPORTER_*` have
/// no effect here.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, bound(deserialize = "S: Deserialize<'de>"))]
pub struct OtlpTarget<S = Secret> {
    /// The collector: `http://HOST:PORT`, or `https://` with the system's certificates. With `http/protobuf`,
    /// the server appends `/v1/logs`.
    pub endpoint: String,
    /// The OTLP transport: `http/protobuf`, usually port 4318, or `grpc`, usually port 4317.
    #[serde(default)]
    pub protocol: OtlpProtocol,
    /// Headers of each request; with `grpc`, its metadata. `${NAME}` in a value is an environment variable;
    /// `{ file: PATH }` is the content of a file. Secrets are accepted in no other form.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, S>,
    /// The size of one request.
    #[serde(default)]
    pub batch: Batch,
    /// The time limit of one request.
    #[serde(default = "timeout", with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "10ms", "x-maximum" = "5m"))]
    pub timeout: Duration,
    /// Resource attributes in addition to those of every process; later ones win.
    #[serde(skip)]
    pub resource: Vec<(String, String)>,
}

/// The size of one request. It is sent when it has this many lines or bytes, or when its first line has
/// waited long enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Batch {
    /// The largest number of lines.
    #[schemars(range(min = 1, max = 10_000))]
    pub lines: usize,
    /// The largest size in bytes; a single line may exceed it.
    #[serde(with = "plain")]
    #[schemars(with = "ByteCount", extend("x-minimum" = "1KiB", "x-maximum" = "16MiB"))]
    pub bytes: usize,
    /// How long a line waits for others.
    #[serde(with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "0s", "x-maximum" = "1m"))]
    pub wait: Duration,
}

/// The form of a request's body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// A line feed after each line.
    #[default]
    Ndjson,
    /// One JSON array.
    JsonArray,
}

impl Default for Batch {
    fn default() -> Self {
        Self { lines: 500, bytes: MIB as usize, wait: Duration::from_secs(1) }
    }
}

/// The default time limit of a request.
pub(super) fn timeout() -> Duration {
    Duration::from_secs(10)
}

impl Resolver<'_> {
    pub(super) fn sink_http(&mut self, pointer: &str, http: &HttpTarget<SecretText>) -> Option<HttpTarget> {
        let before = self.findings.len();
        self.url(&join(pointer, "url"), &http.url, ["http", "https"], "http://HOST:PORT/PATH");
        let headers = self.sink_headers(pointer, &http.headers);
        let (url, batch, timeout, format) = (http.url.clone(), http.batch, http.timeout, http.format);
        let target = HttpTarget { url, headers, batch, timeout, format };
        (self.findings.len() == before).then_some(target)
    }

    pub(super) fn sink_otlp(&mut self, pointer: &str, otlp: &OtlpTarget<SecretText>) -> Option<OtlpTarget> {
        let before = self.findings.len();
        if let Err(complaint) = check_endpoint(&otlp.endpoint, otlp.protocol) {
            self.wrong(join(pointer, "endpoint"), complaint);
        }
        let headers = self.sink_headers(pointer, &otlp.headers);
        let (endpoint, protocol, resource) = (otlp.endpoint.clone(), otlp.protocol, self.resource.clone());
        let (batch, timeout) = (otlp.batch, otlp.timeout);
        let target = OtlpTarget { endpoint, protocol, headers, batch, timeout, resource };
        (self.findings.len() == before).then_some(target)
    }

    fn sink_headers(
        &mut self,
        sink: &str,
        written: &BTreeMap<String, SecretText>,
    ) -> BTreeMap<String, Secret> {
        let pointer = join(sink, "headers");
        for name in written.keys() {
            if ["content-length", "host", "transfer-encoding", "connection"]
                .contains(&&*name.to_ascii_lowercase())
            {
                let message = format!("the header `{name}` is set by the server; remove it");
                self.wrong_key(join(&pointer, name), message);
            }
        }
        self.headers(&pointer, written)
    }

    /// Checks a URL. Errors do not show it: it may hold a secret.
    pub(crate) fn url(&mut self, pointer: &str, url: &str, schemes: [&str; 2], form: &str) {
        let complaint = match Url::parse(url) {
            Err(error) => format!("it is not a URL ({error}); write {form}"),
            Ok(url) if !schemes.contains(&url.scheme()) => {
                format!("the scheme `{}` is not supported; write {form}, or {}://", url.scheme(), schemes[1])
            }
            Ok(url) if url.host().is_none() => format!("it has no host; write {form}"),
            Ok(url) if !url.username().is_empty() || url.password().is_some() => {
                let instead = if schemes[0] == "http" {
                    "the header `authorization` below `headers`"
                } else {
                    "`user` and `password`, or `token`"
                };
                format!(
                    "it contains a user or a password, but this file must not contain secrets; use {instead}"
                )
            }
            Ok(_) => return,
        };
        self.wrong(pointer, complaint);
    }
}
