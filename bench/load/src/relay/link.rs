//! One direction of the path: decides the fate of a datagram, and its arrival time. No clock and no sockets.

use std::time::Duration;

/// The properties of a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Path {
    /// From end to end, without queueing.
    pub(crate) delay: Duration,
    /// The most additional delay, drawn for each datagram. It never reorders datagrams: real jitter comes
    /// from queues, and a path that reversed each window would measure nothing else.
    pub(crate) jitter: Duration,
    /// Probabilities, 0 to 1: of loss; of duplication; of being held back by one to three delays, and at
    /// least one to three milliseconds.
    pub(crate) loss: f64,
    pub(crate) duplicate: f64,
    pub(crate) reorder: f64,
    /// Bits per second; 0 for no limit.
    pub(crate) rate: u64,
    /// Bytes that the queue holds; datagrams that do not fit are lost.
    pub(crate) queue: u64,
}

/// The counts of a direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Received datagrams, and their bytes.
    pub(crate) datagrams: u64,
    pub(crate) bytes: u64,
    /// Datagrams lost by chance, and datagrams lost because the queue was full.
    pub(crate) lost: u64,
    pub(crate) overflowed: u64,
    pub(crate) duplicated: u64,
    pub(crate) held_back: u64,
}

/// IPv4 and UDP headers, in bytes.
const HEADERS: u64 = 28;

/// The shortest time for holding back a datagram, times one to three, in nanoseconds.
const HOLD_STEP: u64 = 1_000_000;

/// A direction in use.
#[derive(Debug)]
pub(crate) struct Link {
    path: Path,
    random: fastrand::Rng,
    /// When the wire has sent all queued datagrams.
    free: u64,
    /// When the last datagram arrives that was not held back.
    last: u64,
    pub(crate) counts: Counts,
}

impl Link {
    pub(crate) fn new(path: Path, seed: u64) -> Self {
        Link { path, random: fastrand::Rng::with_seed(seed), free: 0, last: 0, counts: Counts::default() }
    }

    /// Accepts a datagram; returns its arrival and that of a duplicate. Times are in nanoseconds.
    pub(crate) fn carry(&mut self, now: u64, bytes: usize) -> [Option<u64>; 2] {
        let bytes = bytes as u64;
        self.counts.datagrams += 1;
        self.counts.bytes += bytes;
        let Some(sent) = self.transmit(now, bytes + HEADERS) else {
            self.counts.overflowed += 1;
            return [None, None];
        };
        if self.chance(self.path.loss) {
            self.counts.lost += 1;
            return [None, None];
        }
        let first = self.arrival(sent);
        if self.chance(self.path.duplicate) {
            self.counts.duplicated += 1;
            return [Some(first), Some(self.arrival(sent))];
        }
        [Some(first), None]
    }

    /// When the last bit is on the wire; `None` if the queue is full. One datagram always fits.
    fn transmit(&mut self, now: u64, bytes: u64) -> Option<u64> {
        if self.path.rate == 0 {
            return Some(now);
        }
        let took = |bytes: u64| u128::from(bytes) * 8_000_000_000 / u128::from(self.path.rate.max(1));
        let waiting = u128::from(self.free.saturating_sub(now));
        if waiting > 0 && waiting + took(bytes) > took(self.path.queue) {
            return None;
        }
        self.free = self.free.max(now) + took(bytes) as u64;
        Some(self.free)
    }

    fn arrival(&mut self, sent: u64) -> u64 {
        let delay = nanos(self.path.delay);
        let jitter = match nanos(self.path.jitter) {
            0 => 0,
            most => self.random.u64(0..=most),
        };
        let arrival = (sent + delay + jitter).max(self.last);
        if self.chance(self.path.reorder) {
            self.counts.held_back += 1;
            return arrival + delay.max(HOLD_STEP) * self.random.u64(1..=3);
        }
        self.last = arrival;
        arrival
    }

    /// Draws only if the event is possible.
    fn chance(&mut self, part: f64) -> bool {
        part > 0.0 && self.random.f64() < part
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) const CLEAN: Path = Path {
        delay: Duration::ZERO,
        jitter: Duration::ZERO,
        loss: 0.0,
        duplicate: 0.0,
        reorder: 0.0,
        rate: 0,
        queue: 0,
    };

    #[test]
    fn datagrams_arrive_after_delay_and_jitter() {
        let (delay, jitter) = (Duration::from_millis(25), Duration::from_millis(2));
        let mut link = Link::new(Path { delay, jitter, ..CLEAN }, 1);
        let sent = |nth: u64| nth * 1_000_000;
        let arrivals: Vec<u64> = (0..1_000).filter_map(|nth| link.carry(sent(nth), 100)[0]).collect();
        assert!(arrivals.is_sorted(), "one has overtaken another");
        let waits: Vec<u64> = (0..).zip(arrivals).map(|(nth, at)| at - sent(nth)).collect();
        assert_eq!(waits.len(), 1_000);
        assert!(waits.iter().all(|wait| (25_000_000..=27_000_000).contains(wait)));
        assert!(waits.iter().any(|wait| *wait < 25_200_000) && waits.iter().any(|wait| *wait > 26_800_000));
    }

    #[test]
    fn the_wire_sends_one_after_the_other_and_its_queue_is_bounded() {
        // 972 bytes plus headers: 8,000 bits.
        let mut link = Link::new(Path { rate: 8_000_000, queue: 3_000, ..CLEAN }, 1);
        let arrivals: Vec<_> = (0..5).map(|_| link.carry(0, 972)[0]).collect();
        assert_eq!(arrivals, [Some(1_000_000), Some(2_000_000), Some(3_000_000), None, None]);
        assert_eq!(link.carry(1_000_000, 972)[0], Some(4_000_000), "there is room again");
        assert_eq!(link.counts.overflowed, 2);
    }

    #[test]
    fn chance_follows_the_seed() {
        let path = Path { loss: 0.1, duplicate: 0.05, reorder: 0.02, ..CLEAN };
        let run = |seed| {
            let mut link = Link::new(path, seed);
            let arrivals: Vec<_> = (0..10_000).map(|at| link.carry(at * 1_000, 500)).collect();
            (arrivals, link.counts)
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1).0, run(2).0);
        let counts = run(1).1;
        assert!((900..1_100).contains(&counts.lost), "{counts:?}");
        assert!((380..520).contains(&counts.duplicated), "{counts:?}");
        assert!((130..250).contains(&counts.held_back), "{counts:?}");
    }
}
