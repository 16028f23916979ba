//! One direction of a path: what happens to a datagram between two ends.

use std::fmt;
use tuffet_core::Time;

/// What a direction is like. Times in microseconds, shares between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Path {
    /// From end to end, without queueing.
    pub delay: u64,
    /// Up to this much more, drawn for each datagram: neighbours may change places.
    pub jitter: u64,
    /// Lost.
    pub loss: f64,
    /// Delivered twice.
    pub duplicate: f64,
    /// Held back by one to three delays, behind what was sent later.
    pub reorder: f64,
    /// A byte of it changed.
    pub corrupt: f64,
    /// Its end cut off.
    pub truncate: f64,
    /// Datagrams have no UDP checksum, so that harmed ones arrive. Else the receiving kernel finds the harm
    /// (one byte always, whatever it is) and they are lost.
    pub unchecked: bool,
    /// Bits per second on the wire; 0 is without limit.
    pub rate: u64,
    /// Bytes that may wait for the wire; what does not fit is lost.
    pub queue: u64,
    /// Datagrams that the receiving end takes in a millisecond; 0 is without limit. What comes beyond is lost.
    pub per_ms: u32,
}

impl Path {
    /// A faultless path: its delay alone.
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

    /// The same, with UDP checksums.
    pub const fn checked(mut self) -> Self {
        self.unchecked = false;
        self
    }

    /// Whether what is sent arrives, once, in order and unharmed, as long as the queue holds.
    pub fn is_faultless(&self) -> bool {
        let faults = [self.loss, self.duplicate, self.reorder, self.corrupt, self.truncate];
        self.jitter == 0 && faults.iter().all(|share| *share == 0.0)
    }

    /// Whether bytes may arrive harmed.
    pub fn harms(&self) -> bool {
        self.unchecked && (self.corrupt > 0.0 || self.truncate > 0.0)
    }
}

/// IPv4 and UDP headers, in bytes.
const HEADERS: u64 = 28;

/// Decides by its content whether a datagram is lost.
type Lose = Box<dyn FnMut(&[u8]) -> bool>;

/// A direction in use.
pub struct Link {
    path: Path,
    /// When the wire has sent all that was given to it.
    free: u64,
    /// The millisecond in which the last datagram arrived, and how many did.
    taken: (u64, u32),
    lose: Option<Lose>,
    /// Datagrams and bytes that were given to it.
    pub packets: u64,
    pub bytes: u64,
    /// Datagrams that were lost, of these.
    pub lost: u64,
}

impl Link {
    pub fn new(path: Path) -> Self {
        Link { path, free: 0, taken: (0, 0), lose: None, packets: 0, bytes: 0, lost: 0 }
    }

    /// Loses, beside what the path loses, each datagram for which `lose` says so.
    pub fn lose(&mut self, lose: impl FnMut(&[u8]) -> bool + 'static) {
        self.lose = Some(Box::new(lose));
    }

    /// Takes a datagram at `now`; `deliver` is called for each arrival.
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
        if self.overflows(sent) || scripted || chance(random, self.path.loss) {
            self.lost += 1;
            return;
        }
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

    /// When the last bit is on the wire; `None` when the queue is full.
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

    fn arrival(&self, sent: u64, random: &mut fastrand::Rng) -> Time {
        let held = if chance(random, self.path.reorder) {
            self.path.delay * random.u64(1..=3) + random.u64(0..100)
        } else {
            0
        };
        Time::from_micros(sent + self.path.delay + random.u64(0..=self.path.jitter) + held)
    }

    /// What the path makes of a datagram; `None` where the receiving kernel drops it.
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

/// Draws only where something can happen, so that a faultless path costs nothing.
fn chance(random: &mut fastrand::Rng, share: f64) -> bool {
    share > 0.0 && random.f64() < share
}
