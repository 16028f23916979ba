//! What the server of a shape makes its system calls through: Tuffet's own module, or a crate that could
//! take its place.

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
pub(crate) enum Through {
    /// `tuffet_udp`: recvmmsg, sendmmsg across peers, UDP_SEGMENT for each message.
    Own,
    /// recvmmsg, a sendmsg with UDP_SEGMENT for each window.
    QuinnUdp,
    /// recvmmsg and sendmmsg; control messages, and so UDP_SEGMENT, are the same for all messages of a call.
    Nix,
    /// recvfrom and sendto for each datagram; no UDP_SEGMENT.
    Rustix,
}

impl Through {
    /// Whether it can send so.
    pub(crate) fn can(self, send: Send) -> bool {
        match (self, send) {
            (Through::Rustix, Send::Gso) | (Through::QuinnUdp, Send::Plain) => false,
            (_, Send::File) => self == Through::Own,
            (Through::Own | Through::QuinnUdp | Through::Nix, _) | (Through::Rustix, Send::Plain) => true,
        }
    }

    /// Answers until the server is told to stop.
    pub(crate) fn serve(self, server: &Server<'_>) -> io::Result<()> {
        match self {
            Through::Own => own::serve(server),
            Through::QuinnUdp => quinn_udp::serve(server),
            Through::Nix => nix::serve(server),
            Through::Rustix => rustix::serve(server),
        }
    }
}

impl fmt::Display for Through {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Through::Own => "own",
            Through::QuinnUdp => "quinn-udp",
            Through::Nix => "nix",
            Through::Rustix => "rustix",
        })
    }
}
