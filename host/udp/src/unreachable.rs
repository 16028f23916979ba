//! Closed ports, as ICMP reports them: the error queue of a socket (ip(7), IP_RECVERR).
//!
//! The kernel matches an ICMP error to a socket by the addresses and ports of the datagram that the error
//! quotes. It knows no peers of an unconnected socket, so we must check whether that datagram was sent. This
//! module checks the sender of the report; the caller checks the quoted datagram (RFC 5927 section 4.1 for
//! TCP).

use super::Socket;
use super::address::from_kernel;
use std::io;
use std::mem::{size_of, zeroed};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsRawFd;

/// The most reports read in a row.
const MAX_REPORTS: usize = 64;

/// Bytes of a quoted datagram that are examined: its opcode, its block number, and some more.
const MAX_QUOTED: usize = 64;

/// Room for the control messages of a report: the error with its sender's address, and packet information.
const CONTROL_BYTES: usize = 256;

/// ICMP (RFC 792) and ICMPv6 (RFC 4443): destination unreachable, port unreachable.
const PORT_UNREACHABLE: [(u8, u8, u8); 2] =
    [(libc::SO_EE_ORIGIN_ICMP, 3, 3), (libc::SO_EE_ORIGIN_ICMP6, 1, 4)];

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

/// Reports of closed ports, read from a socket with [`BindOptions::errors`](super::BindOptions::errors).
#[derive(Debug, Default)]
pub struct UnreachableBatch(Vec<Unreachable>);

impl UnreachableBatch {
    /// Reads the queued reports, at most 64; returns whether there may be more. Drops other errors than
    /// closed ports, and reports that do not come from the destination itself: routers and firewalls come and
    /// go, and anyone can forge their reports.
    pub fn fill(&mut self, socket: &Socket) -> bool {
        self.0.clear();
        for _ in 0..MAX_REPORTS {
            match read(socket) {
                Ok(report) => self.0.extend(report),
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

#[repr(C, align(8))]
struct Control([u8; CONTROL_BYTES]);

/// Reads the next report; `None` for an irrelevant one.
fn read(socket: &Socket) -> io::Result<Option<Unreachable>> {
    let mut quoted = [0; MAX_QUOTED];
    let mut control = Control([0; CONTROL_BYTES]);
    // SAFETY: all-zero bytes are valid for these C structures (null pointers, zero lengths).
    let (mut address, mut header): (libc::sockaddr_storage, libc::msghdr) = unsafe { (zeroed(), zeroed()) };
    let mut vector = libc::iovec { iov_base: quoted.as_mut_ptr().cast(), iov_len: MAX_QUOTED };
    header.msg_name = std::ptr::from_mut(&mut address).cast();
    header.msg_namelen = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
    header.msg_iov = &mut vector;
    header.msg_iovlen = 1;
    header.msg_control = control.0.as_mut_ptr().cast();
    header.msg_controllen = CONTROL_BYTES as _;
    // SAFETY: the header points at buffers of the given lengths, which live and stay in place through the call.
    let length =
        unsafe { libc::recvmsg(socket.as_raw_fd(), &mut header, libc::MSG_ERRQUEUE | libc::MSG_DONTWAIT) };
    if length < 0 {
        return Err(io::Error::last_os_error());
    }
    let peer = from_kernel(&address).filter(|peer| reporter(&header) == Some(peer.ip()));
    Ok(peer.map(|peer| Unreachable { peer, quoted, length: (length as usize).min(MAX_QUOTED) }))
}

/// The host that reported a closed port, if the message is such a report.
fn reporter(header: &libc::msghdr) -> Option<IpAddr> {
    // SAFETY: `header` was filled by a receive call; its control buffer is valid for msg_controllen.
    let mut control = unsafe { libc::CMSG_FIRSTHDR(header) };
    while !control.is_null() {
        // SAFETY: CMSG_FIRSTHDR and CMSG_NXTHDR return null or a whole header inside the buffer.
        let (level, kind, length) =
            unsafe { ((*control).cmsg_level, (*control).cmsg_type, (*control).cmsg_len as usize) };
        if matches!(
            (level, kind),
            (libc::IPPROTO_IP, libc::IP_RECVERR) | (libc::IPPROTO_IPV6, libc::IPV6_RECVERR)
        ) {
            // SAFETY: CMSG_LEN only computes.
            let least = unsafe { libc::CMSG_LEN(size_of::<libc::sock_extended_err>() as u32) } as usize;
            // SAFETY: as above; the data begins behind the header, within the control message.
            let data = unsafe { libc::CMSG_DATA(control) };
            let behind = length.checked_sub(least)?;
            // SAFETY: the message is long enough for the structure, which may be unaligned.
            let error = unsafe { data.cast::<libc::sock_extended_err>().read_unaligned() };
            if !PORT_UNREACHABLE.contains(&(error.ee_origin, error.ee_type, error.ee_code)) {
                return None;
            }
            // SAFETY: all-zero bytes are a valid sockaddr_storage.
            let mut offender: libc::sockaddr_storage = unsafe { zeroed() };
            let count = behind.min(size_of::<libc::sockaddr_storage>());
            // SAFETY: `count` bytes lie behind the structure within the message, and fit into `offender`.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    data.add(size_of::<libc::sock_extended_err>()),
                    std::ptr::from_mut(&mut offender).cast::<u8>(),
                    count,
                );
            }
            return from_kernel(&offender).map(|offender| offender.ip());
        }
        // SAFETY: `control` is a header of this message, as above.
        control = unsafe { libc::CMSG_NXTHDR(header, control) };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::{BindOptions, ReceiveBatch, SendBatch};
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
