//! The store behind the servers, and the cache of each.
//!
//! A server fetches a file once, however many clients wait, and serves what has arrived of it. All servers are cold at
//! the same moment and fetch the same files, so each gets an equal share of the store's line and of its requests: no
//! server needs to know of another.

use serde::Serialize;

/// A store that all servers fetch from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Origin {
    /// Its line, in bits per second.
    pub(crate) line: u64,
    /// From a request to the first byte of the answer, in nanoseconds.
    pub(crate) latency: u64,
    /// Requests that it answers in a second.
    pub(crate) requests: u64,
    /// Whether missing names are looked up there. Each client requests different names, so no cache helps.
    pub(crate) lookups: bool,
}

/// The cache of a server; cold at first.
#[derive(Debug)]
pub(crate) struct Cache {
    origin: Origin,
    /// This server's share of the line, in bits per second, and the time between its requests, in nanoseconds.
    line: u64,
    apart: u64,
    /// When the next request may be sent, and when the line has delivered everything requested.
    next_request: u64,
    line_free: u64,
    /// Files that have arrived or are arriving, by size, which distinguishes them.
    files: Vec<(u64, FileArrival)>,
    /// Bytes fetched, and names looked up in vain.
    pub(crate) fetched: u64,
    pub(crate) lookups: u64,
}

/// The arrival of a file.
#[derive(Debug, Clone, Copy)]
struct FileArrival {
    /// When the head of the answer has come, with the size.
    known: u64,
    /// When the first byte came.
    begin: u64,
}

impl Cache {
    /// Creates the cache of one of this many servers.
    pub(crate) fn new(origin: Origin, servers: u16) -> Self {
        let servers = u64::from(servers.max(1));
        Cache {
            origin,
            line: (origin.line / servers).max(1),
            apart: 1_000_000_000 * servers / origin.requests.max(1),
            next_request: 0,
            line_free: 0,
            files: Vec::new(),
            fetched: 0,
            lookups: 0,
        }
    }

    /// Returns when the server knows the size of a file. The first call fetches it.
    pub(crate) fn open(&mut self, now: u64, size: u64) -> u64 {
        if let Some(arrival) = self.arrival(size) {
            return arrival.known;
        }
        let known = self.request(now, 1);
        let begin = known.max(self.line_free);
        self.line_free = begin + self.span(size);
        self.fetched += size;
        self.files.push((size, FileArrival { known, begin }));
        known
    }

    /// Returns when the server knows that a file is missing. With fewer clients than in the whole fleet, one request
    /// stands for `scale` of them.
    pub(crate) fn look_up(&mut self, now: u64, scale: u32) -> u64 {
        if !self.origin.lookups {
            return now;
        }
        self.lookups += 1;
        self.request(now, u64::from(scale))
    }

    /// Returns how many bytes of a file have arrived.
    pub(crate) fn arrived(&self, now: u64, size: u64) -> u64 {
        let Some(arrival) = self.arrival(size) else { return 0 };
        let span = u128::from(now.saturating_sub(arrival.begin));
        (span * u128::from(self.line) / 8_000_000_000).min(u128::from(size)) as u64
    }

    /// Returns when the bytes of a file up to this offset will have arrived.
    pub(crate) fn complete_at(&self, size: u64, offset: u64) -> u64 {
        self.arrival(size).map_or(u64::MAX, |arrival| arrival.begin + self.span(offset) + 1)
    }

    fn arrival(&self, size: u64) -> Option<FileArrival> {
        self.files.iter().find(|(its, _)| *its == size).map(|(_, arrival)| *arrival)
    }

    /// Sends requests, and returns when the last of them is answered.
    fn request(&mut self, now: u64, count: u64) -> u64 {
        let sent = self.next_request.max(now);
        self.next_request = sent + self.apart * count;
        sent + self.origin.latency
    }

    fn span(&self, bytes: u64) -> u64 {
        (u128::from(bytes) * 8_000_000_000 / u128::from(self.line)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// 8 Mbit/s and 20 requests a second for two servers: 500 kB and 10 requests a second for each.
    fn cache() -> Cache {
        let origin = Origin { line: 8_000_000, latency: SECOND / 50, requests: 20, lookups: true };
        Cache::new(origin, 2)
    }

    #[test]
    fn a_file_is_fetched_once_and_arrives_at_the_rate_of_the_line() {
        let mut cache = cache();
        let known = cache.open(SECOND, 1_000_000);
        assert_eq!(known, SECOND + SECOND / 50);
        assert_eq!(cache.open(2 * SECOND, 1_000_000), known, "the second client needs no second fetch");
        assert_eq!((cache.fetched, cache.arrived(known, 1_000_000)), (1_000_000, 0));
        assert_eq!(cache.arrived(known + SECOND, 1_000_000), 500_000);
        assert_eq!(cache.arrived(known + 9 * SECOND, 1_000_000), 1_000_000);
        let half = cache.complete_at(1_000_000, 500_000);
        assert!(
            cache.arrived(half, 1_000_000) >= 500_000 && cache.arrived(half - 10_000, 1_000_000) < 500_000
        );
        // The next file waits for the line.
        let next = cache.open(known, 4_000);
        assert_eq!(cache.arrived(next + SECOND, 4_000), 0);
        assert_eq!(cache.arrived(known + 3 * SECOND, 4_000), 4_000);
    }

    #[test]
    fn names_that_are_missing_wait_for_their_turn() {
        let mut cache = cache();
        let answers: Vec<u64> = (0..3).map(|_| cache.look_up(0, 1)).collect();
        assert_eq!(answers, [SECOND / 50, SECOND / 50 + SECOND / 10, SECOND / 50 + SECOND / 5]);
        cache.look_up(0, 20);
        assert_eq!(cache.look_up(0, 1), SECOND / 50 + 23 * SECOND / 10, "one stands for twenty");
        let local = Origin { lookups: false, ..cache.origin };
        assert_eq!(Cache::new(local, 1).look_up(7, 1), 7);
    }
}
