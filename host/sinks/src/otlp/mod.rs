//! Sends lines as log records to an OpenTelemetry collector.
//!
//! Retries follow the OTLP specification, with one exception: if the collector rejects the credentials or the path,
//! the lines wait for an operator, as those of `http` do.

mod collector;
mod exchange;
mod grpc;
mod http;
mod record;
mod resource;
mod tls;

pub use collector::Collector;
pub use exchange::{Accepted, Destination, Refusal, Retry, Signal};
pub use resource::{message, resource};
pub use tls::Tls;

use super::http::LONGEST_PAUSE;
use super::output::{Failure, Output, Remedy};
use super::{Batch, runtime};
use prost::Message;
use record::Records;
pub(super) use record::mark;
use std::io;
use std::time::Duration;
use tokio::runtime::Runtime;
use tuffet_config::OtlpProtocol;
use tuffet_config::sinks::OtlpTarget;

pub(super) struct OtlpOutput {
    name: String,
    batch: Batch,
    records: Records,
    collector: Collector,
    /// Started when there is something to deliver.
    runtime: Option<Runtime>,
    /// Whether a warning of the collector has been logged.
    warned: bool,
}

impl OtlpOutput {
    pub(super) fn open(name: &str, target: &OtlpTarget) -> io::Result<OtlpOutput> {
        let destination = Destination {
            endpoint: match target.protocol {
                OtlpProtocol::HttpProtobuf => format!("{}/v1/logs", target.endpoint.trim_end_matches('/')),
                OtlpProtocol::Grpc => target.endpoint.clone(),
            },
            protocol: target.protocol,
            headers: target.headers.clone(),
            timeout: target.timeout,
            tls: Tls::default(),
        };
        Ok(OtlpOutput {
            name: name.to_owned(),
            batch: target.batch,
            records: Records::new(name, &target.resource),
            collector: Collector::open(&destination, Signal::Logs)?,
            runtime: None,
            warned: false,
        })
    }

    /// Sends all lines, in halves if the collector reports that they are too large.
    fn send(&mut self, lines: &[String]) -> Result<(), Failure> {
        let request = self.records.request(lines).encode_to_vec().into();
        let runtime = match &mut self.runtime {
            Some(runtime) => runtime,
            none => none.insert(runtime::start().map_err(|error| Failure::retry(0, error))?),
        };
        let Refusal { remedy, error } = match runtime.block_on(self.collector.export(request)) {
            Ok(accepted) => return self.accepted(lines.len(), accepted),
            Err(refusal) => refusal,
        };
        match remedy {
            Retry::After(pause) => Err(Failure { done: 0, remedy: Remedy::Retry(pause), error }),
            // The lines wait for the operator, as those of `http` do.
            Retry::WhenMended => Err(Failure { done: 0, remedy: Remedy::Retry(None), error }),
            Retry::Smaller if lines.len() > 1 => {
                let (first, second) = lines.split_at(lines.len() / 2);
                self.send(first)?;
                self.send(second).map_err(|failure| Failure { done: failure.done + first.len(), ..failure })
            }
            Retry::Smaller | Retry::Never => {
                Err(Failure { done: 0, remedy: Remedy::Drop(lines.len()), error })
            }
        }
    }

    /// Handles an accepted request.
    fn accepted(&mut self, lines: usize, accepted: Accepted) -> Result<(), Failure> {
        let Accepted { refused, message } = accepted;
        let refused = usize::try_from(refused).unwrap_or(lines).min(lines);
        if refused > 0 {
            let error = format!("the collector refused {refused} of {lines} records: {message}");
            return Err(Failure { done: lines - refused, remedy: Remedy::Drop(refused), error });
        }
        if !message.is_empty() && !std::mem::replace(&mut self.warned, true) {
            tracing::warn!(
                target: "tuffet::sinks::otlp",
                sink = self.name,
                said = message,
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
