//! Sends lines as datagrams.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use super::output::{Failure, Output};

pub(super) struct UdpOutput(UdpSocket);

impl UdpOutput {
    pub(super) fn open(address: SocketAddr) -> io::Result<UdpOutput> {
        let any: SocketAddr = match address {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        let socket = UdpSocket::bind(any)?;
        socket.connect(address)?;
        Ok(UdpOutput(socket))
    }
}

/// Sends a datagram over a connected socket. A missing receiver is not an error: UDP reports it too late.
pub(super) fn send(socket: &UdpSocket, message: &[u8]) -> io::Result<()> {
    match socket.send(message) {
        // The error belongs to an earlier datagram; this one was not sent.
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => match socket.send(message) {
            Err(error) if error.kind() != io::ErrorKind::ConnectionRefused => Err(error),
            _ => Ok(()),
        },
        sent => sent.map(drop),
    }
}

impl Output for UdpOutput {
    fn deliver(&mut self, lines: &[String]) -> Result<(), Failure> {
        for (done, line) in lines.iter().enumerate() {
            send(&self.0, line.as_bytes()).map_err(|error| Failure::retry(done, error))?;
        }
        Ok(())
    }
}
