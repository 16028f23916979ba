//! OTLP over HTTP: protobuf in POST requests.

use super::super::http::{client_builder, explain, headers, read, retry_after};
use super::exchange::{Destination, Refusal, Retry};
use bytes::Bytes;
use reqwest::Client;
use reqwest::header::HeaderMap;
use std::io;

pub(super) struct Http {
    url: String,
    client: Client,
    headers: HeaderMap,
}

impl Http {
    pub(super) fn open(destination: &Destination) -> io::Result<Http> {
        let builder = client_builder(&destination.endpoint, destination.timeout);
        let client = destination.tls.http(builder).and_then(|builder| builder.build());
        Ok(Http {
            url: destination.endpoint.clone(),
            client: client.map_err(|error| io::Error::other(explain(error)))?,
            headers: headers("application/x-protobuf", &destination.headers)?,
        })
    }

    /// Sends a request, and returns the body of the answer.
    pub(super) async fn export(&self, request: Bytes) -> Result<Vec<u8>, Refusal> {
        let post = self.client.post(&self.url).headers(self.headers.clone()).body(request);
        let answer = post.send().await;
        let answer = answer.map_err(|error| Refusal { remedy: Retry::After(None), error: explain(error) })?;
        let (status, after) = (answer.status().as_u16(), retry_after(&answer));
        let remedy = match status {
            200..=299 => return Ok(read(answer).await),
            413 => Retry::Smaller,
            // The retryable codes of the OTLP specification.
            429 | 502 | 503 | 504 => Retry::After(after),
            300..=399 | 401 | 403 | 404 | 407 => Retry::WhenMended,
            _ => Retry::Never,
        };
        // So that the connection can be used again.
        let _ = read(answer).await;
        Err(Refusal { remedy, error: format!("the collector answers with the status {status}") })
    }
}
