//! Sends lines as log records to an OpenTelemetry collector.
//!
//! Retries follow the specification of OTLP, with one exception: if the collector rejects the credentials or
//! the path, nothing is wrong with the lines, and they wait for an operator, as those of `http` do.

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
use super::output::{Failure, Output, Then};
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

/// The collector's answer to a request.
enum Answer {
    /// It accepted all or some of the lines.
    Taken(ExportLogsServiceResponse),
    /// It accepts nothing now, independently of the lines; or there was no answer.
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

    fn ask(&mut self, request: ExportLogsServiceRequest) -> io::Result<Answer> {
        let runtime = match &mut self.runtime {
            Some(runtime) => runtime,
            none => none.insert(runtime::start()?),
        };
        Ok(match &mut self.protocol {
            Protocol::Http(http) => runtime.block_on(http.ask(&request)),
            Protocol::Grpc(grpc) => runtime.block_on(grpc.ask(request)),
        })
    }

    /// Sends all lines, in parts if the collector says that they are too many at once.
    fn send(&mut self, lines: &[String]) -> Result<(), Failure> {
        let request = self.records.request(lines);
        match self.ask(request).map_err(|error| Failure::again(0, error))? {
            Answer::Taken(answer) => self.taken(lines.len(), answer),
            Answer::Later { after, error } => Err(Failure { done: 0, then: Then::Again(after), error }),
            Answer::TooLarge(_) if lines.len() > 1 => {
                let (first, second) = lines.split_at(lines.len() / 2);
                self.send(first)?;
                self.send(second).map_err(|failure| Failure { done: failure.done + first.len(), ..failure })
            }
            Answer::TooLarge(error) | Answer::Never(error) => {
                Err(Failure { done: 0, then: Then::Drop(lines.len()), error })
            }
        }
    }

    /// Handles an accepted request. It is not repeated, even if the collector refused some lines: it does not
    /// say which.
    fn taken(&mut self, lines: usize, answer: ExportLogsServiceResponse) -> Result<(), Failure> {
        let Some(partial) = answer.partial_success else { return Ok(()) };
        let said = partial.error_message.chars().take(200).collect::<String>();
        let refused = usize::try_from(partial.rejected_log_records).unwrap_or(0).min(lines);
        if refused > 0 {
            let error = format!("the collector refused {refused} of {lines} records: {said}");
            return Err(Failure { done: lines - refused, then: Then::Drop(refused), error });
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
