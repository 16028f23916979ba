//! The limits that a reload may change, as the configuration sets them and the workers enforce them.

use crate::setting_names::SettingNames;
use std::time::Duration;

/// A rate with a burst.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PerSecond {
    /// At least 1.
    pub per_second: u32,
    /// Requests allowed at once after a pause, at least 1.
    pub burst: u32,
}

/// The limits of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Half-open transfers, at least 1.
    pub half_open: usize,
    /// The rate of admitted requests; `None` for no limit.
    pub per_second: Option<PerSecond>,
    /// Transfers of one client, at least 1.
    pub client_transfers: u32,
    /// Pending requests of one client, at least 1.
    pub client_pending: u32,
    /// The rate of admitted requests of one client; `None` for no limit.
    pub client_per_second: Option<PerSecond>,
    /// The prefix length of the IPv6 addresses that count as one client: 1 to 128.
    pub ipv6_prefix: u8,
    /// The rate of ERRORs to peers without a transfer; `None` for no limit.
    pub errors_per_second: Option<PerSecond>,
    /// Concurrent uploads to one name, at least 1.
    pub uploads_per_name: u32,
    /// The lowest rate of a transfer in bytes per second; 0 for none.
    pub least_rate: u64,
    /// The longest duration of a transfer; zero for no limit.
    pub max_duration: Duration,
    /// How messages name these limits.
    pub names: SettingNames,
}

impl Bounds {
    /// Returns bounds without any limit.
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
            names: SettingNames::default(),
        }
    }
}
