//! Only Linux binds sockets to interfaces.

use super::options::bind_to_interface;
use super::socket::Socket;
use std::io;

impl Socket {
    /// Binds the socket to the interface that now has this name.
    ///
    /// # Errors
    /// Always, on this system.
    pub fn rebind(&self, interface: &str) -> io::Result<()> {
        bind_to_interface(self.inner(), interface)
    }
}
