//! Closed ports, as ICMP reports them: the error queue of a socket (ip(7), IP_RECVERR).
//!
//! The kernel matches an ICMP error to a socket by the addresses and ports of the datagram that the error
//! quotes. It knows no peers of an unconnected socket, so we must check whether that datagram was sent. [`reports`]
//! checks the sender of the report; the caller checks the quoted datagram (RFC 5927 section 4.1 for TCP).

use super::{options, reports};
use socket2::SockRef;
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd;

/// The most reports read in a row.
const MAX_REPORTS: usize = 64;

/// Bytes of a quoted datagram that are examined: its opcode, its block number, and some more.
const MAX_QUOTED: usize = 64;

/// A datagram from here that was sent to a closed port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreachable {
    /// The destination of the datagram. The report came from that address.
    pub peer: SocketAddr,
    quoted: [u8; MAX_QUOTED],
    length: usize,
}

impl Unreachable {
    /// The beginning of the datagram, as far as the report quotes it: at most 64 bytes. Old systems quote
    /// nothing.
    pub fn quoted(&self) -> &[u8] {
        &self.quoted[..self.length]
    }
}

/// Makes the kernel keep the ICMP errors of datagrams sent from this socket (IP_RECVERR), or discard them. While it keeps
/// them, each call may return one: see [`may_be_report`]. Without effect on systems other than Linux, which report
/// nothing to a socket without a peer.
pub fn report_closed_ports(socket: &impl AsFd, report: bool) {
    let socket = SockRef::from(socket);
    if let Some(local) = socket.local_addr().ok().and_then(|local| local.as_socket()) {
        options::report_errors(&socket, local, report);
    }
}

/// Whether a call may have failed only because of the ICMP error of an earlier datagram.
pub fn may_be_report(error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|code| options::ICMP_ERRORS.contains(&code))
}

/// Reports of closed ports, read from a socket with [`BindOptions::errors`](super::BindOptions::errors) or after
/// [`report_closed_ports`].
#[derive(Debug, Default)]
pub struct UnreachableBatch(Vec<Unreachable>);

impl UnreachableBatch {
    /// Reads the queued reports, at most 64; returns whether there may be more. Drops other errors than
    /// closed ports, and reports that do not come from the destination itself: routers and firewalls come and
    /// go, and anyone can forge their reports.
    pub fn fill(&mut self, socket: &impl AsFd) -> bool {
        let socket = SockRef::from(socket);
        self.0.clear();
        for _ in 0..MAX_REPORTS {
            let mut quoted = [0; MAX_QUOTED];
            match reports::read(&socket, &mut quoted) {
                Ok(report) => {
                    self.0.extend(report.map(|(peer, length)| Unreachable { peer, quoted, length }));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return false,
            }
        }
        true
    }

    /// The reports of the last call, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Unreachable> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BindOptions, ReceiveBatch, SendBatch, Socket};
    use super::*;
    use std::net::UdpSocket;

    fn wait_for_error(socket: &Socket) {
        let mut ready = [rustix::event::PollFd::new(socket, rustix::event::PollFlags::ERR)];
        let patience = rustix::event::Timespec { tv_sec: 5, tv_nsec: 0 };
        assert_eq!(rustix::event::poll(&mut ready, Some(&patience)), Ok(1), "an error is reported");
    }

    fn send(batch: &mut SendBatch, socket: &Socket, peer: SocketAddr, bytes: &[u8]) -> u32 {
        batch.room(bytes.len()).unwrap().copy_from_slice(bytes);
        batch.push(peer, None, bytes.len(), bytes.len());
        batch.flush(socket).lost
    }

    #[test]
    fn a_closed_port_is_reported_with_the_datagram_sent_to_it() {
        for loopback in ["127.0.0.1:0", "[::1]:0"] {
            let loopback: SocketAddr = loopback.parse().unwrap();
            let Ok(open) = UdpSocket::bind(loopback) else { continue };
            let closed = UdpSocket::bind(loopback).unwrap().local_addr().unwrap();
            let options = BindOptions { errors: true, tell_local: true, ..BindOptions::default() };
            let socket = Socket::bind(loopback, options).unwrap();
            let (mut batch, mut reports) = (SendBatch::new(), UnreachableBatch::default());
            assert_eq!(send(&mut batch, &socket, closed, b"\0\x03\0\x07content"), 0);
            wait_for_error(&socket);
            // The next sending call returns the error; its datagram is sent all the same.
            let to = open.local_addr().unwrap();
            assert_eq!(send(&mut batch, &socket, to, b"to another"), 0);
            let mut room = [0; 20];
            assert_eq!(open.recv(&mut room).unwrap(), 10, "{loopback}");
            assert!(!reports.fill(&socket));
            let errors: Vec<_> = reports.iter().map(|it| (it.peer, it.quoted().to_vec())).collect();
            assert_eq!(errors, [(closed, b"\0\x03\0\x07content".to_vec())]);
            assert!(!reports.fill(&socket) && reports.iter().next().is_none());
            assert!(!ReceiveBatch::new().fill(&socket).unwrap());
        }
    }
}
