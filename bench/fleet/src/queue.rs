//! The event queue: a radix heap.
//!
//! Time never goes back, so an event can be stored in one of 65 lists, by the highest bit in which its time
//! differs from the present. Each event moves at most 64 times in its life, sequentially from list to list;
//! with a million events a binary heap would miss the cache at each level.

use std::collections::VecDeque;

/// Events by time; first in, first out for equal times.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    /// The time of the last event taken.
    present: u64,
    /// Events at the present time.
    ready: VecDeque<T>,
    /// Events whose time differs from the present in this bit, and in no higher one.
    later: Vec<Vec<(u64, T)>>,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Queue { present: 0, ready: VecDeque::new(), later: (0..64).map(|_| Vec::new()).collect() }
    }
}

impl<T> Queue<T> {
    /// Adds an event; one in the past happens now.
    pub(crate) fn push(&mut self, at: u64, event: T) {
        match bit(at.max(self.present), self.present) {
            None => self.ready.push_back(event),
            Some(bit) => self.later[bit].push((at, event)),
        }
    }

    /// Takes the next event with its time.
    pub(crate) fn pop(&mut self) -> Option<(u64, T)> {
        if self.ready.is_empty() {
            let nearest = self.later.iter().position(|events| !events.is_empty())?;
            let mut events = std::mem::take(&mut self.later[nearest]);
            self.present = events.iter().map(|(at, _)| *at).min().unwrap_or(self.present);
            for (at, event) in events.drain(..) {
                match bit(at, self.present) {
                    None => self.ready.push_back(event),
                    Some(bit) => self.later[bit].push((at, event)),
                }
            }
            // Reuses the allocation.
            self.later[nearest] = events;
        }
        self.ready.pop_front().map(|event| (self.present, event))
    }
}

/// Returns the highest bit in which two times differ.
fn bit(at: u64, present: u64) -> Option<usize> {
    (at ^ present).checked_ilog2().map(|bit| bit as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_order_of_time_then_of_arrival() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut queue = Queue::default();
        let (mut put, mut last, mut taken) = (0_u64, (0, 0), 0);
        for _ in 0..20_000 {
            for _ in 0..random.u32(0..4) {
                let bits = random.u32(1..40);
                let ahead = random.u64(0..1 << bits);
                queue.push(last.0 + ahead / 3 * 3, put);
                put += 1;
            }
            if let Some((at, number)) = queue.pop() {
                assert!((at, number) > last || taken == 0, "{:?} after {last:?}", (at, number));
                last = (at, number);
                taken += 1;
            }
        }
        while let Some((at, number)) = queue.pop() {
            assert!((at, number) > last);
            last = (at, number);
            taken += 1;
        }
        assert_eq!(taken, put);
    }
}
