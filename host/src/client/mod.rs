//! The client: `tuffet get` and `tuffet put`, on the same state machine as the server.

mod exchange;
mod get;
mod put;
mod url;

pub use get::{GetOptions, get};
pub use put::{PutOptions, put};
pub use url::Url;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use tuffet_core::OptionSet;

/// The options of a transfer, besides the file.
#[derive(Debug, Clone, Copy)]
pub struct ClientOptions {
    /// Bytes in a block, 8 to 65464; `None` does not request the option.
    pub blksize: Option<u16>,
    /// Blocks in a window, 1 to 65535; `None` does not request the option.
    pub windowsize: Option<u16>,
    /// How long the server may be silent.
    pub patience: Duration,
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
    /// Packets or blocks sent more than once.
    pub retransmissions: u32,
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
            ClientError::Silent { .. } => 69,
            ClientError::Network { .. } => 71,
            ClientError::File { .. } => 74,
            ClientError::Protocol { .. } => 76,
        }
    }
}
