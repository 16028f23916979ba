//! How many take something of a rate at present.

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

/// Clients and transfers count as active in the tenth of a second in which they take something, and in the next.
pub(super) const PERIOD: u64 = 100_000_000;

/// A period (32 bits), and how many took something in it and in the one before (16 bits each).
#[derive(Debug, Default)]
pub(super) struct Activity(AtomicU64);

impl Activity {
    /// Returns the number of active ones, as it was counted last.
    pub(super) fn latest(&self) -> u64 {
        let (_, these, before) = unpack(self.0.load(Relaxed));
        these.max(before).max(1).into()
    }

    /// Counts one that takes something now, and was last counted in the period `counted`. Returns the number of active
    /// ones.
    pub(super) fn count(&self, now: u64, counted: &mut Option<u32>) -> u64 {
        self.count_first(now, counted).0
    }

    /// As [`Activity::count`]; returns as well whether it is the first one in its period.
    pub(super) fn count_first(&self, now: u64, counted: &mut Option<u32>) -> (u64, bool) {
        let present = (now / PERIOD) as u32;
        let (mut period, mut these, mut before) = unpack(self.0.load(Relaxed));
        if *counted == Some(present) && period == present {
            return (these.max(before).max(1).into(), false);
        }
        let mut is_first = false;
        let next = |active: u64| {
            (period, these, before) = unpack(active);
            // Another thread may be a little further.
            if period < present {
                before = if period + 1 == present { these } else { 0 };
                (period, these) = (present, 0);
            }
            is_first = these == 0;
            if *counted != Some(period) {
                these = these.saturating_add(1);
            }
            Some(u64::from(period) << 32 | u64::from(these) << 16 | u64::from(before))
        };
        let _ = self.0.fetch_update(Relaxed, Relaxed, next);
        *counted = Some(period);
        (these.max(before).max(1).into(), is_first)
    }

    /// Returns the number of active ones now.
    pub(super) fn at(&self, now: u64) -> u64 {
        let present = (now / PERIOD) as u32;
        let (period, these, before) = unpack(self.0.load(Relaxed));
        let active = match present.saturating_sub(period) {
            0 => these.max(before),
            1 => these,
            _ => 0,
        };
        active.max(1).into()
    }
}

fn unpack(active: u64) -> (u32, u16, u16) {
    ((active >> 32) as u32, (active >> 16) as u16, active as u16)
}
