//! Sends lines as syslog messages (RFC 5424): as datagrams over UDP or to a local socket, or over TCP with octet
//! counting (RFC 6587).

mod message;

use std::io::{self, Write as _};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, UdpSocket};
use std::os::unix::net::UnixDatagram;
use std::time::Duration;

use rustix::net::{RecvFlags, recv};
use tuffet_config::sinks::{SyslogAddress, SyslogTarget};

use super::http::LONGEST_PAUSE;
use super::output::{Failure, Output, Remedy};
use super::udp;
use message::Header;

pub(super) struct SyslogOutput {
    target: SyslogTarget,
    writer: MessageWriter,
    /// Opened for a delivery, and again after a failure.
    link: Option<Link>,
}

/// Makes messages of lines: those of a sink, or of the server's log.
struct MessageWriter {
    header: Header,
    write: fn(&Header, &mut String, &str),
}

impl MessageWriter {
    fn write(&self, message: &mut String, line: &str) {
        (self.write)(&self.header, message, line);
    }
}

enum Link {
    Udp(UdpSocket),
    Tcp(TcpStream),
    Unix(UnixDatagram),
}

impl SyslogOutput {
    /// Creates the output of a sink.
    pub(super) fn new(target: &SyslogTarget) -> SyslogOutput {
        SyslogOutput::with(target, Header::write)
    }

    /// Creates the output of the server's log.
    pub(super) fn of_log(target: &SyslogTarget) -> SyslogOutput {
        SyslogOutput::with(target, Header::write_logged)
    }

    fn with(target: &SyslogTarget, write: fn(&Header, &mut String, &str)) -> SyslogOutput {
        let writer = MessageWriter { header: Header::new(target), write };
        SyslogOutput { target: target.clone(), writer, link: None }
    }

    /// Connects again for the next delivery.
    pub(super) fn reopen(&mut self) {
        self.link = None;
    }

    fn send(&mut self, lines: &[String]) -> Result<(), Failure> {
        let link = match self.link.take() {
            Some(link) if link.is_open() => self.link.insert(link),
            _ => self.link.insert(Link::open(&self.target).map_err(|error| Failure::retry(0, error))?),
        };
        match link {
            Link::Tcp(stream) => send_stream(stream, &self.writer, lines),
            Link::Udp(socket) => send_datagrams(|message| udp::send(socket, message), &self.writer, lines),
            Link::Unix(socket) => {
                send_datagrams(|message| socket.send(message).map(drop), &self.writer, lines)
            }
        }
    }
}

impl Output for SyslogOutput {
    fn longest_pause(&self) -> Duration {
        match self.target.address {
            SyslogAddress::Udp(_) | SyslogAddress::Tcp(_) => LONGEST_PAUSE,
            SyslogAddress::Unix(_) => super::PAUSE,
        }
    }

    fn deliver(&mut self, lines: &[String]) -> Result<(), Failure> {
        let sent = self.send(lines);
        if matches!(&sent, Err(Failure { remedy: Remedy::Retry(_), .. })) {
            // A restarted local server has another socket, and it is unknown where a stream was cut.
            self.link = None;
        }
        sent.map_err(|failure| Failure {
            error: format!("{}: {}", self.target.address, failure.error),
            ..failure
        })
    }
}

impl Link {
    fn open(target: &SyslogTarget) -> io::Result<Link> {
        let timeout = Some(target.timeout);
        match &target.address {
            SyslogAddress::Udp(address) => {
                let any: SocketAddr = match address {
                    SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
                    SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
                };
                let socket = UdpSocket::bind(any)?;
                socket.connect(address)?;
                Ok(Link::Udp(socket))
            }
            SyslogAddress::Tcp(address) => {
                let stream = TcpStream::connect_timeout(address, target.timeout)?;
                stream.set_write_timeout(timeout)?;
                Ok(Link::Tcp(stream))
            }
            SyslogAddress::Unix(path) => {
                let socket = UnixDatagram::unbound()?;
                socket.connect(path)?;
                socket.set_write_timeout(timeout)?;
                Ok(Link::Unix(socket))
            }
        }
    }

    /// Whether the other end is open. Syslog has no answers, and messages written to a closed connection are lost.
    fn is_open(&self) -> bool {
        let Link::Tcp(stream) = self else { return true };
        let mut byte = [0; 1];
        match recv(stream, &mut byte, RecvFlags::PEEK | RecvFlags::DONTWAIT) {
            Ok((_, read)) => read > 0,
            Err(error) => error == rustix::io::Errno::AGAIN || error == rustix::io::Errno::INTR,
        }
    }
}

/// Sends a datagram for each line. A line too large for any datagram is dropped.
fn send_datagrams(
    send: impl Fn(&[u8]) -> io::Result<()>,
    writer: &MessageWriter,
    lines: &[String],
) -> Result<(), Failure> {
    let mut message = String::new();
    for (done, line) in lines.iter().enumerate() {
        message.clear();
        writer.write(&mut message, line);
        match send(message.as_bytes()) {
            Ok(()) => {}
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::MSGSIZE.raw_os_error()) => {
                let error = format!("a message of {} bytes: {error}", message.len());
                return Err(Failure { done, remedy: Remedy::Drop(1), error });
            }
            Err(error) => return Err(Failure::retry(done, error)),
        }
    }
    Ok(())
}

/// Sends all lines, each after its length in bytes. Completely written messages count as delivered.
fn send_stream(stream: &mut TcpStream, writer: &MessageWriter, lines: &[String]) -> Result<(), Failure> {
    let (mut bytes, mut message, mut ends) = (Vec::new(), String::new(), Vec::with_capacity(lines.len()));
    for line in lines {
        message.clear();
        writer.write(&mut message, line);
        bytes.extend_from_slice(format!("{} {message}", message.len()).as_bytes());
        ends.push(bytes.len());
    }
    let mut written = 0;
    while written < bytes.len() {
        match stream.write(&bytes[written..]) {
            Ok(0) => {
                return Err(Failure::retry(
                    complete_messages(&ends, written),
                    io::Error::from(io::ErrorKind::WriteZero),
                ));
            }
            Ok(count) => written += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Failure::retry(complete_messages(&ends, written), error)),
        }
    }
    Ok(())
}

/// Returns how many messages end within the first `written` bytes.
fn complete_messages(ends: &[usize], written: usize) -> usize {
    ends.iter().take_while(|end| **end <= written).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuffet_config::sinks::Facility;

    #[test]
    fn only_a_line_that_no_datagram_holds_is_dropped() {
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        let mut output = SyslogOutput::new(&SyslogTarget {
            address: SyslogAddress::Udp(receiver.local_addr().unwrap()),
            facility: Facility::Daemon,
            app_name: "tuffet".into(),
            timeout: Duration::from_secs(10),
        });
        let lines = ["small".to_owned(), "x".repeat(70_000), "after".to_owned()];
        let failure = output.deliver(&lines).unwrap_err();
        assert_eq!((failure.done, failure.remedy), (1, Remedy::Drop(1)));
        assert!(failure.error.starts_with("udp:127.0.0.1:"), "{}", failure.error);
        output.deliver(&lines[2..]).unwrap();
        let mut bytes = [0; 1024];
        for expected in ["] small", "] after"] {
            let length = receiver.recv(&mut bytes).unwrap();
            assert!(bytes[..length].ends_with(expected.as_bytes()));
        }
    }

    #[test]
    fn only_whole_messages_count() {
        assert_eq!([0, 4, 5, 9, 10].map(|written| complete_messages(&[5, 10], written)), [0, 0, 1, 1, 2]);
    }
}
