//! The system calls of a shape's server: through Tuffet's own module, or through a crate that could replace it.

mod nix;
mod own;
mod quinn_udp;
mod rustix;

use crate::limit::server::Server;
use crate::limit::shape::Send;
use clap::ValueEnum;
use std::fmt;
use std::io;

/// The crate that makes the system calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum UdpCrate {
    /// `tuffet_udp`: recvmmsg, sendmmsg across peers, UDP_SEGMENT for each message.
    Own,
    /// recvmmsg, a sendmsg with UDP_SEGMENT for each window.
    QuinnUdp,
    /// recvmmsg and sendmmsg; control messages, and so UDP_SEGMENT, are the same for all messages of a call.
    Nix,
    /// recvfrom and sendto for each datagram; no UDP_SEGMENT.
    Rustix,
}

impl UdpCrate {
    /// Whether it can send this way.
    pub(crate) fn can(self, send: Send) -> bool {
        match (self, send) {
            (UdpCrate::Rustix, Send::Gso) | (UdpCrate::QuinnUdp, Send::Plain) => false,
            (_, Send::File) => self == UdpCrate::Own,
            (UdpCrate::Own | UdpCrate::QuinnUdp | UdpCrate::Nix, _) | (UdpCrate::Rustix, Send::Plain) => true,
        }
    }

    /// Answers requests until the server must stop.
    pub(crate) fn serve(self, server: &Server<'_>) -> io::Result<()> {
        match self {
            UdpCrate::Own => own::serve(server),
            UdpCrate::QuinnUdp => quinn_udp::serve(server),
            UdpCrate::Nix => nix::serve(server),
            UdpCrate::Rustix => rustix::serve(server),
        }
    }
}

impl fmt::Display for UdpCrate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UdpCrate::Own => "own",
            UdpCrate::QuinnUdp => "quinn-udp",
            UdpCrate::Nix => "nix",
            UdpCrate::Rustix => "rustix",
        })
    }
}
