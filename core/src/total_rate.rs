//! A rate that many transfers share.
//!
//! The rate is a clock (GCRA, ITU-T I.371): the time at which everything that was reserved so far has passed. A transfer
//! reserves one burst, which advances the clock, and sends it when the time before has come. It reserves what it can send
//! then, and so nothing that others would miss: a peer that stops answering holds nothing back.
//!
//! Reservations order the transfers; a second clock, of what has really passed, keeps the rate. Whatever transfers leave
//! behind (evicted, superseded or ended while they wait) is free for those that come next: the first clock is never
//! further than the second one and what is still reserved.
//!
//! Turns alone would not be fair: a window takes a burst in each turn, and a peer in lockstep one block, after a wait for
//! the bursts of all others. So a transfer that has had less than its share does not queue: it may be [`AHEAD`] of the
//! clock. And bursts get shorter with the number of transfers that take turns, so that a round of them takes [`QUANTUM`].
//! Shares are those of clients, and a client's transfers divide its share: many transfers of one client take no more than
//! the single one of another.
//!
//! Over any time, all transfers together take the rate, and at most [`TOLERANCE`], [`AHEAD`] and a burst more.

mod activity;

use crate::time::Time;
use activity::Activity;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};
use core::time::Duration;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The time of the bursts of all transfers, one of each, if their blocks are small enough. In nanoseconds, as all here: a
/// block may take less than a microsecond.
const QUANTUM: u64 = 20_000_000;

/// How far a transfer may be ahead of the clock that has had less than its share.
const AHEAD: u64 = 50_000_000;

/// The burst tolerance of the GCRA: how much unused time transfers may make up for.
const TOLERANCE: u64 = 30_000_000;

/// How often a waiting transfer checks whether the rate has changed, in microseconds.
const RECHECK: u64 = 1_000_000;

const SECOND: u64 = 1_000_000_000;

/// The most bytes per second of transfers that share it, on any number of threads. They need clocks with one start.
#[derive(Debug)]
pub struct TotalRate {
    /// Bytes per second, at least 1.
    rate: AtomicU32,
    /// When everything that was reserved so far has passed.
    clock: AtomicU64,
    /// When everything that was sent or acknowledged so far has passed.
    passed: AtomicU64,
    /// Bytes in the reservations of transfers that wait.
    reserved: AtomicU64,
    /// The clients that take something.
    active: Activity,
    /// Those with transfers. Locked when a transfer begins and when it ends, and never for a block.
    clients: Mutex<HashMap<u128, Arc<Client>>>,
    members: AtomicU32,
    waiting: AtomicU32,
    bytes: AtomicU64,
    /// In microseconds.
    waited: AtomicU64,
}

impl TotalRate {
    /// Creates a rate of this many bytes of file data per second, at least 1.
    pub fn new(rate: u32) -> Self {
        TotalRate {
            rate: AtomicU32::new(rate.max(1)),
            clock: AtomicU64::new(0),
            passed: AtomicU64::new(0),
            reserved: AtomicU64::new(0),
            active: Activity::default(),
            clients: Mutex::default(),
            members: AtomicU32::new(0),
            waiting: AtomicU32::new(0),
            bytes: AtomicU64::new(0),
            waited: AtomicU64::new(0),
        }
    }

    /// Changes the rate, also for transfers that share it already: those that wait notice within a second.
    pub fn set_rate(&self, rate: u32) {
        let rate = rate.max(1);
        if self.rate.swap(rate, Relaxed) != rate {
            // It was charged at the rate of before.
            self.passed.store(0, Relaxed);
        }
    }

    /// Returns the bytes per second.
    pub fn rate(&self) -> u32 {
        self.rate.load(Relaxed)
    }

    /// Returns the number of transfers that share it now.
    pub fn members(&self) -> u32 {
        self.members.load(Relaxed)
    }

    /// Returns the number of transfers that wait for it now.
    pub fn waiting(&self) -> u32 {
        self.waiting.load(Relaxed)
    }

    /// Returns the bytes that were sent and acknowledged so far, retransmissions included. The last block of a file that
    /// is sent counts as a whole one.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// Returns how long transfers have waited because of it, all together. A wait counts when it begins.
    pub fn waited(&self) -> Duration {
        Duration::from_micros(self.waited.load(Relaxed))
    }

    /// Returns the share of one more transfer of a client in bytes per second, at least 1.
    pub(crate) fn share(&self, client: u128) -> u32 {
        let all = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let members = all.get(&client).map_or(0, |its| its.members.load(Relaxed));
        let clients = all.len() + usize::from(members == 0);
        let clients = u32::try_from(clients).unwrap_or(u32::MAX);
        (self.rate() / clients.saturating_mul(members.saturating_add(1))).max(1)
    }

    fn join(&self, client: u128) -> Arc<Client> {
        self.members.fetch_add(1, Relaxed);
        let mut all = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let its = all.entry(client).or_default();
        its.members.fetch_add(1, Relaxed);
        Arc::clone(its)
    }

    fn part(&self, client: u128) {
        self.members.fetch_sub(1, Relaxed);
        let mut all = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if all.get(&client).is_some_and(|its| its.members.fetch_sub(1, Relaxed) == 1) {
            all.remove(&client);
        }
    }

    /// Returns the largest block that does not hold up others for long: what passes in an eighth of [`QUANTUM`], but at
    /// least a packet of Ethernet.
    pub(crate) fn largest_block(&self) -> u16 {
        let bytes = u64::from(self.rate()) * (QUANTUM / 8) / SECOND;
        u16::try_from(bytes).unwrap_or(u16::MAX).max(1468)
    }

    /// Returns how long this many bytes take.
    fn nanos(&self, bytes: u64) -> u64 {
        bytes.saturating_mul(SECOND).div_ceil(self.rate().into())
    }

    /// Reserves this many bytes, and returns when they may pass. `due`: when the transfer has had its share, `u64::MAX` if
    /// nothing is known.
    fn reserve(&self, now: u64, bytes: u64, due: u64) -> u64 {
        let (cost, floor) = (self.nanos(bytes), now.saturating_sub(TOLERANCE));
        let others = self.reserved.fetch_add(bytes, Relaxed);
        let latest = self.passed.load(Relaxed).max(floor).saturating_add(self.nanos(others));
        let next = |clock: u64| Some(clock.clamp(floor, latest).saturating_add(cost));
        let (Ok(clock) | Err(clock)) = self.clock.fetch_update(Relaxed, Relaxed, next);
        let clock = clock.clamp(floor, latest);
        due.clamp(clock.saturating_sub(AHEAD), clock).max(now)
    }

    /// Takes this many bytes that pass now. If too many have passed, returns when to try again.
    fn pass(&self, now: u64, bytes: u64) -> Result<(), u64> {
        let most = now.saturating_add(AHEAD);
        let (cost, floor) = (self.nanos(bytes), now.saturating_sub(TOLERANCE));
        let next = |passed: u64| (passed <= most).then(|| passed.max(floor).saturating_add(cost));
        match self.passed.fetch_update(Relaxed, Relaxed, next) {
            Ok(_) => Ok(()),
            Err(passed) => Err(passed - AHEAD),
        }
    }

    /// Takes this many bytes that have passed already. `now`: 0 if it is not known.
    fn charge(&self, now: u64, bytes: u64) {
        let (cost, floor) = (self.nanos(bytes), now.saturating_sub(TOLERANCE));
        let next = |passed: u64| Some(passed.max(floor).saturating_add(cost));
        let _ = self.passed.fetch_update(Relaxed, Relaxed, next);
    }

    fn give_back(&self, bytes: u64) {
        let cost = self.nanos(bytes);
        let _ = self.passed.fetch_update(Relaxed, Relaxed, |passed| Some(passed.saturating_sub(cost)));
    }
}

/// A client whose transfers share a rate with those of others.
#[derive(Debug, Default)]
struct Client {
    /// Its transfers that take something.
    active: Activity,
    /// All of its transfers. Changed under the lock of the map.
    members: AtomicU32,
}

/// Two are equal if they are one.
impl PartialEq for TotalRate {
    fn eq(&self, other: &TotalRate) -> bool {
        core::ptr::eq(self, other)
    }
}

impl Eq for TotalRate {}

/// One transfer that shares a rate.
#[derive(Debug)]
pub(crate) struct Member {
    total: Arc<TotalRate>,
    client: u128,
    /// What its client has, with its other transfers.
    its: Arc<Client>,
    /// When it has had its share of what it took, `u64::MAX` before the first time.
    due: u64,
    counted: Option<u32>,
    /// Whether it has a reservation; of how many bytes, and when they may be sent or acknowledged.
    queued: bool,
    reserved: u64,
    at: Time,
    /// The rate when it reserved them, and how many such transfers would take all of it.
    rate: u32,
    active: u64,
    /// Whether it counts as waiting.
    waits: bool,
    blksize: u16,
    /// Whether it receives an upload: what it has reserved has arrived.
    receives: bool,
    /// Bytes of an upload that have arrived since.
    owed: u64,
    /// Bytes that were counted and then not sent.
    unsent: u64,
    /// Microseconds of waiting that the transfer, and its host, do not know of yet.
    waited: [u32; 2],
}

impl Member {
    /// Creates a member of this client that sends or receives blocks of `blksize` bytes.
    pub(crate) fn new(total: Arc<TotalRate>, client: u128, blksize: u16) -> Self {
        let its = total.join(client);
        Member {
            total,
            client,
            its,
            due: u64::MAX,
            counted: None,
            queued: false,
            reserved: 0,
            at: Time::default(),
            rate: 0,
            active: 1,
            waits: false,
            blksize: blksize.max(1),
            receives: false,
            owed: 0,
            unsent: 0,
            waited: [0; 2],
        }
    }

    /// Takes up to `wanted` blocks: those of its reservation if their time has come. Returns their number, and until when
    /// the transfer has to wait otherwise.
    pub(crate) fn take(&mut self, now: Time, wanted: u32) -> (u32, Time) {
        if wanted == 0 {
            return (0, now);
        }
        self.follow_rate(now);
        if !self.queued {
            let active = self.count(nanos(now));
            let blocks = self.burst_of(active).min(wanted);
            self.reserve(now, self.bytes_of(blocks.into()), active);
        }
        let bytes = self.bytes_of(wanted.into()).min(self.reserved);
        if !self.pass(now, bytes) {
            return (0, self.next_check(now));
        }
        ((bytes / u64::from(self.blksize)) as u32, now)
    }

    /// Gives blocks back that were taken and not sent.
    pub(crate) fn give_back(&mut self, blocks: u64) {
        let bytes = self.bytes_of(blocks);
        self.total.give_back(bytes);
        self.unsent = self.unsent.saturating_add(bytes);
        self.lower_due(bytes);
    }

    /// Returns the number of blocks in a burst.
    pub(crate) fn burst(&self) -> u32 {
        self.burst_of(self.total.active.latest() * self.its.active.latest())
    }

    /// Waits for its turn before an upload begins, and returns when that is.
    pub(crate) fn queue(&mut self, now: Time) -> Time {
        let active = self.count(nanos(now));
        self.reserve(now, 0, active);
        self.owe(now, 0)
    }

    /// Takes the `bytes` of an upload that have arrived, and returns when they may be acknowledged.
    pub(crate) fn owe(&mut self, now: Time, bytes: u64) -> Time {
        self.receives = true;
        self.owed = self.owed.saturating_add(bytes);
        let anew = self.follow_rate(now);
        if self.queued && !self.pass(now, self.reserved) {
            return self.next_check(now);
        }
        if anew || self.owed > 0 {
            let active = self.count(nanos(now));
            let owed = core::mem::take(&mut self.owed);
            self.reserve(now, owed, active);
            if !self.pass(now, owed) {
                return self.next_check(now);
            }
        }
        now
    }

    /// Takes the last bytes of an upload, whose ACK does not wait.
    pub(crate) fn settle(&mut self, now: Time, bytes: u64) {
        let fresh = core::mem::take(&mut self.owed).saturating_add(bytes);
        self.total.reserve(nanos(now), fresh, u64::MAX);
        self.reserved = self.reserved.saturating_add(fresh);
        self.total.charge(nanos(now), self.reserved);
        self.count_bytes(self.reserved);
        self.leave();
    }

    /// Returns the microseconds of waiting since the last call that excuse the peer.
    pub(crate) fn take_wait(&mut self) -> u32 {
        core::mem::take(&mut self.waited[0])
    }

    /// Returns the microseconds of waiting since the last call, for the host.
    pub(crate) fn take_held_back(&mut self) -> u32 {
        core::mem::take(&mut self.waited[1])
    }

    /// Counts it and its client as active. Returns how many such transfers would take the whole rate: the active clients,
    /// times the active transfers of this one.
    fn count(&mut self, now: u64) -> u64 {
        let (transfers, is_first) = self.its.active.count_first(now, &mut self.counted);
        let clients = match is_first {
            true => self.total.active.count(now, &mut None),
            false => self.total.active.at(now),
        };
        clients * transfers
    }

    fn bytes_of(&self, blocks: u64) -> u64 {
        blocks.saturating_mul(self.blksize.into())
    }

    fn burst_of(&self, active: u64) -> u32 {
        let bytes = u64::from(self.total.rate()) * QUANTUM / SECOND / active;
        u32::try_from(bytes / u64::from(self.blksize)).unwrap_or(u32::MAX).max(1)
    }

    fn reserve(&mut self, now: Time, bytes: u64, active: u64) {
        let start = self.total.reserve(nanos(now), bytes, self.due);
        (self.queued, self.reserved, self.active, self.rate) = (true, bytes, active, self.total.rate());
        self.due = start.saturating_add(self.total.nanos(bytes).saturating_mul(active));
        self.wait_until(now, start);
    }

    /// Gives up a reservation that was made at another rate, and whose time has not come. Returns whether it did.
    fn follow_rate(&mut self, now: Time) -> bool {
        let changed = self.queued && now < self.at && self.rate != self.total.rate();
        if changed {
            let reserved = self.reserved;
            self.leave();
            self.due = self.due.min(nanos(now));
            if self.receives {
                self.owed = self.owed.saturating_add(reserved);
            }
        }
        changed
    }

    /// Takes the first `bytes` of its reservation, and gives up the others. Returns false if they have to wait.
    fn pass(&mut self, now: Time, bytes: u64) -> bool {
        if now >= self.at {
            match self.total.pass(nanos(now), bytes) {
                Ok(()) => {
                    self.lower_due(self.reserved - bytes);
                    self.count_bytes(bytes);
                    self.leave();
                    return true;
                }
                Err(until) => self.wait_until(now, until),
            }
        }
        if !core::mem::replace(&mut self.waits, true) {
            self.total.waiting.fetch_add(1, Relaxed);
        }
        false
    }

    /// Ends its reservation.
    fn leave(&mut self) {
        self.total.reserved.fetch_sub(core::mem::take(&mut self.reserved), Relaxed);
        self.queued = false;
        if core::mem::take(&mut self.waits) {
            self.total.waiting.fetch_sub(1, Relaxed);
        }
    }

    fn wait_until(&mut self, now: Time, start: u64) {
        self.at = Time::from_micros(start.div_ceil(1_000));
        let wait = self.at.micros_since(now);
        self.total.waited.fetch_add(wait.into(), Relaxed);
        self.waited = self.waited.map(|waited| waited.saturating_add(wait));
    }

    /// Returns when a transfer that waits looks again.
    fn next_check(&self, now: Time) -> Time {
        self.at.min(Time::from_micros(now.as_micros().saturating_add(RECHECK)))
    }

    /// Takes bytes off what it has had.
    fn lower_due(&mut self, bytes: u64) {
        self.due = self.due.saturating_sub(self.total.nanos(bytes).saturating_mul(self.active));
    }

    /// Counts bytes, without those that were counted before.
    fn count_bytes(&mut self, bytes: u64) {
        let before = self.unsent.min(bytes);
        self.unsent -= before;
        self.total.bytes.fetch_add(bytes - before, Relaxed);
    }
}

/// Another transfer, without a reservation.
impl Clone for Member {
    fn clone(&self) -> Self {
        let mut new = Member::new(Arc::clone(&self.total), self.client, self.blksize);
        (new.due, new.counted, new.active) = (self.due, self.counted, self.active);
        (new.receives, new.owed, new.unsent) = (self.receives, self.owed, self.unsent);
        (new.at, new.waited) = (self.at, self.waited);
        new
    }
}

/// What it has reserved is free for others, unless it has arrived.
impl Drop for Member {
    fn drop(&mut self) {
        if self.receives {
            self.total.charge(0, self.reserved.saturating_add(self.owed));
        }
        self.leave();
        self.total.part(self.client);
    }
}

fn nanos(time: Time) -> u64 {
    time.as_micros().saturating_mul(1_000)
}

#[cfg(test)]
impl Member {
    /// Creates a member of a client without other transfers.
    pub(crate) fn alone(total: Arc<TotalRate>, blksize: u16) -> Self {
        let client = (0..).find(|client| !total.clients.lock().unwrap().contains_key(client));
        Member::new(total, client.unwrap(), blksize)
    }

    /// Shifts all remembered times to another clock.
    pub(crate) fn shift(&mut self, to: &dyn Fn(Time) -> Time) {
        self.at = to(self.at);
    }
}

#[cfg(test)]
impl core::hash::Hash for Member {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        (self.due, self.reserved, self.at, self.owed).hash(state);
    }
}

#[cfg(test)]
mod tests;
