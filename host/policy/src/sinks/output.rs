//! The outputs of sinks, and their failures.

use std::fmt::Display;
use std::io;
use std::time::{Duration, Instant};

use super::file::FileOutput;
use super::http::HttpOutput;
use super::nats::NatsOutput;
use super::otlp::OtlpOutput;
use super::stdout::StdoutOutput;
use super::syslog::SyslogOutput;
use super::udp::UdpOutput;
use super::{Batch, SinkSpec, SinkTarget};

/// Lines that outputs without a batch of their own take at once. The wait is too short to be seen, and long
/// enough that a storm does not wake their threads for each line.
const LOCAL: Batch = Batch { lines: 1024, bytes: 1 << 20, wait: Duration::from_millis(5) };

/// A way out of the process. Everything in it may block.
pub(super) trait Output: Send {
    /// What it takes at once.
    fn batch(&self) -> Batch {
        LOCAL
    }

    /// The longest pause between two tries.
    fn longest_pause(&self) -> Duration {
        super::PAUSE
    }

    /// Delivers lines from the first on. After a failure it is called again with those that are left.
    fn deliver(&mut self, lines: &[String]) -> Result<(), Failure>;

    /// When it wants to be [tended](Output::tend) at the latest.
    fn due(&self) -> Option<Instant> {
        None
    }

    /// Does what is due, and all of it at the end.
    fn tend(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A failed delivery.
#[derive(Debug)]
pub(super) struct Failure {
    /// How many of the lines before it were.
    pub done: usize,
    /// What becomes of the others.
    pub then: Then,
    /// What is wrong. Holds no secret.
    pub error: String,
}

/// The fate of undelivered lines.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// They are tried again; not before so long, where the other end said so.
    Again(Option<Duration>),
    /// So many of them were refused for good.
    Drop(usize),
}

impl Failure {
    /// The lines from `done` on are tried again.
    pub fn again(done: usize, error: impl Display) -> Failure {
        Failure { done, then: Then::Again(None), error: error.to_string() }
    }
}

/// An error with what caused it, each said once.
#[cfg(any(feature = "nats", feature = "otlp"))]
pub(super) fn explain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

/// The error of an output that this build leaves out. The server checks its configuration earlier, and names the place.
#[cfg(any(not(feature = "nats"), not(feature = "otlp")))]
pub(super) fn left_out(feature: &str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, format!("this build leaves out the feature `{feature}`"))
}

/// Opens the file or the socket. What is far away is reached when there is something to deliver.
///
/// # Errors
/// The file cannot be opened, or the system has no socket or thread.
pub(super) fn open(spec: &SinkSpec) -> io::Result<Box<dyn Output>> {
    Ok(match &spec.target {
        SinkTarget::File(file) => Box::new(FileOutput::open(file)?),
        SinkTarget::Stdout => Box::new(StdoutOutput::default()),
        SinkTarget::Udp(address) => Box::new(UdpOutput::open(*address)?),
        SinkTarget::Syslog(syslog) => Box::new(SyslogOutput::new(syslog)),
        SinkTarget::Http(http) => Box::new(HttpOutput::open(http)?),
        SinkTarget::Nats(nats) => Box::new(NatsOutput::open(nats)?),
        SinkTarget::Otlp(otlp) => Box::new(OtlpOutput::open(&spec.name, otlp)?),
    })
}
