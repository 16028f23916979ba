//! Systems other than Linux report no closed ports to a socket without a peer.

use std::io;
use std::net::SocketAddr;

/// # Errors
/// Always: there are no reports.
pub(super) fn read(_: &socket2::Socket, _: &mut [u8]) -> io::Result<Option<(SocketAddr, usize)>> {
    Err(io::ErrorKind::Unsupported.into())
}
