//! A collector of OpenTelemetry: one client for all that is sent by OTLP. Requests arrive here encoded.

use super::exchange::{Accepted, Destination, Refusal, Signal};
use super::grpc::Grpc;
use super::http::Http;
use bytes::Bytes;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceResponse;
use prost::Message;
use std::io;
use tuffet_config::OtlpProtocol;

/// A client of a collector, for one signal. It connects when there is something to send.
pub struct Collector {
    endpoint: String,
    transport: Transport,
}

enum Transport {
    Http(Http),
    Grpc(Box<Grpc>),
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
