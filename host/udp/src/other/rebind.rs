//! Only Linux binds sockets to interfaces.

use super::options::bind_to_interface;
use super::socket::Socket;
use std::io;
use std::net::SocketAddr;

/// The interface that a machine has from its beginning.
pub const LOOPBACK: &str = "lo0";

/// # Errors
/// Always, on this system.
pub(super) fn prepare_parking(socket: &socket2::Socket, _: SocketAddr) -> io::Result<()> {
    bind_to_interface(socket, "")
}

impl Socket {
    /// Releases the loopback interface; no socket is bound to it.
    ///
    /// # Errors
    /// None, on this system.
    #[allow(clippy::unnecessary_wraps, clippy::unused_self)] // as on Linux
    pub fn leave_loopback(&self) -> io::Result<()> {
        Ok(())
    }

    /// Ends the parking of a socket; none can be parked.
    ///
    /// # Errors
    /// Those of setsockopt(2).
    pub fn settle(&self, _: bool) -> io::Result<()> {
        self.set_reusable(false)
    }

    /// Permits other sockets that are reusable to take the same port (SO_REUSEADDR).
    ///
    /// # Errors
    /// Those of setsockopt(2).
    pub fn set_reusable(&self, reusable: bool) -> io::Result<()> {
        self.inner().set_reuse_address(reusable)
    }

    /// Binds the socket to the interface that now has this name.
    ///
    /// # Errors
    /// Always, on this system.
    pub fn rebind(&self, interface: &str) -> io::Result<()> {
        bind_to_interface(self.inner(), interface)
    }

    /// Returns whether the socket is bound to this interface; none can be.
    #[allow(clippy::unused_self)] // as on Linux
    pub fn is_bound_to(&self, _: &str) -> bool {
        false
    }
}
