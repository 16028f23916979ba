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

/// Sends an encoded request once; blocks, for a bounded time.
pub(super) trait Transport: Send {
    /// # Errors
    /// As [`Collector::export`].
    fn send(&mut self, request: Bytes) -> Result<Accepted, Refusal>;

    /// Returns the URL of the collector, for the log.
    fn endpoint(&self) -> &str;
}

/// The first pause before a request is sent again; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// A collector, and the runtime that keeps its connection.
struct Connected {
    collector: Collector,
    runtime: Handle,
}

impl Transport for Connected {
    fn send(&mut self, request: Bytes) -> Result<Accepted, Refusal> {
        self.runtime.block_on(self.collector.export(request))
    }

    fn endpoint(&self) -> &str {
        self.collector.endpoint()
    }
}

/// Sends the requests of one signal, and counts what it sends.
pub(super) struct Sender {
    pub(super) signal: Signal,
    to: Box<dyn Transport>,
    /// The time for a request and its retries.
    timeout: Duration,
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
        let to = Connected { collector, runtime: Handle::current() };
        Ok(Sender::to(signal, to, destination.timeout))
    }

    pub(super) fn to(signal: Signal, to: impl Transport + 'static, timeout: Duration) -> Sender {
        Sender { signal, to: Box::new(to), timeout, counts: Arc::default(), is_broken: false }
    }

    pub(super) fn counts(&self) -> Arc<ExportCounts> {
        Arc::clone(&self.counts)
    }

    /// Sends a request with this many items. Returns whether it was accepted.
    pub(super) fn send(&mut self, items: u64, request: Vec<u8>) -> bool {
        let accepted = self.send_patiently(request.into());
        let refused = accepted.as_ref().map_or(items, |accepted| accepted.refused.min(items));
        self.counts.exported.fetch_add(items - refused, Relaxed);
        self.counts.dropped.fetch_add(refused, Relaxed);
        match &accepted {
            Some(Accepted { refused: 0, .. }) => self.say_that_it_works(),
            Some(Accepted { message, .. }) => {
                self.counts.failures.fetch_add(1, Relaxed);
                self.say_that_it_fails(&format!("it refused {refused} of {items}: {message}"));
            }
            None => {
                self.counts.failures.fetch_add(1, Relaxed);
            }
        }
        accepted.is_some()
    }

    /// Sends a request, and again while the collector may accept it later and there is time.
    fn send_patiently(&mut self, request: Bytes) -> Option<Accepted> {
        let until = Instant::now() + self.timeout;
        let mut pause = FIRST_PAUSE;
        loop {
            let Refusal { remedy, error } = match self.to.send(request.clone()) {
                Ok(accepted) => return Some(accepted),
                Err(refusal) => refusal,
            };
            self.say_that_it_fails(&error);
            let Retry::After(asked) = remedy else { return None };
            // Many servers may have lost the same collector. It may ask for any pause.
            let wait = asked.unwrap_or(pause).min(self.timeout).mul_f64(fastrand::f64().mul_add(0.2, 1.0));
            if wait >= until.saturating_duration_since(Instant::now()) {
                return None;
            }
            thread::sleep(wait);
            pause *= 2;
        }
    }

    /// Logs the first failure after a success.
    fn say_that_it_fails(&mut self, error: &str) {
        if !std::mem::replace(&mut self.is_broken, true) {
            tracing::warn!(
                target: "tuffet::telemetry",
                signal = self.signal.as_str(), endpoint = self.to.endpoint(), error,
                "the collector does not accept data; it is dropped and counted until it does"
            );
        }
    }

    /// Logs the first success after a failure.
    fn say_that_it_works(&mut self) {
        if std::mem::take(&mut self.is_broken) {
            tracing::info!(
                target: "tuffet::telemetry",
                signal = self.signal.as_str(), endpoint = self.to.endpoint(),
                "the collector works again"
            );
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    struct Patient;

    impl Transport for Patient {
        fn send(&mut self, _: Bytes) -> Result<Accepted, Refusal> {
            Err(Refusal { remedy: Retry::After(Some(Duration::MAX)), error: "503".into() })
        }

        fn endpoint(&self) -> &str {
            "test"
        }
    }

    #[test]
    fn a_collector_that_asks_for_an_endless_pause_is_not_waited_for() {
        let mut sender = Sender::to(Signal::Logs, Patient, Duration::from_secs(3600));
        assert!(!sender.send(7, Vec::new()));
        let counts = sender.counts();
        assert_eq!([&counts.dropped, &counts.failures].map(|count| count.load(Relaxed)), [7, 1]);
    }
}
