//! Sends the data of one signal to its collector, and tells the operator when that begins and ends to fail.

use bytes::Bytes;
use opentelemetry_proto::tonic::common::v1::InstrumentationScope;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tuffet_server::watch::ExportCounts;
use tuffet_sinks::otlp::{Accepted, Collector, Destination, Refusal, Retry, Signal};

/// Sends encoded requests; blocks, for a bounded time.
pub(super) trait Transport: Send {
    /// # Errors
    /// The message for the operator.
    fn send(&mut self, request: Vec<u8>) -> Result<Accepted, String>;

    /// Returns the URL of the collector, for the log.
    fn endpoint(&self) -> &str;
}

/// The first pause before a request is sent again; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// A collector, and the runtime that keeps its connection.
struct Connected {
    collector: Collector,
    runtime: Handle,
    /// The time for a request and its retries.
    timeout: Duration,
}

impl Transport for Connected {
    fn send(&mut self, request: Vec<u8>) -> Result<Accepted, String> {
        let (request, until) = (Bytes::from(request), Instant::now() + self.timeout);
        let mut pause = FIRST_PAUSE;
        loop {
            let Refusal { remedy, error } =
                match self.runtime.block_on(self.collector.export(request.clone())) {
                    Ok(accepted) => return Ok(accepted),
                    Err(refusal) => refusal,
                };
            let Retry::After(asked) = remedy else { return Err(error) };
            // Many servers may have lost the same collector.
            let wait = asked.unwrap_or(pause).mul_f64(fastrand::f64().mul_add(0.2, 1.0));
            if wait >= until.saturating_duration_since(Instant::now()) {
                return Err(error);
            }
            thread::sleep(wait);
            pause *= 2;
        }
    }

    fn endpoint(&self) -> &str {
        self.collector.endpoint()
    }
}

/// Sends the requests of one signal, and counts what it sends.
pub(super) struct Sender {
    pub(super) signal: Signal,
    to: Box<dyn Transport>,
    counts: Arc<ExportCounts>,
    is_broken: bool,
}

impl Sender {
    /// Prepares a client. Must be called on the runtime that is to keep the connection.
    ///
    /// # Errors
    /// The message for the operator.
    pub(super) fn new(signal: Signal, destination: &Destination) -> Result<Sender, String> {
        let collector = Collector::open(destination, signal).map_err(|error| error.to_string())?;
        let (runtime, timeout) = (Handle::current(), destination.timeout);
        Ok(Sender::to(signal, Connected { collector, runtime, timeout }))
    }

    pub(super) fn to(signal: Signal, to: impl Transport + 'static) -> Sender {
        Sender { signal, to: Box::new(to), counts: Arc::default(), is_broken: false }
    }

    pub(super) fn counts(&self) -> Arc<ExportCounts> {
        Arc::clone(&self.counts)
    }

    /// Sends a request with this many items. Returns whether it was accepted.
    pub(super) fn send(&mut self, items: u64, request: Vec<u8>) -> bool {
        let (signal, sent) = (self.signal.as_str(), self.to.send(request));
        let endpoint = self.to.endpoint();
        let refused = sent.as_ref().map_or(items, |accepted| accepted.refused.min(items));
        self.counts.exported.fetch_add(items - refused, Relaxed);
        self.counts.dropped.fetch_add(refused, Relaxed);
        let is_accepted = sent.is_ok();
        let error = match sent {
            Ok(accepted) if accepted.refused > 0 => {
                format!("it refused {refused} of {items}: {}", accepted.message)
            }
            Ok(_) => {
                if std::mem::take(&mut self.is_broken) {
                    tracing::info!(target: "tuffet::telemetry", signal, endpoint, "the collector works again");
                }
                return true;
            }
            Err(error) => error,
        };
        self.counts.failures.fetch_add(1, Relaxed);
        if !std::mem::replace(&mut self.is_broken, true) {
            tracing::warn!(
                target: "tuffet::telemetry", signal, endpoint, error,
                "the collector does not accept data; it is dropped and counted until it does"
            );
        }
        is_accepted
    }
}

/// The scope of spans, metrics and log records.
pub(super) fn scope(name: &str) -> InstrumentationScope {
    InstrumentationScope {
        name: name.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..InstrumentationScope::default()
    }
}
