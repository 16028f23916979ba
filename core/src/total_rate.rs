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
//!
//! Shares are those of clients, and a client's transfers divide its share, however many they are: each client has a clock
//! of its own, which tells when it has had its share of what it took. Its transfers queue up behind that clock, if this
//! takes less long than the queue of all. A client that has had less than its share goes first; one that has had more
//! takes what is left, when everything that was sent has passed.
//!
//! Over any time, all transfers together take the rate, and at most [`TOLERANCE`], [`AHEAD`] and a burst more.

mod activity;
mod clients;

use crate::time::Time;
use activity::Activity;
use clients::{Client, Clients};
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};
use core::time::Duration;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    /// Locked when a transfer begins and when it ends, and never for a block.
    clients: Mutex<Clients>,
    members: AtomicU32,
    waiting: AtomicU32,
    /// The clients with transfers that wait.
    waiting_clients: AtomicU32,
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
            waiting_clients: AtomicU32::new(0),
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
        (self.rate() / self.clients().shares(client)).max(1)
    }

    fn join(&self, client: u128) -> Arc<Client> {
        self.members.fetch_add(1, Relaxed);
        self.clients().join(client, self.passed.load(Relaxed))
    }

    fn part(&self, client: u128) {
        self.members.fetch_sub(1, Relaxed);
        self.clients().part(client, self.passed.load(Relaxed));
    }

    fn clients(&self) -> MutexGuard<'_, Clients> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Takes this many bytes that pass now. If more than `ahead` has passed beyond now, returns when to try again.
    fn pass(&self, now: u64, bytes: u64, ahead: u64) -> Result<(), u64> {
        let most = now.saturating_add(ahead);
        let (cost, floor) = (self.nanos(bytes), now.saturating_sub(TOLERANCE));
        let next = |passed: u64| (passed <= most).then(|| passed.max(floor).saturating_add(cost));
        match self.passed.fetch_update(Relaxed, Relaxed, next) {
            Ok(_) => Ok(()),
            Err(passed) => Err(passed - ahead),
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
    /// When its client has its share of what is reserved up to here, as far as it was known then.
    slot: u64,
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
            slot: 0,
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
        self.its.give_back(self.total.nanos(bytes).saturating_mul(self.total.active.latest()));
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
        self.its.reserved.fetch_add(fresh, Relaxed);
        self.reserved = self.reserved.saturating_add(fresh);
        self.its.charge(nanos(now), self.total.nanos(self.reserved).saturating_mul(self.clients(nanos(now))));
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
        if is_first {
            self.total.active.count(now, &mut None);
        }
        self.clients(now) * transfers
    }

    fn bytes_of(&self, blocks: u64) -> u64 {
        blocks.saturating_mul(self.blksize.into())
    }

    fn burst_of(&self, active: u64) -> u32 {
        let bytes = u64::from(self.total.rate()) * QUANTUM / SECOND / active;
        u32::try_from(bytes / u64::from(self.blksize)).unwrap_or(u32::MAX).max(1)
    }

    fn reserve(&mut self, now: Time, bytes: u64, active: u64) {
        let rate = self.total.rate();
        if self.rate != rate && self.rate != 0 {
            // It was charged at the rate of before.
            self.its.due.fetch_min(nanos(now), Relaxed);
        }
        let turn = self.total.reserve(nanos(now), bytes, self.due);
        let clients = self.clients(nanos(now));
        let cost = |bytes: u64| self.total.nanos(bytes).saturating_mul(clients);
        self.slot = self.its.reserve(nanos(now), bytes, self.blksize.into(), cost);
        let start = turn.min(self.slot).max(nanos(now));
        (self.queued, self.reserved, self.active, self.rate) = (true, bytes, active, rate);
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
            let (at, clients) = (nanos(now), self.clients(nanos(now)));
            let due = self.its.due.load(Relaxed);
            let has_less = clients == 1 || due <= at;
            match self.total.pass(at, bytes, if has_less { AHEAD } else { 0 }) {
                Ok(()) => {
                    self.its.charge(at, self.total.nanos(bytes).saturating_mul(clients));
                    self.lower_due(self.reserved - bytes);
                    self.count_bytes(bytes);
                    self.leave();
                    return true;
                }
                Err(until) => {
                    let until =
                        if has_less { until } else { until.min(due.max(until.saturating_sub(AHEAD))) };
                    let until = until.max(self.later(at, clients));
                    self.wait_until(now, until);
                }
            }
        }
        if !core::mem::replace(&mut self.waits, true) {
            self.total.waiting.fetch_add(1, Relaxed);
            if self.its.waiting.fetch_add(1, Relaxed) == 0 {
                self.total.waiting_clients.fetch_add(1, Relaxed);
            }
        }
        false
    }

    /// Returns when to try again at the earliest, after others went first: half of the way to its slot, so that the
    /// transfers of a client do not all try at each moment at which one of them may pass.
    fn later(&mut self, now: u64, clients: u64) -> u64 {
        if self.slot <= now {
            // The client has more transfers, or shares with more clients, than was known. Somewhere among them.
            let all = self.total.nanos(self.its.reserved.load(Relaxed)).saturating_mul(clients);
            self.slot = now.saturating_add(all / 4);
        }
        now + (self.slot - now) / 2
    }

    /// Returns the number of clients that share the rate now, this one included.
    fn clients(&self, now: u64) -> u64 {
        let waits = self.its.waiting.load(Relaxed) > 0;
        let waiting = self.total.waiting_clients.load(Relaxed);
        self.total.active.at(now).max((waiting + u32::from(!waits)).into())
    }

    /// Ends its reservation.
    fn leave(&mut self) {
        let reserved = core::mem::take(&mut self.reserved);
        self.total.reserved.fetch_sub(reserved, Relaxed);
        self.its.reserved.fetch_sub(reserved, Relaxed);
        self.queued = false;
        if core::mem::take(&mut self.waits) {
            self.total.waiting.fetch_sub(1, Relaxed);
            if self.its.waiting.fetch_sub(1, Relaxed) == 1 {
                self.total.waiting_clients.fetch_sub(1, Relaxed);
            }
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
            let bytes = self.reserved.saturating_add(self.owed);
            self.total.charge(0, bytes);
            let at = nanos(self.at);
            self.its.charge(at, self.total.nanos(bytes).saturating_mul(self.clients(at)));
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
        let client = (0..).find(|client| !total.clients().has(*client));
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
