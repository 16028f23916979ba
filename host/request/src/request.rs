//! A request as every part of the control side sees it: admission, policy, store and outcome.

use crate::trail::Trail;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use crate::class::ClientClass;
pub use tuffet_core::{ErrorCode, Mode, Operation};

/// Names a request in log lines and to plugins; unique for the life of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestId(pub u64);

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A MAC address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MacAddress(pub [u8; 6]);

impl fmt::Display for MacAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

/// Where a MAC address was learnt, most trustworthy first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MacSource {
    /// The kernel's neighbour table (ARP, NDP).
    NeighbourTable,
    /// The file name that was asked for, such as `01-02-00-5e-10-00-01` or `SEP02005E100001.cnf.xml`.
    RequestedName,
}

impl MacSource {
    /// As plugins and logs name it.
    pub fn as_str(self) -> &'static str {
        match self {
            MacSource::NeighbourTable => "neighbour-table",
            MacSource::RequestedName => "requested-name",
        }
    }
}

/// A MAC address and where it was learnt: a hint, never a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MacFact {
    /// The address.
    pub address: MacAddress,
    /// Its source.
    pub source: MacSource,
}

/// A parsed and normalised request.
#[derive(Debug, Clone)]
pub struct Request {
    /// Its name in logs.
    pub id: RequestId,
    /// The name of the listener that was asked.
    pub listener: Arc<str>,
    /// Read or write.
    pub operation: Operation,
    /// Octet or netascii.
    pub mode: Mode,
    /// The name as sent (invalid UTF-8 replaced), for logs; never used as a path.
    pub requested: String,
    /// The normalised path below the virtual root: no leading slash, no `.` or `..`.
    pub path: String,
    /// Who asks; an IPv4-mapped IPv6 address is given as IPv4.
    pub client: SocketAddr,
    /// What is known of the client's MAC address, most trustworthy first.
    pub macs: Vec<MacFact>,
    /// What kind of client it seems to be: a hint.
    pub class: ClientClass,
    /// The options as sent, names in lower case.
    pub options: Vec<(String, String)>,
    /// Where steps are noted while traces are exported.
    pub trail: Option<Arc<Trail>>,
}

/// An ERROR to be: what the client is told, and what the log is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// The code of the ERROR packet.
    pub code: ErrorCode,
    /// Sent to the client.
    pub message: String,
    /// Logged, never sent.
    pub reason: String,
}

/// Ceilings for one transfer, on top of the configured ones; `None` is no ceiling of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ceilings {
    /// Bytes in a block (8 to 65464).
    pub blksize: Option<u16>,
    /// Blocks in a window (1 to 65535).
    pub windowsize: Option<u16>,
    /// The largest file, in bytes.
    pub bytes: Option<u64>,
}
