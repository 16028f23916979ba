//! What clients of a world ask for, and what they get.

use crate::ClientError;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;
use tuffet::Outcome;

/// The address of clients that have no other.
const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

/// How long the server may be silent.
const PATIENCE: Duration = Duration::from_secs(65);

/// How long a client stays to repeat its last ACK.
const DALLY: Duration = Duration::from_secs(5);

/// The options that a client requests. By default none, as in RFC 1350.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Bytes in a block, 8 to 65464 (RFC 2348).
    pub blksize: Option<u16>,
    /// Blocks in a window, 1 to 65535 (RFC 7440).
    pub windowsize: Option<u16>,
    /// Seconds before a retransmission, 1 to 255 (RFC 2349).
    pub timeout: Option<u8>,
    /// Whether the size of the file is announced or requested (RFC 2349).
    pub tsize: bool,
}

impl Options {
    /// Blocks of this many bytes, windows of this many blocks, and the size of the file.
    pub fn windows(blksize: u16, windowsize: u16) -> Options {
        Options { blksize: Some(blksize), windowsize: Some(windowsize), timeout: None, tsize: true }
    }

    pub(super) fn of_exchange(self) -> tuffet_client::Options {
        let Options { blksize, windowsize, timeout, tsize } = self;
        let mut options = tuffet_client::Options::none();
        (options.blksize, options.windowsize) = (blksize, windowsize);
        (options.timeout, options.tsize) = (timeout, tsize);
        (options.patience, options.dally) = (PATIENCE, DALLY);
        options
    }
}

/// A request that a client of a world makes.
#[derive(Debug, Clone)]
pub struct Request {
    pub(super) name: String,
    /// The content of an upload.
    pub(super) upload: Option<Arc<[u8]>>,
    pub(super) options: Options,
    pub(super) client: IpAddr,
    pub(super) listener: Option<String>,
}

impl Request {
    /// A read request.
    pub fn get(name: &str) -> Request {
        let (name, options) = (name.to_owned(), Options::default());
        Request { name, upload: None, options, client: CLIENT, listener: None }
    }

    /// A write request with this content.
    pub fn put(name: &str, content: impl Into<Arc<[u8]>>) -> Request {
        Request { upload: Some(content.into()), ..Request::get(name) }
    }

    /// Its options. Default: none.
    #[must_use]
    pub fn options(self, options: Options) -> Request {
        Request { options, ..self }
    }

    /// The address of the client, which gets a port of its own for each request. Default: 192.0.2.1.
    #[must_use]
    pub fn client(self, client: IpAddr) -> Request {
        Request { client, ..self }
    }

    /// The name of the listener that it is sent to. Default: the first one.
    #[must_use]
    pub fn listener(self, name: &str) -> Request {
        Request { listener: Some(name.to_owned()), ..self }
    }
}

/// A transfer of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransferId(pub(super) usize);

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The requested name.
    pub name: String,
    /// How it ended to the client.
    pub result: Result<(), ClientError>,
    /// The bytes that the client received; of a failed read those before the failure.
    pub bytes: Vec<u8>,
    /// The outcome that the server reported; `None` if no request reached it. If a request was doubled, the better one.
    pub outcome: Option<Outcome>,
    /// The reason of that outcome, as the log has it.
    pub detail: Option<String>,
    /// The datagrams that the client sent.
    pub to_server: u64,
    /// The datagrams that the server sent to this client, including those that were lost.
    pub to_client: u64,
    /// The virtual time from the request to the end at the client.
    pub took: Duration,
}
