//! The interface to a service manager; the tests act as the manager.

mod notify;
mod restart;
mod sockets;
mod watchdog;

use crate::harness::SOON;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

/// The socket of a service manager, with an abstract name.
struct Manager {
    socket: UnixDatagram,
    name: String,
}

impl Manager {
    fn new() -> Manager {
        let name = format!("tuffet-it-{}-{}", std::process::id(), fastrand::u64(..));
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        Manager { socket: UnixDatagram::bind_addr(&address).unwrap(), name: format!("@{name}") }
    }

    /// Returns the next message, if one comes this soon.
    fn told_within(&self, patience: Duration) -> Option<String> {
        self.socket.set_read_timeout(Some(patience)).unwrap();
        let mut room = [0; 4096];
        let length = self.socket.recv(&mut room).ok()?;
        Some(String::from_utf8(room[..length].to_vec()).unwrap())
    }

    /// Returns the next message.
    #[track_caller]
    fn told(&self) -> String {
        self.told_within(SOON).unwrap_or_else(|| panic!("nothing was told"))
    }
}
