//! OTLP over gRPC.

use super::super::http::headers;
use super::exchange::{Destination, Refusal, Retry, Signal};
use bytes::{Buf, BufMut, Bytes};
use http::uri::PathAndQuery;
use reqwest::header::CONTENT_TYPE;
use std::error::Error;
use std::io;
use std::time::Duration;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::metadata::MetadataMap;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;
use tuffet_net::causes::explain;
use tuffet_net::tls;

pub(super) struct Grpc {
    endpoint: Endpoint,
    method: PathAndQuery,
    metadata: MetadataMap,
    timeout: Duration,
    /// Created for the first request, because it starts tasks.
    channel: Option<Channel>,
}

impl Grpc {
    pub(super) fn open(destination: &Destination, signal: Signal) -> io::Result<Grpc> {
        tls::choose_provider();
        let mut endpoint = Endpoint::from_shared(destination.endpoint.clone())
            .and_then(|endpoint| endpoint.user_agent(concat!("tuffet/", env!("CARGO_PKG_VERSION"))))
            .map_err(|error| io::Error::other(explain(&error)))?
            .connect_timeout(destination.timeout);
        if destination.endpoint.starts_with("https:") {
            let tls = endpoint.tls_config(destination.tls.grpc());
            endpoint = tls.map_err(|error| io::Error::other(explain(&error)))?;
        }
        // The protocol sets the content type itself.
        let mut headers = headers("application/grpc", &destination.headers)?;
        headers.remove(CONTENT_TYPE);
        Ok(Grpc {
            endpoint,
            method: PathAndQuery::from_static(match signal {
                Signal::Traces => "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
                Signal::Metrics => "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
                Signal::Logs => "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
            }),
            metadata: MetadataMap::from_headers(headers),
            timeout: destination.timeout,
            channel: None,
        })
    }

    /// Sends a request, and returns the message of the answer.
    pub(super) async fn export(&mut self, message: Bytes) -> Result<Bytes, Refusal> {
        let channel = self.channel.get_or_insert_with(|| self.endpoint.connect_lazy()).clone();
        let mut request = Request::new(message);
        *request.metadata_mut() = self.metadata.clone();
        request.set_timeout(self.timeout);
        let method = self.method.clone();
        let exported = async move {
            let mut client = tonic::client::Grpc::new(channel);
            client.ready().await.map_err(|error| Status::from_error(error.into()))?;
            client.unary(request, method, Encoded).await
        };
        match tokio::time::timeout(self.timeout, exported).await {
            Ok(Ok(answer)) => Ok(answer.into_inner()),
            Ok(Err(status)) => Err(judge(&status)),
            Err(_) => {
                let error = format!("the collector did not answer within {:?}", self.timeout);
                Err(Refusal { remedy: Retry::After(None), error })
            }
        }
    }
}

/// The codec of messages that are encoded already, and of answers that are decoded elsewhere.
struct Encoded;

impl Codec for Encoded {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Encoded;
    type Decoder = Encoded;

    fn encoder(&mut self) -> Encoded {
        Encoded
    }

    fn decoder(&mut self) -> Encoded {
        Encoded
    }
}

impl Encoder for Encoded {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, message: Bytes, into: &mut EncodeBuf<'_>) -> Result<(), Status> {
        into.put(message);
        Ok(())
    }
}

impl Decoder for Encoded {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }
}

fn judge(status: &Status) -> Refusal {
    let after = status.get_details_retry_info().and_then(|info| info.retry_delay);
    let mut error = format!("the collector answers with the status {:?}", status.code());
    // An error on the path has a source; an error message of the receiver may repeat the data.
    if let Some(source) = status.source() {
        error = format!("gRPC status {:?}: {}", status.code(), explain(source));
    }
    let remedy = match status.code() {
        // Without a requested pause, a retry may never succeed (OTLP specification).
        Code::ResourceExhausted if after.is_none() => Retry::Smaller,
        Code::ResourceExhausted
        | Code::Cancelled
        | Code::DeadlineExceeded
        | Code::Aborted
        | Code::OutOfRange
        | Code::Unavailable
        | Code::DataLoss => Retry::After(after),
        Code::Unauthenticated | Code::PermissionDenied | Code::Unimplemented => Retry::WhenMended,
        // The connection broke before an answer: the receiver did not send this status.
        Code::Unknown | Code::Internal if status.source().is_some() => Retry::After(None),
        _ => Retry::Never,
    };
    Refusal { remedy, error }
}
