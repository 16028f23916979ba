//! A collector of OpenTelemetry: one client for all that is sent by OTLP. Requests arrive here encoded.

use super::grpc::Grpc;
use super::http::Http;
use super::tls::Tls;
use bytes::Bytes;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceResponse;
use prost::Message;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::time::Duration;
use tuffet_config::{OtlpProtocol, Secret};

/// What the requests carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Spans.
    Traces,
    /// Metrics.
    Metrics,
    /// Log records.
    Logs,
}

impl Signal {
    /// Its name in URLs, in log lines and in metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Signal::Traces => "traces",
            Signal::Metrics => "metrics",
            Signal::Logs => "logs",
        }
    }
}

/// Where one signal is sent, and how.
#[derive(Clone, PartialEq, Eq)]
pub struct Destination {
    /// With `http/protobuf` the URL of the signal; with `grpc` that of the collector.
    pub endpoint: String,
    /// The transport.
    pub protocol: OtlpProtocol,
    /// Headers of each request; with `grpc`, its metadata.
    pub headers: BTreeMap<String, Secret>,
    /// The time limit of one request.
    pub timeout: Duration,
    /// The certificates for `https:`.
    pub tls: Tls,
}

impl fmt::Debug for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Destination").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

/// A client of a collector, for one signal. It connects when there is something to send.
pub struct Collector {
    endpoint: String,
    transport: Transport,
}

enum Transport {
    Http(Http),
    Grpc(Box<Grpc>),
}

/// The answer to a request that was accepted, wholly or in part. It is not repeated even if records were refused, because
/// the answer does not name them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Accepted {
    /// The number of refused spans, data points or log records.
    pub refused: u64,
    /// The collector's words about them, or a warning; at most 200 characters.
    pub message: String,
}

/// A request that was not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Whether the same data may be accepted later.
    pub remedy: Retry,
    /// The cause, without secrets.
    pub error: String,
}

/// Whether data that was not accepted may be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// Later: the collector accepts nothing now, independently of the data, or did not answer. The pause is what the
    /// collector asked for.
    After(Option<Duration>),
    /// When an operator has mended the address or the credentials.
    WhenMended,
    /// In smaller requests.
    Smaller,
    /// Never: the collector refuses these data.
    Never,
}

impl Collector {
    /// Prepares a client. It connects to nothing yet.
    ///
    /// # Errors
    /// The endpoint, a header or a certificate is invalid.
    pub fn open(destination: &Destination, signal: Signal) -> io::Result<Collector> {
        let transport = match destination.protocol {
            OtlpProtocol::HttpProtobuf => Transport::Http(Http::open(destination)?),
            OtlpProtocol::Grpc => Transport::Grpc(Box::new(Grpc::open(destination, signal)?)),
        };
        Ok(Collector { endpoint: destination.endpoint.clone(), transport })
    }

    /// The URL, for the log.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Sends an encoded `ExportTraceServiceRequest`, or that of the other signal. Must be called within a runtime, which also
    /// keeps the connection.
    ///
    /// # Errors
    /// [`Refusal`].
    pub async fn export(&mut self, request: Bytes) -> Result<Accepted, Refusal> {
        let answer = match &mut self.transport {
            Transport::Http(http) => http.export(request).await.map(Bytes::from),
            Transport::Grpc(grpc) => grpc.export(request).await,
        };
        let answer = answer.map_err(|refusal| Refusal { error: self.with_hint(refusal.error), ..refusal })?;
        // The answers of all signals have the same fields. An unreadable one refuses nothing.
        let answer = ExportLogsServiceResponse::decode(&*answer).unwrap_or_default();
        let Some(partial) = answer.partial_success else { return Ok(Accepted::default()) };
        Ok(Accepted {
            refused: u64::try_from(partial.rejected_log_records).unwrap_or(0),
            message: partial.error_message.chars().take(200).collect(),
        })
    }

    /// Adds a hint to an error that looks like an answer by the other protocol.
    fn with_hint(&self, error: String) -> String {
        let any = |words: &[&str]| words.iter().any(|word| error.contains(word));
        let hint = match self.transport {
            // The HTTP/1 parser fails on HTTP/2 frames.
            Transport::Http(_) if any(&["invalid HTTP version", "HTTP/0.9"]) => {
                "the endpoint seems to speak gRPC: write `protocol: grpc`, or use its port for HTTP (4318)"
            }
            // The HTTP/2 parser fails on HTTP/1 text, or the server closes the connection.
            Transport::Grpc(_) if any(&["frame with invalid size", "connection closed", "broken pipe"]) => {
                "does the endpoint speak gRPC? For OTLP over HTTP write `protocol: http/protobuf` (port 4318)"
            }
            _ => return error,
        };
        format!("{error}; {hint}")
    }
}
