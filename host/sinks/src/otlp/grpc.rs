//! OTLP over gRPC.

use std::error::Error;
use std::io;
use std::time::Duration;

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::logs::v1::logs_service_client::LogsServiceClient;
use tonic::metadata::MetadataMap;
use tonic::transport::{Channel, ClientTlsConfig, Endpoint};
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;

use super::super::http::headers;
use super::ExportResult;
use tuffet_config::sinks::OtlpTarget;
use tuffet_net::causes::explain;
use tuffet_net::tls;

pub(super) struct Grpc {
    endpoint: Endpoint,
    metadata: MetadataMap,
    timeout: Duration,
    /// Created for the first delivery, because it starts tasks.
    client: Option<LogsServiceClient<Channel>>,
}

impl Grpc {
    pub(super) fn open(target: &OtlpTarget) -> io::Result<Grpc> {
        tls::choose_provider();
        let mut endpoint = Endpoint::from_shared(target.endpoint.clone())
            .and_then(|endpoint| endpoint.user_agent(concat!("tuffet/", env!("CARGO_PKG_VERSION"))))
            .map_err(|error| io::Error::other(explain(&error)))?
            .connect_timeout(target.timeout);
        if target.endpoint.starts_with("https:") {
            let roots = ClientTlsConfig::new().with_native_roots();
            endpoint = endpoint.tls_config(roots).map_err(|error| io::Error::other(explain(&error)))?;
        }
        // The protocol sets the content type itself.
        let mut headers = headers("application/grpc", &target.headers)?;
        headers.remove("content-type");
        Ok(Grpc {
            endpoint,
            metadata: MetadataMap::from_headers(headers),
            timeout: target.timeout,
            client: None,
        })
    }

    /// Sends a request. Must be called within a runtime.
    pub(super) async fn export(&mut self, request: ExportLogsServiceRequest) -> ExportResult {
        let client = self.client.get_or_insert_with(|| LogsServiceClient::new(self.endpoint.connect_lazy()));
        let mut request = Request::new(request);
        *request.metadata_mut() = self.metadata.clone();
        request.set_timeout(self.timeout);
        match tokio::time::timeout(self.timeout, client.export(request)).await {
            Ok(Ok(answer)) => ExportResult::Taken(answer.into_inner()),
            Ok(Err(status)) => judge(&status),
            Err(_) => {
                let error = format!("the collector did not answer within {:?}", self.timeout);
                ExportResult::Later { after: None, error }
            }
        }
    }
}

fn judge(status: &Status) -> ExportResult {
    let after = status.get_details_retry_info().and_then(|info| info.retry_delay);
    let mut error = format!("the answer has the status {:?}", status.code());
    // An error on the path has a source; an error message of the receiver may repeat the data.
    if let Some(source) = status.source() {
        error = format!("{error}: {}", explain(source));
    }
    match status.code() {
        // Without a requested pause, a retry may never succeed (OTLP specification).
        Code::ResourceExhausted if after.is_none() => ExportResult::TooLarge(error),
        Code::ResourceExhausted
        | Code::Cancelled
        | Code::DeadlineExceeded
        | Code::Aborted
        | Code::OutOfRange
        | Code::Unavailable
        | Code::DataLoss => ExportResult::Later { after, error },
        // Caused by credentials or the address: waits until an operator fixes it.
        Code::Unauthenticated | Code::PermissionDenied | Code::Unimplemented => {
            ExportResult::Later { after, error }
        }
        // The connection broke before an answer: the receiver did not send this status.
        Code::Unknown | Code::Internal if status.source().is_some() => {
            ExportResult::Later { after: None, error }
        }
        _ => ExportResult::Never(error),
    }
}
