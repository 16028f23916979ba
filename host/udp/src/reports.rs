//! Reports of closed ports from the error queue of a socket.

use super::address::from_kernel;
use std::io;
use std::mem::{size_of, zeroed};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsRawFd;

/// Room for the control messages of a report: the error with its sender's address, and packet information.
const CONTROL_BYTES: usize = 256;

/// ICMP (RFC 792) and ICMPv6 (RFC 4443): destination unreachable, port unreachable.
const PORT_UNREACHABLE: [(u8, u8, u8); 2] =
    [(libc::SO_EE_ORIGIN_ICMP, 3, 3), (libc::SO_EE_ORIGIN_ICMP6, 1, 4)];

#[repr(C, align(8))]
struct Control([u8; CONTROL_BYTES]);

/// Reads the next report into `quoted`, and returns the destination of the quoted datagram with the number of bytes; `None`
/// for an irrelevant report.
pub(super) fn read(socket: &socket2::Socket, quoted: &mut [u8]) -> io::Result<Option<(SocketAddr, usize)>> {
    let mut control = Control([0; CONTROL_BYTES]);
    // SAFETY: all-zero bytes are valid for these C structures (null pointers, zero lengths).
    let (mut address, mut header): (libc::sockaddr_storage, libc::msghdr) = unsafe { (zeroed(), zeroed()) };
    let mut vector = libc::iovec { iov_base: quoted.as_mut_ptr().cast(), iov_len: quoted.len() };
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
    Ok(peer.map(|peer| (peer, (length as usize).min(quoted.len()))))
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
