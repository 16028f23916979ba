//! The client: `tuffet get` and `tuffet put`, on the same state machine as the server.

mod exchange;
mod get;
mod group;
mod put;
mod url;

pub use get::{GetOptions, get};
pub use put::{PutOptions, put};
pub use url::Url;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;
use tuffet_core::OptionSet;
use tuffet_terminal::{OTHER_OUTPUT, unwritten};

/// The options of a transfer, besides the file.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    /// Bytes in a block, 8 to 65464; `None` does not request the option.
    pub blksize: Option<u16>,
    /// Blocks in a window, 1 to 65535; `None` does not request the option.
    pub windowsize: Option<u16>,
    /// How long the server may be silent.
    pub patience: Duration,
    /// Whether a download may come from a multicast group (RFC 2090), and where its blocks arrive.
    pub multicast: Option<Interface>,
}

/// The interface that receives the blocks of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Interface {
    /// The one of the route to the server.
    OfRoute,
    /// The one with this address.
    Address(IpAddr),
    /// The one of this name.
    Name(String),
}

impl From<&str> for Interface {
    fn from(text: &str) -> Self {
        text.parse().map_or_else(|_| Interface::Name(text.to_owned()), Interface::Address)
    }
}

/// The result of a transfer.
#[derive(Debug, Clone, Copy)]
pub struct Report {
    /// Bytes as they appeared on the wire.
    pub bytes: u64,
    /// From the first request to the last packet.
    pub duration: Duration,
    /// The negotiated options.
    pub options: OptionSet,
    /// Packets or blocks sent more than once; as a member of a group, blocks received more than once.
    pub retransmissions: u32,
    /// The group that the blocks came from.
    pub group: Option<SocketAddr>,
}

/// The reason why a transfer failed. Each kind has its own exit code.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The server sent an ERROR. Exit code 1, or 2 for "file not found".
    #[error("{url}: the server says: {text} (ERROR {code})")]
    Server {
        /// The requested URL.
        url: String,
        /// The code (RFC 1350 section 5).
        code: u16,
        /// Its text, made printable.
        text: String,
    },
    /// The server is silent. Exit code 69.
    #[error(
        "{url}: no answer from {address} for {seconds} s; is a TFTP server there, and does a firewall let it answer from another port?"
    )]
    Silent {
        /// The requested URL.
        url: String,
        /// The address of the server.
        address: SocketAddr,
        /// The length of the silence in seconds.
        seconds: u64,
    },
    /// The server's host reported that no socket has the port. Exit code 69.
    #[error(
        "{url}: nothing listens on {address} (ICMP port unreachable); check that the server runs, that this is its port, and that no firewall rejects the request"
    )]
    Closed {
        /// The requested URL.
        url: String,
        /// The address that the request went to.
        address: SocketAddr,
    },
    /// The group is silent. Exit code 69.
    #[error(
        "{url}: no block of the group {group} has arrived for {seconds} s; do switches and firewalls let multicast through? Without --multicast the file comes by unicast"
    )]
    NoBlocks {
        /// The requested URL.
        url: String,
        /// The group.
        group: SocketAddr,
        /// The length of the silence in seconds.
        seconds: u64,
    },
    /// The group cannot be joined. Exit code 71.
    #[error("{url}: cannot join the group {group}: {error}")]
    Group {
        /// The requested URL.
        url: String,
        /// The group.
        group: SocketAddr,
        /// The system's error.
        error: io::Error,
    },
    /// The server broke the protocol. Exit code 76.
    #[error("{url}: the server's answer is refused: {text}")]
    Protocol {
        /// The requested URL.
        url: String,
        /// What is wrong.
        text: &'static str,
    },
    /// The host is unknown. Exit code 68.
    #[error("{host}: {error}; check the name")]
    Host {
        /// Its name.
        host: String,
        /// The resolver's error.
        error: io::Error,
    },
    /// The request does not fit into a packet. Exit code 64.
    #[error("{url}: the name is too long for a request")]
    Name {
        /// The requested URL.
        url: String,
    },
    /// The output cannot be written. Exit code 74.
    #[error("{}", unwritten(path, error, OTHER_OUTPUT))]
    Output {
        /// Its path.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// A local file failed. Exit code 74.
    #[error("{}: {error}", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The local network failed. Exit code 71.
    #[error("{url}: {error}")]
    Network {
        /// The requested URL.
        url: String,
        /// The system's error.
        error: io::Error,
    },
}

impl ClientError {
    /// Returns the exit code, from sysexits(3) where it has one.
    pub fn exit_code(&self) -> u8 {
        match self {
            ClientError::Server { code: 1, .. } => 2,
            ClientError::Server { .. } => 1,
            ClientError::Name { .. } => 64,
            ClientError::Host { .. } => 68,
            ClientError::Silent { .. } | ClientError::Closed { .. } | ClientError::NoBlocks { .. } => 69,
            ClientError::Network { .. } | ClientError::Group { .. } => 71,
            ClientError::File { .. } | ClientError::Output { .. } => 74,
            ClientError::Protocol { .. } => 76,
        }
    }
}
