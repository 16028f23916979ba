//! The half-open transfers, oldest first.
//!
//! A request proves nothing: its address may be spoofed. Until the first ACK or block arrives, a transfer is
//! held for a client that may not exist, so these have a limit of their own, and at the limit the oldest
//! makes room, as in TCP's queue of half-open connections. The newest must not be dropped: a flood fills the
//! queue in a moment, and then no honest client would get in. If the oldest is dropped, each transfer has the
//! time that it takes to fill the queue once; an honest client answers within a round trip and hardly needs
//! that long.

use tuffet_core::Time;

const NONE: u32 = u32::MAX;

#[derive(Default)]
pub(super) struct HalfOpen {
    /// Links by the index of the transfer.
    links: Vec<AgeLink>,
    /// The oldest and the newest transfer.
    ends: Option<(u32, u32)>,
    len: usize,
}

#[derive(Clone, Copy)]
struct AgeLink {
    older: u32,
    newer: u32,
    /// `NEVER` while it is not in the list.
    since: Time,
}

const UNLINKED: AgeLink = AgeLink { older: NONE, newer: NONE, since: Time::NEVER };

impl HalfOpen {
    /// Creates a list with room for transfers with the first `count` indices.
    pub(super) fn with_room(count: usize) -> HalfOpen {
        HalfOpen { links: Vec::with_capacity(count), ..HalfOpen::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the oldest, and when it was added.
    pub(super) fn oldest(&self) -> Option<(u32, Time)> {
        self.ends.map(|(oldest, _)| (oldest, self.links[oldest as usize].since))
    }

    /// Adds a transfer that is not in the list.
    pub(super) fn push(&mut self, index: u32, now: Time) {
        let at = index as usize;
        if at >= self.links.len() {
            self.links.resize(at + 1, UNLINKED);
        }
        if self.links[at].since != Time::NEVER {
            return;
        }
        let newest = self.ends.map(|(_, newest)| newest);
        self.links[at] = AgeLink { older: newest.unwrap_or(NONE), newer: NONE, since: now };
        if let Some(newest) = newest {
            self.links[newest as usize].newer = index;
        }
        self.ends = Some((self.ends.map_or(index, |(oldest, _)| oldest), index));
        self.len += 1;
    }

    /// Removes a transfer, if it is in the list.
    pub(super) fn remove(&mut self, index: u32) {
        let Some(link) = self.links.get_mut(index as usize) else { return };
        let AgeLink { older, newer, since } = std::mem::replace(link, UNLINKED);
        if since == Time::NEVER {
            return;
        }
        if older != NONE {
            self.links[older as usize].newer = newer;
        }
        if newer != NONE {
            self.links[newer as usize].older = older;
        }
        self.len -= 1;
        self.ends = self.ends.filter(|_| self.len > 0).map(|(oldest, newest)| {
            (if oldest == index { newer } else { oldest }, if newest == index { older } else { newest })
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    #[test]
    fn agrees_with_a_list() {
        let mut random = fastrand::Rng::with_seed(5);
        let (mut half_open, mut expected) = (HalfOpen::default(), VecDeque::<(u32, Time)>::new());
        for step in 0..50_000 {
            let (index, now) = (random.u32(..100), Time::from_micros(step));
            if random.bool() {
                half_open.push(index, now);
                if !expected.iter().any(|(other, _)| *other == index) {
                    expected.push_back((index, now));
                }
            } else {
                half_open.remove(index);
                expected.retain(|(other, _)| *other != index);
            }
            assert_eq!((half_open.oldest(), half_open.len()), (expected.front().copied(), expected.len()));
        }
    }
}
