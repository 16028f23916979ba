//! One direction of a path.

use std::collections::VecDeque;
use std::fmt;
use tuffet_core::Time;

/// The properties of a direction. Times in microseconds, probabilities between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Path {
    /// From end to end, without queueing.
    pub delay: u64,
    /// The most additional delay, drawn for each datagram: neighbours may be reordered.
    pub jitter: u64,
    /// Loss.
    pub loss: f64,
    /// Duplication.
    pub duplicate: f64,
    /// A delay by one to three more delays, behind later datagrams.
    pub reorder: f64,
    /// Corruption of one byte.
    pub corrupt: f64,
    /// Truncation.
    pub truncate: f64,
    /// Whether datagrams have no UDP checksum, so that damaged ones arrive. Otherwise the receiving kernel
    /// detects the damage (always, for one byte) and they are lost.
    pub unchecked: bool,
    /// Bits per second on the wire; 0 for no limit.
    pub rate: u64,
    /// Bytes in the queue of the wire; datagrams that do not fit are lost.
    pub queue: u64,
    /// Datagrams that the receiving end accepts in a millisecond; 0 for no limit. The others are lost.
    pub per_ms: u32,
    /// How often the receiving end is not scheduled when a datagram arrives, and the most microseconds until it is. What
    /// comes meanwhile waits, in order.
    pub preempted: (f64, u64),
    /// The receive buffer at the receiving end; `None` for a receiver that always has room.
    pub buffer: Option<Buffer>,
}

/// A receive buffer that its reader drains all the time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Buffer {
    /// Datagrams that fit; the others are lost.
    pub room: u64,
    /// Microseconds in which the reader takes one.
    pub reading: u64,
    /// When it notices the first datagram in an empty buffer.
    pub waking: Waking,
}

/// When a reader looks into its buffer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Waking {
    /// So many microseconds after the first datagram has come.
    After(u64),
    /// Each so many microseconds, whatever comes.
    Each(u64),
}

impl Path {
    /// Creates a faultless path: its delay alone.
    pub const fn clean(delay: u64) -> Self {
        Path {
            delay,
            jitter: 0,
            loss: 0.0,
            duplicate: 0.0,
            reorder: 0.0,
            corrupt: 0.0,
            truncate: 0.0,
            unchecked: false,
            rate: 0,
            queue: u64::MAX,
            per_ms: 0,
            preempted: (0.0, 0),
            buffer: None,
        }
    }

    pub const fn loss(mut self, share: f64) -> Self {
        self.loss = share;
        self
    }

    pub const fn duplicate(mut self, share: f64) -> Self {
        self.duplicate = share;
        self
    }

    pub const fn jitter(mut self, micros: u64) -> Self {
        self.jitter = micros;
        self
    }

    pub const fn rate(mut self, bits_per_second: u64, queue: u64) -> Self {
        self.rate = bits_per_second;
        self.queue = queue;
        self
    }

    pub const fn per_ms(mut self, datagrams: u32) -> Self {
        self.per_ms = datagrams;
        self
    }

    pub const fn preempted(mut self, share: f64, micros: u64) -> Self {
        self.preempted = (share, micros);
        self
    }

    pub const fn buffer(mut self, buffer: Buffer) -> Self {
        self.buffer = Some(buffer);
        self
    }

    /// Returns the same path with UDP checksums.
    pub const fn checked(mut self) -> Self {
        self.unchecked = false;
        self
    }

    /// Returns whether datagrams arrive, once, in order and undamaged, as long as the queue has room.
    pub fn is_faultless(&self) -> bool {
        let faults = [self.loss, self.duplicate, self.reorder, self.corrupt, self.truncate];
        self.jitter == 0 && faults.iter().all(|share| *share == 0.0)
    }

    /// Returns whether bytes may arrive damaged.
    pub fn harms(&self) -> bool {
        self.unchecked && (self.corrupt > 0.0 || self.truncate > 0.0)
    }
}

/// IPv4 and UDP headers, in bytes.
const HEADERS: u64 = 28;

/// Decides by the content whether a datagram is lost.
type Lose = Box<dyn FnMut(&[u8]) -> bool>;

/// A direction in use.
pub struct Link {
    path: Path,
    /// When the wire has sent all queued datagrams.
    free: u64,
    /// The millisecond of the last arrival, and the arrivals in it.
    taken: (u64, u32),
    /// When the receiving end is scheduled again.
    scheduled: u64,
    /// When the reader of the buffer has taken each datagram in it.
    read: VecDeque<u64>,
    lose: Option<Lose>,
    /// Datagrams and bytes sent.
    pub packets: u64,
    pub bytes: u64,
    /// Lost datagrams among these.
    pub lost: u64,
}

impl Link {
    pub fn new(path: Path) -> Self {
        Link {
            path,
            free: 0,
            taken: (0, 0),
            scheduled: 0,
            read: VecDeque::new(),
            lose: None,
            packets: 0,
            bytes: 0,
            lost: 0,
        }
    }

    /// Loses each datagram for which `lose` returns true, in addition to the losses of the path.
    pub fn lose(&mut self, lose: impl FnMut(&[u8]) -> bool + 'static) {
        self.lose = Some(Box::new(lose));
    }

    /// Carries a datagram sent at `now`; calls `deliver` for each arrival.
    pub fn carry(
        &mut self,
        now: Time,
        datagram: Vec<u8>,
        random: &mut fastrand::Rng,
        mut deliver: impl FnMut(Time, Vec<u8>),
    ) {
        self.packets += 1;
        self.bytes += datagram.len() as u64;
        let scripted = self.lose.as_mut().is_some_and(|lose| lose(&datagram));
        let Some(sent) = self.transmit(now.as_micros(), datagram.len() as u64 + HEADERS) else {
            self.lost += 1;
            return;
        };
        let lost = self.overflows(sent) || scripted || chance(random, self.path.loss);
        let Some(sent) = (if lost { None } else { self.buffered(sent) }) else {
            self.lost += 1;
            return;
        };
        if chance(random, self.path.duplicate)
            && let Some(copy) = self.harm(datagram.clone(), random)
        {
            deliver(self.arrival(sent, random), copy);
        }
        match self.harm(datagram, random) {
            Some(datagram) => deliver(self.arrival(sent, random), datagram),
            None => self.lost += 1,
        }
    }

    /// Returns when the last bit is on the wire; `None` if the queue is full.
    fn transmit(&mut self, now: u64, bytes: u64) -> Option<u64> {
        if self.path.rate == 0 {
            return Some(now);
        }
        let wait = self.free.saturating_sub(now);
        let waiting = wait.saturating_mul(self.path.rate) / 8_000_000;
        if waiting > 0 && waiting.saturating_add(bytes) > self.path.queue {
            return None;
        }
        self.free = self.free.max(now) + (bytes * 8_000_000).div_ceil(self.path.rate);
        Some(self.free)
    }

    fn overflows(&mut self, sent: u64) -> bool {
        let millisecond = sent / 1_000;
        let count = if self.taken.0 == millisecond { self.taken.1 } else { 0 };
        let full = self.path.per_ms > 0 && count >= self.path.per_ms;
        self.taken = (millisecond, count + u32::from(!full));
        full
    }

    /// Returns when the reader takes a datagram, less the delay of the path; `None` if the buffer is full.
    fn buffered(&mut self, sent: u64) -> Option<u64> {
        let Some(Buffer { room, reading, waking }) = self.path.buffer else { return Some(sent) };
        while self.read.front().is_some_and(|read| *read <= sent) {
            self.read.pop_front();
        }
        if self.read.len() as u64 >= room {
            return None;
        }
        let woken = match waking {
            Waking::After(micros) => sent + micros,
            Waking::Each(micros) => (sent / micros + 1) * micros,
        };
        let read = self.read.back().map_or(woken, |read| *read) + reading;
        self.read.push_back(read);
        Some(read)
    }

    fn arrival(&mut self, sent: u64, random: &mut fastrand::Rng) -> Time {
        let (share, micros) = self.path.preempted;
        if chance(random, share) {
            self.scheduled = self.scheduled.max(sent) + random.u64(0..=micros);
        }
        let sent = sent.max(self.scheduled);
        let held = if chance(random, self.path.reorder) {
            self.path.delay * random.u64(1..=3) + random.u64(0..100)
        } else {
            0
        };
        Time::from_micros(sent + self.path.delay + random.u64(0..=self.path.jitter) + held)
    }

    /// Returns the datagram as the path delivers it; `None` if the receiving kernel drops it.
    fn harm(&self, mut datagram: Vec<u8>, random: &mut fastrand::Rng) -> Option<Vec<u8>> {
        let mut harmed = false;
        if !datagram.is_empty() && chance(random, self.path.corrupt) {
            let at = random.usize(0..datagram.len());
            datagram[at] ^= random.u8(1..);
            harmed = true;
        }
        if chance(random, self.path.truncate) {
            let length = random.usize(0..=datagram.len());
            harmed |= length < datagram.len();
            datagram.truncate(length);
        }
        (self.path.unchecked || !harmed).then_some(datagram)
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {} packets, {} lost", self.path, self.packets, self.lost)
    }
}

/// Draws only if the event is possible, so that a faultless path costs nothing.
fn chance(random: &mut fastrand::Rng, share: f64) -> bool {
    share > 0.0 && random.f64() < share
}
