//! Opens outputs, by the kind of their target.

use std::io;

use super::file::FileOutput;
use super::http::HttpOutput;
use super::nats::NatsOutput;
use super::otlp::OtlpOutput;
use super::output::Output;
use super::stdout::StdoutOutput;
use super::syslog::SyslogOutput;
use super::udp::UdpOutput;
use super::{SinkSpec, SinkTarget};

/// Opens the file or the socket. Remote receivers are contacted with the first delivery.
///
/// # Errors
/// The file cannot be opened, or no socket or thread can be created.
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
