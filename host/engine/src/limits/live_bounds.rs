//! The limits that a reload may change while workers read them.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, AtomicUsize};
use tuffet_request::Bounds;

/// [`Bounds`] as atomics: workers read each value on its own, since none depends on another.
#[derive(Debug, Default)]
pub(super) struct LiveBounds {
    pub(super) half_open: AtomicUsize,
    pub(super) client_transfers: AtomicU32,
    pub(super) client_pending: AtomicU32,
    pub(super) ipv6_prefix: AtomicU8,
    pub(super) least_rate: AtomicU64,
    pub(super) max_duration_ms: AtomicU64,
}

impl LiveBounds {
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
