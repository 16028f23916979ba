//! What a transfer reports while it runs, and at its end.

use std::net::SocketAddr;
use std::time::Duration;

/// How far a transfer is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Bytes on the wire that the receiving end has.
    pub bytes: u64,
    /// All of them, if the size is known.
    pub total: Option<u64>,
}

/// Gets the progress of a transfer.
#[cfg(feature = "tokio")]
pub(crate) type Listener<'a> = Box<dyn FnMut(Progress) + Send + 'a>;

/// A complete transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Bytes as they appeared on the wire: in the mode netascii, more than the file has.
    pub bytes: u64,
    /// From the request to the last packet.
    pub duration: Duration,
    /// The address that the server answered from.
    pub server: SocketAddr,
    /// Bytes in a block, as negotiated.
    pub blksize: u16,
    /// Blocks in a window, as negotiated.
    pub windowsize: u16,
    /// Packets or blocks sent more than once; as a member of a group, blocks received more than once.
    pub retransmissions: u32,
    /// The multicast group that the blocks came from.
    pub group: Option<SocketAddr>,
}
