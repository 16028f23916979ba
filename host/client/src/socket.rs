//! The socket of a transfer.

use crate::error::ClientError;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use tokio::io::Interest;
use tokio::net::UdpSocket;
use tuffet_udp::{UnreachableBatch, may_be_report, report_closed_ports};

/// How often in a row a call may fail because of ICMP errors of earlier datagrams.
const MAX_REPORTS: u32 = 3;

/// The size of a receive buffer by default, which holds hardly more than half of it in blocks.
const USUAL_BUFFER: usize = 208 << 10;

#[derive(Debug)]
pub(crate) struct Socket {
    inner: UdpSocket,
    server: SocketAddr,
    /// Whether reports of closed ports are of no interest any more.
    is_answered: bool,
}

impl Socket {
    /// Opens a socket for a server. `window`: the bytes that it may send at once.
    pub(crate) fn open(server: SocketAddr, window: usize) -> Result<Socket, ClientError> {
        let any: IpAddr =
            if server.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
        let socket = std::net::UdpSocket::bind(SocketAddr::new(any, 0)).map_err(ClientError::Network)?;
        if 2 * window > USUAL_BUFFER {
            // A request: with less, more blocks are sent again.
            let _ = socket2::SockRef::from(&socket).set_recv_buffer_size(2 * window);
        }
        report_closed_ports(&socket, true);
        tuffet_udp::fragment(&socket);
        socket.set_nonblocking(true).map_err(ClientError::Network)?;
        let inner = UdpSocket::from_std(socket).map_err(ClientError::Network)?;
        Ok(Socket { inner, server, is_answered: false })
    }

    pub(crate) async fn send(&self, to: SocketAddr, datagram: &[u8]) -> Result<(), ClientError> {
        for _ in 0..=MAX_REPORTS {
            match self.inner.send_to(datagram, to).await {
                Err(error) if may_be_report(&error) => {}
                Err(error) if !is_loss(&error) => return Err(ClientError::Network(error)),
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// Sends from where nothing can be waited for. A datagram that cannot be sent counts as lost.
    pub(crate) fn send_now(&self, to: SocketAddr, datagram: &[u8]) {
        let _ = socket2::SockRef::from(&self.inner).send_to(datagram, &to.into());
    }

    /// Waits until there may be something to [`receive`](Socket::receive).
    ///
    /// # Errors
    /// Nothing listens on the port of the request, whose datagram this is.
    pub(crate) async fn ready(&self, request: &[u8]) -> Result<(), ClientError> {
        if self.is_answered {
            return self.inner.readable().await.map_err(ClientError::Network);
        }
        let ready = self.inner.ready(Interest::READABLE | Interest::ERROR).await;
        if ready.map_err(ClientError::Network)?.is_error() {
            let mut is_closed = false;
            // Reading the reports makes the socket unready for errors.
            let _ = self.inner.try_io(Interest::ERROR, || {
                is_closed = self.reports_closed(request);
                Err::<(), _>(ErrorKind::WouldBlock.into())
            });
            if is_closed {
                return Err(ClientError::Closed { server: self.server });
            }
        }
        Ok(())
    }

    /// Returns a datagram that has arrived.
    pub(crate) fn receive(&self, buffer: &mut [u8]) -> Result<Option<(usize, SocketAddr)>, ClientError> {
        receive(&self.inner, buffer)
    }

    /// Ignores reports of closed ports from now on: the server has answered.
    pub(crate) fn answered(&mut self) {
        if !std::mem::replace(&mut self.is_answered, true) {
            report_closed_ports(&self.inner, false);
        }
    }

    /// Whether the server's host has reported that nothing listens on the port of the request. Reports that do not quote
    /// the request are forged, or of another datagram.
    fn reports_closed(&self, request: &[u8]) -> bool {
        let mut reports = UnreachableBatch::default();
        reports.fill(&self.inner);
        reports.iter().any(|report| {
            let common = report.quoted().len().min(request.len());
            (report.peer.ip(), report.peer.port()) == (self.server.ip(), self.server.port())
                && report.quoted()[..common] == request[..common]
        })
    }
}

/// Returns a datagram that has arrived at a socket.
pub(crate) fn receive(
    socket: &UdpSocket,
    buffer: &mut [u8],
) -> Result<Option<(usize, SocketAddr)>, ClientError> {
    loop {
        match socket.try_recv_from(buffer) {
            Ok(received) => return Ok(Some(received)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
            Err(error) if error.kind() == ErrorKind::Interrupted || may_be_report(&error) => {}
            Err(error) => return Err(ClientError::Network(error)),
        }
    }
}

/// A full queue counts as loss on the path: the protocol recovers from it.
fn is_loss(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
        || error.raw_os_error() == Some(rustix::io::Errno::NOBUFS.raw_os_error())
}
