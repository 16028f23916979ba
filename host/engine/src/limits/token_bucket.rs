//! Token buckets: a rate per second, and a burst after a pause.
//!
//! A bucket is one number, the time up to which all requests are paid for (GCRA, ITU-T I.371): each request advances
//! it by an interval, and a request that would advance it too far beyond the present is dropped. A bucket is full
//! once that time has passed, as for every client without recent requests. A full bucket need not be kept, so a table
//! of buckets needs no cleaning.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use tuffet_request::PerSecond;

const SECOND: u64 = 1_000_000_000;

/// The cells that may hold a client's bucket.
const CELLS: usize = 8;

/// The number of clients in the table, which has 512 KiB. With more clients at once, it forgets those nearest to a
/// full bucket, never those with the most requests.
const CLIENTS: usize = 1 << 15;

/// The interval and the burst in nanoseconds; an interval of 0 is no limit.
#[derive(Debug, Default)]
struct RateLimit {
    interval: AtomicU64,
    ahead: AtomicU64,
}

impl RateLimit {
    fn set(&self, rate: Option<PerSecond>) {
        let interval = rate.map_or(0, |rate| (SECOND / u64::from(rate.per_second.max(1))).max(1));
        let burst = rate.map_or(0, |rate| u64::from(rate.burst.max(1)) - 1);
        self.ahead.store(interval.saturating_mul(burst), Relaxed);
        self.interval.store(interval, Relaxed);
    }

    fn per_second(&self) -> Option<u64> {
        self.get().map(|(interval, _)| SECOND / interval)
    }

    /// Returns the interval and how far a bucket may be ahead, if there is a limit.
    fn get(&self) -> Option<(u64, u64)> {
        let interval = self.interval.load(Relaxed);
        (interval > 0).then(|| (interval, self.ahead.load(Relaxed)))
    }
}

/// One bucket for all clients.
#[derive(Debug, Default)]
pub(super) struct TokenBucket {
    limit: RateLimit,
    paid: AtomicU64,
}

impl TokenBucket {
    pub(super) fn set(&self, rate: Option<PerSecond>) {
        self.limit.set(rate);
    }

    /// Returns the requests per second, if there is a limit.
    pub(super) fn per_second(&self) -> Option<u64> {
        self.limit.per_second()
    }

    /// Returns how full the bucket is, if there is a limit.
    pub(super) fn filled(&self, now: u64) -> Option<Filled> {
        self.limit.get().map(|(interval, ahead)| filled(self.paid.load(Relaxed), now, interval, ahead))
    }

    /// Returns whether one more request is within the rate at `now`, in nanoseconds.
    pub(super) fn take(&self, now: u64) -> bool {
        let Some((interval, ahead)) = self.limit.get() else { return true };
        take(&self.paid, now, interval, ahead)
    }
}

/// How full a bucket is. A request is within the rate if `taken` is less than `burst`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Filled {
    /// The requests that a bucket has room for.
    pub(super) burst: u64,
    /// Those that it has taken and not worked off.
    pub(super) taken: u64,
}

fn filled(paid: u64, now: u64, interval: u64, ahead: u64) -> Filled {
    let burst = ahead / interval + 1;
    let (owed, has_room) = (paid.saturating_sub(now), paid.saturating_sub(now) <= ahead);
    Filled { burst, taken: if has_room { owed.div_ceil(interval).min(burst - 1) } else { burst } }
}

fn take(paid: &AtomicU64, now: u64, interval: u64, ahead: u64) -> bool {
    let next = |paid: u64| {
        let from = paid.max(now);
        (from - now <= ahead).then(|| from.saturating_add(interval))
    };
    paid.fetch_update(Relaxed, Relaxed, next).is_ok()
}

/// A bucket for each client with recent requests. A client is its hash.
#[derive(Debug)]
pub(super) struct ClientBuckets {
    limit: RateLimit,
    cells: Box<[Cell]>,
}

/// A client and its bucket. Another worker may replace the client between the reads of the two; that client
/// then pays for one request too many.
#[derive(Debug, Default)]
struct Cell {
    client: AtomicU64,
    paid: AtomicU64,
}

impl Default for ClientBuckets {
    fn default() -> ClientBuckets {
        ClientBuckets { limit: RateLimit::default(), cells: (0..CLIENTS).map(|_| Cell::default()).collect() }
    }
}

impl ClientBuckets {
    pub(super) fn set(&self, rate: Option<PerSecond>) {
        self.limit.set(rate);
    }

    /// Returns the requests per second of one client, if there is a limit.
    pub(super) fn per_second(&self) -> Option<u64> {
        self.limit.per_second()
    }

    /// Returns how full the bucket of a client is, if there is a limit.
    pub(super) fn filled(&self, client: u64, now: u64) -> Option<Filled> {
        let (interval, ahead) = self.limit.get()?;
        let start = client as usize % (CLIENTS / CELLS) * CELLS;
        let own =
            self.cells[start..start + CELLS].iter().find(|cell| cell.client.load(Relaxed) == client | 1);
        Some(filled(own.map_or(0, |own| own.paid.load(Relaxed)), now, interval, ahead))
    }

    /// Returns whether one more request of this client is within the rate at `now`, in nanoseconds.
    pub(super) fn take(&self, client: u64, now: u64) -> bool {
        let Some((interval, ahead)) = self.limit.get() else { return true };
        let start = client as usize % (CLIENTS / CELLS) * CELLS;
        let cells = &self.cells[start..start + CELLS];
        // 0 is an unused cell.
        let client = client | 1;
        if let Some(own) = cells.iter().find(|cell| cell.client.load(Relaxed) == client) {
            return take(&own.paid, now, interval, ahead);
        }
        // The fullest bucket is the least worth remembering.
        if let Some(other) = cells.iter().min_by_key(|cell| cell.paid.load(Relaxed)) {
            other.client.store(client, Relaxed);
            other.paid.store(now.saturating_add(interval), Relaxed);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn per_second(per_second: u32, burst: u32) -> Option<PerSecond> {
        Some(PerSecond { per_second, burst })
    }

    #[test]
    fn a_burst_then_the_rate_then_a_burst_again() {
        let rate = TokenBucket::default();
        assert!((0..1_000).all(|_| rate.take(0)), "no limit");
        rate.set(per_second(10, 3));
        let now = 5 * SECOND;
        assert_eq!((0..10).filter(|_| rate.take(now)).count(), 3);
        // Two seconds of continuous requests.
        let came = (1..=2_000).filter(|ms| rate.take(now + ms * 1_000_000)).count();
        assert_eq!(came, 20);
        assert_eq!(
            (0..10).filter(|_| rate.take(now + 60 * SECOND)).count(),
            3,
            "no more than a burst is saved"
        );
    }

    /// What people are shown agrees with what happens to the next request.
    #[test]
    fn a_bucket_is_full_when_the_next_request_is_refused() {
        let rate = TokenBucket::default();
        assert_eq!(rate.filled(0), None);
        rate.set(per_second(10, 3));
        let mut random = fastrand::Rng::with_seed(3);
        let mut now = 5 * SECOND;
        for _ in 0..2_000 {
            now += random.u64(..SECOND / 5);
            let Filled { burst, taken } = rate.filled(now).unwrap();
            assert_eq!((burst, rate.take(now)), (3, taken < burst));
        }
        assert_eq!(rate.filled(now + SECOND).unwrap().taken, 0);
    }

    #[test]
    fn each_client_has_its_own() {
        let rates = ClientBuckets::default();
        rates.set(per_second(1, 2));
        for client in 1..=100_u64 {
            let client = client << 20;
            assert_eq!((0..5).filter(|_| rates.take(client, SECOND)).count(), 2);
        }
    }

    #[test]
    fn the_busiest_client_is_not_forgotten_in_a_flood_of_others() {
        let rates = ClientBuckets::default();
        rates.set(per_second(100, 100));
        let loud = 42;
        let mut random = fastrand::Rng::with_seed(1);
        let mut came = 0;
        // A second with 10,000 requests of the loud client, and one request each of a million others.
        for step in 0..10_000_u64 {
            let now = SECOND + step * 100_000;
            came += u64::from(rates.take(loud, now));
            let others = (0..100).filter(|_| rates.take(random.u64(..), now)).count();
            assert!(others > 90, "{others} of 100");
        }
        assert!((100..=220).contains(&came), "{came}: a burst, and a second of the rate");
    }

    #[test]
    fn a_rate_that_does_not_divide_a_second() {
        let rate = TokenBucket::default();
        rate.set(per_second(300_000, 1));
        let came = (0..1_000_000).filter(|us| rate.take(SECOND + us * 1_000)).count();
        assert!((245_000..=300_000).contains(&came), "{came}");
    }
}
