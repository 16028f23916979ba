//! Explains failures of a collector to the operator: the endpoint and the cause.
//!
//! The errors of the SDK name no endpoint. Over HTTP they say only "network error", so our client keeps the cause. It
//! also replaces the body of requests with log records, which are encoded here.

use super::settings::Destination;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_sdk::error::OTelSdkError;
use parking_lot::Mutex;
use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use tuffet_config::OtlpProtocol;

/// The endpoint of one signal.
#[derive(Debug)]
pub(super) struct Endpoint {
    url: String,
    protocol: OtlpProtocol,
    cause: LastCause,
    body: OwnBody,
}

/// The body of the requests over HTTP, if it is not the SDK's.
type OwnBody = Arc<Mutex<Option<Bytes>>>;

impl Endpoint {
    pub(super) fn of(destination: &Destination) -> Endpoint {
        let (url, protocol) = (destination.endpoint.clone(), destination.protocol);
        Endpoint { url, protocol, cause: LastCause::default(), body: OwnBody::default() }
    }

    /// Returns its URL, for the log.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Whether the exporter uses HTTP, and thus the client of [`Endpoint::wrap`].
    pub(super) fn is_http(&self) -> bool {
        self.protocol == OtlpProtocol::HttpProtobuf
    }

    /// Wraps an HTTP client, to record the causes of its failures for [`Endpoint::explain`], and to send other bodies
    /// than those of the exporter ([`Endpoint::set_body`]).
    pub(super) fn wrap(&self, client: reqwest::blocking::Client) -> WrappedClient {
        WrappedClient { client, cause: self.cause.clone(), body: Arc::clone(&self.body) }
    }

    /// From now on, the exporter's requests over HTTP have this body; with `None`, again its own.
    pub(super) fn set_body(&self, body: Option<Vec<u8>>) {
        *self.body.lock() = body.map(Bytes::from);
    }

    /// Explains a failed export.
    pub(super) fn explain(&self, error: &OTelSdkError) -> String {
        let text = self.cause.take().unwrap_or_else(|| plain(&error.to_string()));
        match self.hint(&text) {
            Some(hint) => format!("{text}; {hint}"),
            None => text,
        }
    }

    /// Returns a hint if the answer looks like one of the other protocol.
    fn hint(&self, text: &str) -> Option<&'static str> {
        let any = |words: &[&str]| words.iter().any(|word| text.contains(word));
        match self.protocol {
            // The HTTP/1 parser fails on HTTP/2 frames.
            OtlpProtocol::HttpProtobuf if any(&["invalid HTTP version", "HTTP/0.9"]) => Some(
                "the endpoint seems to speak gRPC: write `protocol: grpc`, or use its port for HTTP (4318)",
            ),
            // The HTTP/2 parser fails on HTTP/1 text, or the server closes the connection.
            OtlpProtocol::Grpc if any(&["frame with invalid size", "connection closed", "broken pipe"]) => {
                Some(
                    "does the endpoint speak gRPC? For OTLP over HTTP write `protocol: http/protobuf` (port 4318)",
                )
            }
            _ => None,
        }
    }
}

/// The cause of the last failure of the HTTP client.
#[derive(Debug, Clone, Default)]
struct LastCause(Arc<Mutex<Option<String>>>);

impl LastCause {
    fn set(&self, cause: Option<String>) {
        *self.0.lock() = cause;
    }

    fn take(&self) -> Option<String> {
        self.0.lock().take()
    }
}

/// An HTTP client that records the cause of its last failure.
#[derive(Debug)]
pub(super) struct WrappedClient {
    client: reqwest::blocking::Client,
    cause: LastCause,
    body: OwnBody,
}

type Sending<'a> = Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'a>>;

// The expansion of `async_trait`, without that crate.
impl HttpClient for WrappedClient {
    fn send_bytes<'life0, 'async_trait>(&'life0 self, mut request: Request<Bytes>) -> Sending<'async_trait>
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(async move {
            self.cause.set(None);
            if let Some(body) = &*self.body.lock() {
                request.body_mut().clone_from(body);
            }
            self.client.send_bytes(request).await.map_err(|error| match error.downcast::<reqwest::Error>() {
                Ok(error) => {
                    // The log names the endpoint in a separate field.
                    let error = error.without_url();
                    self.cause.set(Some(explain(&error)));
                    error.into()
                }
                Err(error) => error,
            })
        })
    }
}

/// Returns an error with its causes, each once.
fn explain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let said = cause.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        source = cause.source();
    }
    text
}

/// Returns an error of the SDK without names of its types, and without repetitions.
fn plain(text: &str) -> String {
    let text = text.strip_prefix("Operation failed: ").unwrap_or(text);
    if let Some(status) = text.strip_prefix("HTTP export failed with status code: ") {
        return format!("the collector answers with the status {status}");
    }
    let text = match text.split_once(" export failed with gRPC code: ") {
        Some((_, code)) => format!("gRPC status {code}"),
        None => text.to_owned(),
    };
    let mut parts: Vec<&str> = text.split(": ").collect();
    parts.dedup();
    parts.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_lose_the_names_of_the_sdk() {
        let cases = [
            (
                "Operation failed: TonicLogsClient export failed with gRPC code: Unavailable: transport error: tcp \
                 connect error: tcp connect error: Connection refused (os error 111)",
                "gRPC status Unavailable: transport error: tcp connect error: Connection refused (os error 111)",
            ),
            (
                "Operation failed: HTTP export failed with status code: 503",
                "the collector answers with the status 503",
            ),
            ("Operation timed out after 3 seconds", "Operation timed out after 3 seconds"),
        ];
        for (error, expected) in cases {
            assert_eq!(plain(error), expected);
        }
    }
}
