//! The words of the interface: values that are text, since later servers may have more of them, and the names of enums.

use crate::{Mode, Operation};

/// How a request ended: values of `outcome`. Later servers may have more.
pub mod outcome {
    /// The client acknowledged the last block.
    pub const SERVED: &str = "served";
    /// The upload is on disk under its name.
    pub const STORED: &str = "stored";
    /// The client wanted the size only, or closed early as some boot loaders do.
    pub const PROBED: &str = "probed";
    /// The client ended it, broke the protocol, or asked for something else instead.
    pub const ABORTED: &str = "aborted";
    /// Policy, a root's rules or a limit said no.
    pub const DENIED: &str = "denied";
    /// There is no such file.
    pub const NOT_FOUND: &str = "not-found";
    /// The client fell silent.
    pub const TIMED_OUT: &str = "timed-out";
    /// The server could not do it.
    pub const FAILED: &str = "failed";
}

/// What was answered to a request: values of `decision`. Later servers may have more.
pub mod decision {
    /// Blocks could move.
    pub const GRANTED: &str = "granted";
    /// The client got an ERROR.
    pub const REFUSED: &str = "refused";
    /// The client got no answer.
    pub const DROPPED: &str = "dropped";
    /// It ended before it was decided.
    pub const UNDECIDED: &str = "undecided";
}

/// Where a MAC address was learnt: values of `source`. Later servers may have more.
pub mod mac_source {
    /// The kernel's neighbour table (ARP, NDP).
    pub const NEIGHBOUR_TABLE: &str = "neighbour-table";
    /// The leases of a DHCP server.
    pub const LEASE_FILE: &str = "lease-file";
    /// The name that was asked for.
    pub const REQUESTED_NAME: &str = "requested-name";
}

impl Operation {
    /// The name that `policy.wit` gives it.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Read => "read",
            Operation::Write => "write",
        }
    }
}

impl Mode {
    /// The name that `policy.wit` gives it.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Octet => "octet",
            Mode::Netascii => "netascii",
        }
    }
}
