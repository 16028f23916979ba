//! Why a transfer failed.

use crate::url::UrlError;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Why a transfer failed: by the server, by silence, or by this side.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The server sent an ERROR.
    #[error("the server says: {} (ERROR {code})", shown(.text))]
    Refused {
        /// The code (RFC 1350 section 5): 1 for a missing file.
        code: u16,
        /// Its text without control characters, perhaps empty.
        text: String,
    },
    /// The server broke the protocol.
    #[error("the server's answer is refused: {0}")]
    Protocol(&'static str),
    /// The server is silent.
    #[error(
        "no answer from {server} for {} s; is a TFTP server there, and does a firewall let it answer from another port?",
        .after.as_secs()
    )]
    Silent {
        /// Its address.
        server: SocketAddr,
        /// The length of the silence.
        after: Duration,
    },
    /// The server's host reported that no socket has the port. Only Linux passes such reports on.
    #[error(
        "nothing listens on {server} (ICMP port unreachable); check that the server runs, that this is its port, and that no firewall rejects the request"
    )]
    Closed {
        /// The address that the request went to.
        server: SocketAddr,
    },
    /// The multicast group is silent.
    #[error(
        "no block of the group {group} has arrived for {} s; do switches and firewalls let multicast through?",
        .after.as_secs()
    )]
    NoBlocks {
        /// The group.
        group: SocketAddr,
        /// The length of the silence.
        after: Duration,
    },
    /// The multicast group cannot be joined.
    #[error("cannot join the group {group}: {error}")]
    Group {
        /// The group.
        group: SocketAddr,
        /// The system's error.
        error: io::Error,
    },
    /// The host has no address.
    #[error("{host}: {error}; check the name")]
    Host {
        /// Its name.
        host: String,
        /// The resolver's error.
        error: io::Error,
    },
    /// The text is no URL.
    #[error("{0}")]
    Url(#[from] UrlError),
    /// The name of the file is empty, has a NUL, or is too long for a request.
    #[error("the name is too long for a request")]
    Name,
    /// The file is larger than this program takes.
    #[error("the file has more than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// A local file failed.
    #[error("{}: {error}", .path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The reader or writer of the program failed.
    #[error("{0}")]
    Local(io::Error),
    /// The local network failed.
    #[error("{0}")]
    Network(io::Error),
    /// This side has ended the exchange: see [`Exchange::cancel`](crate::Exchange::cancel).
    #[error("cancelled")]
    Cancelled,
}

fn shown(text: &str) -> &str {
    if text.is_empty() { "(no text)" } else { text }
}

impl From<Infallible> for ClientError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
