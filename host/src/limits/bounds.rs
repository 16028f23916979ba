//! The limits that a reload may change while workers look at them.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, AtomicUsize};
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

/// [`Bounds`] as workers read them: each by itself, since none depends on another.
#[derive(Debug, Default)]
pub(super) struct Live {
    pub(super) half_open: AtomicUsize,
    pub(super) client_transfers: AtomicU32,
    pub(super) client_pending: AtomicU32,
    pub(super) ipv6_prefix: AtomicU8,
    pub(super) least_rate: AtomicU64,
    pub(super) max_duration_ms: AtomicU64,
}

impl Live {
    pub(super) fn replace(&self, bounds: &Bounds) {
        self.half_open.store(bounds.half_open, Relaxed);
        self.client_transfers.store(bounds.client_transfers, Relaxed);
        self.client_pending.store(bounds.client_pending, Relaxed);
        self.ipv6_prefix.store(bounds.ipv6_prefix, Relaxed);
        self.least_rate.store(bounds.least_rate, Relaxed);
        let ms = u64::try_from(bounds.max_duration.as_millis()).unwrap_or(u64::MAX);
        self.max_duration_ms.store(ms, Relaxed);
    }
}

#[cfg(test)]
impl Bounds {
    /// Nothing is bounded.
    pub(crate) fn none() -> Bounds {
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
