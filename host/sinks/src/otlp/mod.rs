//! Sends lines as log records to an OpenTelemetry collector.
//!
//! Retries follow the OTLP specification, with one exception: if the collector rejects the credentials or the path,
//! the lines wait for an operator, as those of `http` do.

mod grpc;
mod http;
mod record;
mod resource;

pub use resource::resource;

use std::io;
use std::time::Duration;

use opentelemetry_proto::tonic::collector::logs::v1::{ExportLogsServiceRequest, ExportLogsServiceResponse};
use tokio::runtime::Runtime;

use super::http::LONGEST_PAUSE;
use super::output::{Failure, Output, Remedy};
use super::{Batch, runtime};
use grpc::Grpc;
use http::Http;
use record::Records;
pub(super) use record::mark;
use tuffet_config::OtlpProtocol;
use tuffet_config::sinks::OtlpTarget;

pub(super) struct OtlpOutput {
    name: String,
    batch: Batch,
    records: Records,
    protocol: Protocol,
    /// Started when there is something to deliver.
    runtime: Option<Runtime>,
    /// Whether a warning of the collector has been logged.
    warned: bool,
}

enum Protocol {
    Http(Http),
    Grpc(Box<Grpc>),
}

/// The result of an export request.
enum ExportResult {
    /// The collector accepted all or some of the lines.
    Taken(ExportLogsServiceResponse),
    /// The collector accepts nothing now, independently of the lines, or did not answer.
    Later { after: Option<Duration>, error: String },
    /// Fewer at once may be accepted.
    TooLarge(String),
    /// These lines are permanently refused.
    Never(String),
}

impl OtlpOutput {
    pub(super) fn open(name: &str, target: &OtlpTarget) -> io::Result<OtlpOutput> {
        Ok(OtlpOutput {
            name: name.to_owned(),
            batch: target.batch,
            records: Records::new(name, &target.resource),
            protocol: match target.protocol {
                OtlpProtocol::HttpProtobuf => Protocol::Http(Http::open(target)?),
                OtlpProtocol::Grpc => Protocol::Grpc(Box::new(Grpc::open(target)?)),
            },
            runtime: None,
            warned: false,
        })
    }

    fn export(&mut self, request: ExportLogsServiceRequest) -> io::Result<ExportResult> {
        let runtime = match &mut self.runtime {
            Some(runtime) => runtime,
            none => none.insert(runtime::start()?),
        };
        Ok(match &mut self.protocol {
            Protocol::Http(http) => runtime.block_on(http.export(&request)),
            Protocol::Grpc(grpc) => runtime.block_on(grpc.export(request)),
        })
    }

    /// Sends all lines, in halves if the collector reports that they are too large.
    fn send(&mut self, lines: &[String]) -> Result<(), Failure> {
        let request = self.records.request(lines);
        match self.export(request).map_err(|error| Failure::retry(0, error))? {
            ExportResult::Taken(answer) => self.taken(lines.len(), answer),
            ExportResult::Later { after, error } => {
                Err(Failure { done: 0, remedy: Remedy::Retry(after), error })
            }
            ExportResult::TooLarge(_) if lines.len() > 1 => {
                let (first, second) = lines.split_at(lines.len() / 2);
                self.send(first)?;
                self.send(second).map_err(|failure| Failure { done: failure.done + first.len(), ..failure })
            }
            ExportResult::TooLarge(error) | ExportResult::Never(error) => {
                Err(Failure { done: 0, remedy: Remedy::Drop(lines.len()), error })
            }
        }
    }

    /// Handles an accepted request. It is not repeated even if the collector refused some lines, because the answer
    /// does not name them.
    fn taken(&mut self, lines: usize, answer: ExportLogsServiceResponse) -> Result<(), Failure> {
        let Some(partial) = answer.partial_success else { return Ok(()) };
        let said = partial.error_message.chars().take(200).collect::<String>();
        let refused = usize::try_from(partial.rejected_log_records).unwrap_or(0).min(lines);
        if refused > 0 {
            let error = format!("the collector refused {refused} of {lines} records: {said}");
            return Err(Failure { done: lines - refused, remedy: Remedy::Drop(refused), error });
        }
        if !said.is_empty() && !std::mem::replace(&mut self.warned, true) {
            tracing::warn!(
                target: "tuffet::sinks::otlp",
                sink = self.name,
                said,
                "the collector accepts a sink's lines with a warning; further warnings are not logged"
            );
        }
        Ok(())
    }
}

impl Output for OtlpOutput {
    fn batch(&self) -> Batch {
        self.batch
    }

    fn longest_pause(&self) -> Duration {
        LONGEST_PAUSE
    }

    fn deliver(&mut self, lines: &[String]) -> Result<(), Failure> {
        self.send(lines)
    }
}

impl Drop for OtlpOutput {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
