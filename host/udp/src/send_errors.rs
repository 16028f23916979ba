//! The meaning of errors of sending calls.

use super::socket::Socket;
use super::unreachable::may_be_report;
use std::io;

/// How often in a row a call may fail because of ICMP errors of earlier datagrams: the kernel returns such an
/// error once, instead of a result, and has then sent nothing (ip(7), IP_RECVERR).
pub(super) const MAX_LATE_ERRORS: u32 = 3;

/// The errors with which kernels refuse UDP_SEGMENT: no checksum offload (EIO), segments beyond the MTU
/// (EINVAL, EMSGSIZE), no such option (ENOPROTOOPT).
pub(super) fn refuses_segments(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EIO | libc::EINVAL | libc::EMSGSIZE | libc::ENOPROTOOPT))
}

/// Returns whether this may be the ICMP error of an earlier datagram.
pub(super) fn is_late(socket: &Socket, error: &io::Error) -> bool {
    socket.reports_errors() && may_be_report(error)
}
