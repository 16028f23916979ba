//! The clients that share a rate, and when each of them has had its share.

use super::activity::Activity;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};
use std::collections::HashMap;
use std::sync::Arc;

/// How far the clock of a client may be ahead: what it has had beyond its share, of what others left, counts no longer
/// than this.
const DEBT: u64 = 50_000_000;

/// The clients with transfers, and those without that have had more than their share: else a client would begin anew
/// with each of its files.
#[derive(Debug, Default)]
pub(super) struct Clients {
    by_key: HashMap<u128, Arc<Client>>,
    /// The number of those with transfers.
    pub(super) present: usize,
    /// The number of entries at which those that owe nothing any more are removed.
    limit: usize,
}

/// A client whose transfers share a rate with those of others.
#[derive(Debug, Default)]
pub(super) struct Client {
    /// Its transfers that take something.
    pub(super) active: Activity,
    /// All of its transfers. Changed by [`Clients`].
    members: AtomicU32,
    /// Those that wait.
    pub(super) waiting: AtomicU32,
    /// When it has had its share of what it took; 0 before the first time.
    pub(super) due: AtomicU64,
    /// Bytes in the reservations of its transfers.
    pub(super) reserved: AtomicU64,
}

impl Clients {
    /// Returns how many shares there are of this size: that of one more transfer of this client.
    pub(super) fn shares(&self, client: u128) -> u32 {
        let members = self.by_key.get(&client).map_or(0, |its| its.members.load(Relaxed));
        let clients = self.present + usize::from(members == 0);
        u32::try_from(clients).unwrap_or(u32::MAX).saturating_mul(members.saturating_add(1))
    }

    /// Adds a transfer of this client. `passed`: up to when the rate has been used.
    pub(super) fn join(&mut self, client: u128, passed: u64) -> Arc<Client> {
        if self.by_key.len() >= self.limit {
            self.by_key.retain(|_, its| its.members.load(Relaxed) > 0 || its.owes(passed));
            self.limit = 64.max(2 * self.by_key.len());
        }
        let its = Arc::clone(self.by_key.entry(client).or_default());
        self.present += usize::from(its.members.fetch_add(1, Relaxed) == 0);
        its
    }

    /// Removes a transfer of this client.
    pub(super) fn part(&mut self, client: u128, passed: u64) {
        let Some(its) = self.by_key.get(&client) else { return };
        if its.members.fetch_sub(1, Relaxed) > 1 {
            return;
        }
        let owes = its.owes(passed);
        self.present -= 1;
        if !owes {
            self.by_key.remove(&client);
        }
    }

    #[cfg(test)]
    pub(super) fn has(&self, client: u128) -> bool {
        self.by_key.contains_key(&client)
    }
}

impl Client {
    /// Whether it has had more than its share, as far as the rate has been used.
    fn owes(&self, passed: u64) -> bool {
        self.due.load(Relaxed) > passed
    }

    /// Reserves this many bytes; returns when all that its transfers reserved before is within its share. `cost`: the time
    /// in which the client has its share of so much. `least`: how much counts as its first reservation.
    pub(super) fn reserve(&self, now: u64, bytes: u64, least: u64, cost: impl Fn(u64) -> u64) -> u64 {
        let before = self.reserved.fetch_add(bytes, Relaxed);
        let begins = match self.due.load(Relaxed) {
            // Nothing is known of it. Not at once: else each of its files would begin ahead of others.
            0 => now.saturating_add(cost(bytes.max(least))),
            due => due.max(now),
        };
        begins.saturating_add(cost(before))
    }

    /// Records what passes now. What passed for it before counts on, but of what it had beyond its share only [`DEBT`].
    pub(super) fn charge(&self, now: u64, cost: u64) {
        let most = now.saturating_add(DEBT.max(cost));
        let next = |due: u64| Some(due.max(now).saturating_add(cost).min(most).max(due));
        let _ = self.due.fetch_update(Relaxed, Relaxed, next);
    }

    /// Takes back what did not pass after all.
    pub(super) fn give_back(&self, cost: u64) {
        let _ = self.due.fetch_update(Relaxed, Relaxed, |due| Some(due.saturating_sub(cost)));
    }
}
