//! OTLP over HTTP: protobuf in POST requests.

use std::io;

use opentelemetry_proto::tonic::collector::logs::v1::{ExportLogsServiceRequest, ExportLogsServiceResponse};
use prost::Message;
use reqwest::Client;
use reqwest::header::HeaderMap;

use super::super::http::{client, explain, headers, read, retry_after};
use super::ExportResult;
use tuffet_config::sinks::OtlpTarget;

pub(super) struct Http {
    url: String,
    client: Client,
    headers: HeaderMap,
}

impl Http {
    pub(super) fn open(target: &OtlpTarget) -> io::Result<Http> {
        Ok(Http {
            url: format!("{}/v1/logs", target.endpoint.trim_end_matches('/')),
            client: client(&target.endpoint, target.timeout)?,
            headers: headers("application/x-protobuf", &target.headers)?,
        })
    }

    pub(super) async fn export(&self, request: &ExportLogsServiceRequest) -> ExportResult {
        let post = self.client.post(&self.url).headers(self.headers.clone()).body(request.encode_to_vec());
        let answer = match post.send().await {
            Ok(answer) => answer,
            Err(error) => return ExportResult::Later { after: None, error: explain(error) },
        };
        let (status, after) = (answer.status().as_u16(), retry_after(&answer));
        let body = read(answer).await;
        let error = format!("the answer has the status {status}");
        match status {
            // An unreadable answer refuses nothing.
            200..=299 => ExportResult::Taken(ExportLogsServiceResponse::decode(&*body).unwrap_or_default()),
            413 => ExportResult::TooLarge(error),
            // The retryable codes of the OTLP specification; also credentials and the address, which an operator
            // fixes.
            429 | 502 | 503 | 504 | 300..=399 | 401 | 403 | 404 | 407 => ExportResult::Later { after, error },
            _ => ExportResult::Never(error),
        }
    }
}
