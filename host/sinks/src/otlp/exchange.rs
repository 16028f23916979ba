//! What is sent to a collector and where, and its answers.

use super::tls::Tls;
use std::collections::BTreeMap;
use std::fmt;
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
