//! The half-open transfers, oldest first.
//!
//! A request proves nothing: its address may be spoofed. Until the first ACK or block arrives, a transfer is
//! held for a client that may not exist, so these have a limit of their own, and at the limit the oldest
//! makes room, as in TCP's queue of half-open connections. The newest must not be dropped: a flood fills the
//! queue in a moment, and then no honest client would get in. If the oldest is dropped, each transfer has the
//! time that it takes to fill the queue once; an honest client answers within a round trip and hardly needs
//! that long.

use slab::Slab;
use std::num::NonZeroU32;
use tuffet_core::Time;

const NONE: u32 = u32::MAX;

#[derive(Default)]
pub(super) struct HalfOpen {
    /// As many as there were half-open transfers at once: most transfers are established.
    links: Slab<AgeLink>,
    /// The keys of the oldest and the newest link.
    ends: Option<(u32, u32)>,
}

/// A place in the list: the key of a link, plus 1, so that an `Option` takes no more memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place(NonZeroU32);

struct AgeLink {
    /// The index of the transfer.
    index: u32,
    older: u32,
    newer: u32,
    since: Time,
}

impl HalfOpen {
    pub(super) fn len(&self) -> usize {
        self.links.len()
    }

    /// Returns the oldest, and when it was added.
    pub(super) fn oldest(&self) -> Option<(u32, Time)> {
        let link = self.links.get(self.ends?.0 as usize)?;
        Some((link.index, link.since))
    }

    /// Removes and returns the oldest.
    pub(super) fn take_oldest(&mut self) -> Option<u32> {
        let (oldest, _) = self.ends?;
        self.unlink(oldest);
        self.links.try_remove(oldest as usize).map(|link| link.index)
    }

    /// Adds a transfer. The caller keeps its place.
    pub(super) fn push(&mut self, index: u32, now: Time) -> Place {
        let link = AgeLink { index, older: NONE, newer: NONE, since: now };
        let key = self.links.insert(link) as u32;
        self.link(key);
        Place(NonZeroU32::MIN.saturating_add(key))
    }

    /// Counts the time of a transfer from now on.
    pub(super) fn renew(&mut self, place: Place, now: Time) {
        let key = place.key();
        self.unlink(key);
        if let Some(link) = self.links.get_mut(key as usize) {
            link.since = now;
            self.link(key);
        }
    }

    /// Removes a transfer.
    pub(super) fn remove(&mut self, place: Place) {
        self.unlink(place.key());
        self.links.try_remove(place.key() as usize);
    }

    /// Appends a link as the newest.
    fn link(&mut self, key: u32) {
        let newest = self.ends.map_or(NONE, |(_, newest)| newest);
        if let Some(link) = self.links.get_mut(key as usize) {
            (link.older, link.newer) = (newest, NONE);
        }
        if let Some(before) = self.links.get_mut(newest as usize) {
            before.newer = key;
        }
        self.ends = Some((self.ends.map_or(key, |(oldest, _)| oldest), key));
    }

    /// Takes a link out of the order.
    fn unlink(&mut self, key: u32) {
        let Some(&AgeLink { older, newer, .. }) = self.links.get(key as usize) else { return };
        if let Some(before) = self.links.get_mut(older as usize) {
            before.newer = newer;
        }
        if let Some(after) = self.links.get_mut(newer as usize) {
            after.older = older;
        }
        let (oldest, newest) = self.ends.unwrap_or((NONE, NONE));
        let oldest = if oldest == key { newer } else { oldest };
        let newest = if newest == key { older } else { newest };
        self.ends = (oldest != NONE).then_some((oldest, newest));
    }
}

impl Place {
    fn key(self) -> u32 {
        self.0.get() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, VecDeque};

    #[test]
    fn agrees_with_a_list() {
        let mut random = fastrand::Rng::with_seed(5);
        let (mut half_open, mut expected) = (HalfOpen::default(), VecDeque::<(u32, Time)>::new());
        let mut places: HashMap<u32, Place> = HashMap::new();
        for step in 0..50_000 {
            let (index, now) = (random.u32(..100), Time::from_micros(step));
            match (places.get(&index).copied(), random.u8(..8)) {
                (None, _) => {
                    places.insert(index, half_open.push(index, now));
                    expected.push_back((index, now));
                }
                (Some(place), 0) => {
                    half_open.renew(place, now);
                    expected.retain(|(other, _)| *other != index);
                    expected.push_back((index, now));
                }
                (Some(_), 1) => {
                    let (oldest, _) = expected.pop_front().expect("one at least");
                    assert_eq!(half_open.take_oldest(), Some(oldest));
                    places.remove(&oldest);
                }
                (Some(place), _) => {
                    half_open.remove(place);
                    places.remove(&index);
                    expected.retain(|(other, _)| *other != index);
                }
            }
            assert_eq!((half_open.oldest(), half_open.len()), (expected.front().copied(), expected.len()));
        }
        while half_open.take_oldest().is_some() {}
        assert_eq!((half_open.oldest(), half_open.len()), (None, 0));
    }
}
