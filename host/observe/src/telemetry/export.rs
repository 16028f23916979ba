//! The exporters of OTLP, each on a separate thread.

use super::endpoint::Endpoint;
use super::queue::Export;
use super::settings::Destination;
use opentelemetry_otlp::tonic_types::metadata::MetadataMap;
use opentelemetry_otlp::{
    LogExporter, MetricExporter, Protocol, SpanExporter, WithExportConfig, WithHttpConfig, WithTonicConfig,
};
use opentelemetry_sdk::metrics::Temporality;
use opentelemetry_sdk::trace::SpanData;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use tuffet_config::OtlpProtocol;

/// Builds `$builder` with the common settings of all signals.
macro_rules! build {
    ($builder:expr, $destination:expr) => {{
        let destination: &Destination = $destination;
        let endpoint = Endpoint::of(destination);
        let built = match destination.protocol {
            // The blocking client: the exporting threads have no runtime.
            OtlpProtocol::HttpProtobuf => $builder
                .with_http()
                .with_protocol(Protocol::HttpBinary)
                .with_endpoint(&destination.endpoint)
                .with_timeout(destination.timeout)
                .with_headers(destination.headers.clone())
                .with_http_client(endpoint.wrap(destination.tls.http(destination.timeout)?))
                .build(),
            OtlpProtocol::Grpc => {
                let builder = $builder
                    .with_tonic()
                    .with_endpoint(&destination.endpoint)
                    .with_timeout(destination.timeout)
                    .with_metadata(metadata(destination));
                if destination.endpoint.starts_with("https:") {
                    builder.with_tls_config(destination.tls.grpc()).build()
                } else {
                    builder.build()
                }
            }
        };
        built.map(|exporter| (exporter, endpoint)).map_err(|error| error.to_string())
    }};
}

/// Creates the exporter of spans. Must be called on the control runtime, where gRPC spawns tasks; likewise for the
/// others.
///
/// # Errors
/// The message for the operator.
pub(super) fn spans(destination: &Destination) -> Result<(SpanExporter, Endpoint), String> {
    build!(SpanExporter::builder(), destination)
}

pub(super) fn metrics(
    destination: &Destination,
    temporality: Temporality,
) -> Result<(MetricExporter, Endpoint), String> {
    build!(MetricExporter::builder().with_temporality(temporality), destination)
}

pub(super) fn logs(destination: &Destination) -> Result<(LogExporter, Endpoint), String> {
    build!(LogExporter::builder(), destination)
}

fn metadata(destination: &Destination) -> MetadataMap {
    let headers = destination
        .headers
        .iter()
        .filter_map(|(name, value)| Some((name.parse::<http::HeaderName>().ok()?, value.parse().ok()?)));
    MetadataMap::from_headers(headers.collect())
}

/// Sends spans.
pub(super) struct SpanSender {
    pub(super) exporter: SpanExporter,
    pub(super) endpoint: Endpoint,
}

impl Export<SpanData> for SpanSender {
    fn export(&mut self, batch: Vec<SpanData>) -> Result<(), String> {
        let exported = wait_for(opentelemetry_sdk::trace::SpanExporter::export(&self.exporter, batch));
        exported.map_err(|error| self.endpoint.explain(&error))
    }

    fn endpoint(&self) -> &str {
        self.endpoint.url()
    }
}

/// Blocks this thread until the future is ready.
pub(super) fn wait_for<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}
