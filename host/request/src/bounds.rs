//! The limits that a reload may change: what the configuration says and workers keep to.

use std::time::Duration;

/// So many in a second, and so many at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PerSecond {
    /// At least 1.
    pub per_second: u32,
    /// What may come at once after a pause, at least 1.
    pub burst: u32,
}

/// How much may be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Transfers whose client has not answered yet, at least 1.
    pub half_open: usize,
    /// Requests that are admitted; `None` for as many as come.
    pub per_second: Option<PerSecond>,
    /// Transfers of one client, at least 1.
    pub client_transfers: u32,
    /// Requests of one client that wait for their decision, at least 1.
    pub client_pending: u32,
    /// Requests of one client that are admitted; `None` for as many as come.
    pub client_per_second: Option<PerSecond>,
    /// Leading bits of an IPv6 address that are one client: 1 to 128.
    pub ipv6_prefix: u8,
    /// ERRORs to who has no transfer; `None` for no limit.
    pub errors_per_second: Option<PerSecond>,
    /// Uploads to one name at once, at least 1.
    pub uploads_per_name: u32,
    /// Bytes that a transfer must move in a second; 0 for none.
    pub least_rate: u64,
    /// How long a transfer may take; zero for no limit.
    pub max_duration: Duration,
}

impl Bounds {
    /// Nothing is bounded.
    pub fn none() -> Bounds {
        Bounds {
            half_open: usize::MAX,
            per_second: None,
            client_transfers: u32::MAX,
            client_pending: u32::MAX,
            client_per_second: None,
            ipv6_prefix: 64,
            errors_per_second: None,
            uploads_per_name: u32::MAX,
            least_rate: 0,
            max_duration: Duration::ZERO,
        }
    }
}
