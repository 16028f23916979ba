//! Counts the places that each client has, in a table of a fixed size that all workers share without a lock.

use super::Share;
use std::num::NonZeroU64;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// The cells of a bucket: one cache line.
const CELLS: usize = 8;

/// The bits of a cell for the count; the others hold a part of the client's hash.
const COUNT_BITS: u32 = 24;
const COUNT: u64 = (1 << COUNT_BITS) - 1;

/// Cells per client that may be counted at once. With half of them free, about one bucket in a thousand is
/// full; a client in a full bucket is admitted without being counted, which no client can cause for itself.
const CELLS_PER_CLIENT: usize = 2;

/// The largest table: 16 MiB.
const MAX_BUCKETS: usize = 1 << 18;

#[repr(align(64))]
#[derive(Debug, Default)]
struct Bucket([AtomicU64; CELLS]);

/// How many places each client has taken. A client is its hash.
#[derive(Debug)]
pub(super) struct ClientCounts {
    buckets: Box<[Bucket]>,
}

impl ClientCounts {
    /// Creates a table for this many clients with a place.
    pub(super) fn for_clients(clients: usize) -> ClientCounts {
        let buckets = clients
            .saturating_mul(CELLS_PER_CLIENT)
            .div_ceil(CELLS)
            .clamp(1, MAX_BUCKETS)
            .next_power_of_two();
        ClientCounts { buckets: (0..buckets).map(|_| Bucket::default()).collect() }
    }

    /// Takes a place for a client with fewer than `most`; `None` if it has that many.
    pub(super) fn take(&self, client: u64, most: u32) -> Option<Share> {
        // Of 2^64 clients one has this hash.
        let Some(counted) = NonZeroU64::new(client) else { return Some(Share::Uncounted) };
        let cells = &self.bucket(client).0;
        loop {
            let (mut taken, mut own, mut free) = (0, None, None);
            for cell in cells {
                let word = cell.load(Relaxed);
                if word & COUNT == 0 {
                    free = free.or(Some((cell, word)));
                } else if word >> COUNT_BITS == client >> COUNT_BITS {
                    // Two workers may each have begun a cell for the same client: the sum counts.
                    taken += word & COUNT;
                    own = Some((cell, word));
                }
            }
            if taken >= u64::from(most).min(COUNT) {
                return None;
            }
            let (cell, word, next) = match (own, free) {
                (Some((cell, word)), _) => (cell, word, word + 1),
                (None, Some((cell, word))) => (cell, word, client & !COUNT | 1),
                (None, None) => return Some(Share::Uncounted),
            };
            if cell.compare_exchange_weak(word, next, Relaxed, Relaxed).is_ok() {
                return Some(Share::Counted(counted));
            }
        }
    }

    /// Returns how many places a client has.
    pub(super) fn taken_by(&self, client: u64) -> u64 {
        let words = self.bucket(client).0.iter().map(|cell| cell.load(Relaxed));
        words.filter(|word| word >> COUNT_BITS == client >> COUNT_BITS).map(|word| word & COUNT).sum()
    }

    /// Gives a place back.
    pub(super) fn give(&self, share: Share) {
        let Share::Counted(client) = share else { return };
        let client = client.get();
        for cell in &self.bucket(client).0 {
            let given = cell.fetch_update(Relaxed, Relaxed, |word| {
                let own = word & COUNT > 0 && word >> COUNT_BITS == client >> COUNT_BITS;
                own.then(|| word - 1)
            });
            if given.is_ok() {
                return;
            }
        }
        debug_assert!(false, "only what was counted is given back");
    }

    fn bucket(&self, client: u64) -> &Bucket {
        // The lowest bits, which a cell does not store.
        &self.buckets[client as usize & (self.buckets.len() - 1)]
    }

    /// All counted places.
    #[cfg(test)]
    pub(super) fn taken(&self) -> u64 {
        let cells = self.buckets.iter().flat_map(|bucket| &bucket.0);
        cells.map(|cell| cell.load(Relaxed) & COUNT).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::thread;

    fn counted(client: u64) -> Share {
        Share::Counted(NonZeroU64::new(client).expect("not 0"))
    }

    #[test]
    fn agrees_with_a_map() {
        let mut random = fastrand::Rng::with_seed(3);
        let clients: Vec<u64> = (0..300).map(|_| random.u64(..)).collect();
        let counts = ClientCounts::for_clients(4_000);
        let mut expected: HashMap<u64, u32> = HashMap::new();
        for _ in 0..100_000 {
            let client = clients[random.usize(..clients.len())];
            let has = expected.entry(client).or_default();
            if random.u8(..9) < 5 {
                let taken = counts.take(client, 5);
                assert_eq!(taken, (*has < 5).then_some(counted(client)));
                *has += u32::from(taken.is_some());
            } else if *has > 0 {
                counts.give(counted(client));
                *has -= 1;
            }
        }
        assert_eq!(counts.taken(), expected.values().copied().map(u64::from).sum::<u64>());
    }

    #[test]
    fn a_full_bucket_admits_without_counting() {
        let counts = ClientCounts::for_clients(1);
        let client = |number: u64| number << COUNT_BITS;
        assert!((1..=8).all(|number| counts.take(client(number), 1) == Some(counted(client(number)))));
        assert_eq!(counts.take(client(9), 1), Some(Share::Uncounted));
        assert_eq!(counts.take(client(8), 1), None, "a counted client is still bounded");
        counts.give(counted(client(3)));
        assert_eq!(
            counts.take(client(9), 1),
            Some(counted(client(9))),
            "a place that was given back is free"
        );
    }

    #[test]
    fn as_many_as_there_is_room_for_are_counted_nearly_all() {
        let mut random = fastrand::Rng::with_seed(7);
        let counts = ClientCounts::for_clients(20_000);
        let uncounted =
            (0..20_000).filter(|_| counts.take(random.u64(..), 1) == Some(Share::Uncounted)).count();
        assert!(uncounted < 40, "{uncounted} of 20,000");
    }

    #[test]
    fn threads_take_and_give_without_losing_count() {
        let counts = ClientCounts::for_clients(64);
        let clients: Vec<u64> =
            (1..=16_u64).map(|number| number.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
        thread::scope(|scope| {
            for seed in 0..4 {
                let (counts, clients) = (&counts, &clients);
                scope.spawn(move || {
                    let mut random = fastrand::Rng::with_seed(seed);
                    let mut mine = Vec::new();
                    for _ in 0..20_000 {
                        if random.bool() {
                            let client = clients[random.usize(..clients.len())];
                            mine.extend(counts.take(client, 50));
                        } else if let Some(share) = mine.pop() {
                            counts.give(share);
                        }
                    }
                    mine.into_iter().for_each(|share| counts.give(share));
                });
            }
        });
        assert_eq!(counts.taken(), 0);
    }
}
