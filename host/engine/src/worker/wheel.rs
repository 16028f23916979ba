//! Timers: one per transfer, with a resolution of a millisecond.
//!
//! A transfer moves its deadline with every packet, nearly always further away. So a timer that is already
//! set to an earlier time stays; when it expires too soon, the transfer names its next deadline. Setting a
//! timer costs nothing per block, and the wheel knows the next due time, so an idle worker sleeps.

use tuffet_core::Time;

/// Slots of one millisecond; a later deadline waits in the last slot and is set again from there.
const SLOTS: usize = 4096;
const MICROS: u64 = 1_000;
const NONE: u32 = u32::MAX;

pub(crate) struct Wheel {
    /// The first timer of each slot.
    slots: Box<[u32; SLOTS]>,
    /// The slots that have timers.
    occupied: [u64; SLOTS / 64],
    /// Links of each timer, by the index of its transfer.
    links: Vec<TimerLink>,
    /// The first tick that has not been processed.
    tick: u64,
}

#[derive(Clone, Copy)]
struct TimerLink {
    previous: u32,
    next: u32,
    /// Its slot, which says when it expires; [`NO_SLOT`] while not set.
    slot: u16,
}

const NO_SLOT: u16 = u16::MAX;
const UNSET: TimerLink = TimerLink { previous: NONE, next: NONE, slot: NO_SLOT };

impl Wheel {
    /// Creates a wheel with room for the timers of the first `count` indices.
    pub(crate) fn with_room(count: usize) -> Self {
        let (slots, links) = (Box::new([NONE; SLOTS]), Vec::with_capacity(count));
        Wheel { slots, occupied: [0; SLOTS / 64], links, tick: 0 }
    }

    /// Sets the timer of `index` to `time` or earlier.
    pub(crate) fn set(&mut self, index: u32, time: Time) {
        if time == Time::NEVER {
            return;
        }
        let wanted = time.as_micros().div_ceil(MICROS).clamp(self.tick, self.tick + SLOTS as u64 - 1);
        let at = index as usize;
        if at >= self.links.len() {
            self.links.resize(at + 1, UNSET);
        }
        let set = self.links[at].slot;
        if set != NO_SLOT && self.tick_of(set.into()) <= wanted {
            return;
        }
        self.cancel(index);
        let slot = slot_of(wanted);
        let first = self.slots[slot];
        self.links[at] = TimerLink { previous: NONE, next: first, slot: slot as u16 };
        if first != NONE {
            self.links[first as usize].previous = index;
        }
        self.slots[slot] = index;
        self.occupied[slot / 64] |= 1 << (slot % 64);
    }

    /// Cancels the timer of `index`, if there is one.
    pub(crate) fn cancel(&mut self, index: u32) {
        let Some(link) = self.links.get_mut(index as usize) else { return };
        if link.slot == NO_SLOT {
            return;
        }
        let TimerLink { previous, next, slot } = std::mem::replace(link, UNSET);
        if next != NONE {
            self.links[next as usize].previous = previous;
        }
        if previous != NONE {
            self.links[previous as usize].next = next;
            return;
        }
        let slot = usize::from(slot);
        self.slots[slot] = next;
        if next == NONE {
            self.occupied[slot / 64] &= !(1 << (slot % 64));
        }
    }

    /// Removes all timers that are due at `now`, and adds them to `due`.
    pub(crate) fn expire(&mut self, now: Time, due: &mut Vec<u32>) {
        let present = now.as_micros() / MICROS;
        while let Some(tick) = self.next_tick().filter(|tick| *tick <= present) {
            self.tick = tick;
            let mut index = self.slots[slot_of(tick)];
            while index != NONE {
                due.push(index);
                index = std::mem::replace(&mut self.links[index as usize], UNSET).next;
            }
            let slot = slot_of(tick);
            self.slots[slot] = NONE;
            self.occupied[slot / 64] &= !(1 << (slot % 64));
        }
        self.tick = self.tick.max(present);
    }

    /// Advances to `now` after a sleep, so that the next timers are measured from it.
    pub(crate) fn advance(&mut self, now: Time) {
        let present = now.as_micros() / MICROS;
        self.tick = self.next_tick().map_or(present, |due| due.min(present)).max(self.tick);
    }

    /// Returns when the next timer is due; `None` if there is none.
    pub(crate) fn next(&self) -> Option<Time> {
        self.next_tick().map(|tick| Time::from_micros(tick * MICROS))
    }

    /// Returns the first occupied slot from the present one on, around the wheel.
    fn next_tick(&self) -> Option<u64> {
        let start = slot_of(self.tick);
        let words = self.occupied.len();
        for step in 0..=words {
            let word = (start / 64 + step) % words;
            let mut bits = self.occupied[word];
            if step == 0 {
                bits &= u64::MAX << (start % 64);
            } else if step == words {
                bits &= !(u64::MAX << (start % 64));
            }
            if bits != 0 {
                return Some(self.tick_of(word * 64 + bits.trailing_zeros() as usize));
            }
        }
        None
    }

    /// Returns when the timers of a slot expire: within one turn of the wheel from the present tick.
    fn tick_of(&self, slot: usize) -> u64 {
        self.tick + ((slot + SLOTS - slot_of(self.tick)) % SLOTS) as u64
    }
}

fn slot_of(tick: u64) -> usize {
    (tick % SLOTS as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::from_micros(ms * MICROS)
    }

    fn expire(wheel: &mut Wheel, now: u64) -> Vec<u32> {
        let mut due = Vec::new();
        wheel.expire(ms(now), &mut due);
        due.sort_unstable();
        due
    }

    #[test]
    fn goes_off_in_order_and_once() {
        let mut wheel = Wheel::with_room(0);
        wheel.set(3, ms(30));
        wheel.set(1, ms(10));
        wheel.set(2, ms(10));
        assert_eq!(wheel.next(), Some(ms(10)));
        assert!(expire(&mut wheel, 9).is_empty());
        assert_eq!(expire(&mut wheel, 10), [1, 2]);
        assert_eq!(wheel.next(), Some(ms(30)));
        assert_eq!(expire(&mut wheel, 5_000), [3]);
        assert_eq!(wheel.next(), None);
    }

    #[test]
    fn a_later_wish_keeps_an_earlier_timer_an_earlier_one_moves_it() {
        let mut wheel = Wheel::with_room(0);
        wheel.set(0, ms(50));
        wheel.set(0, ms(90));
        assert_eq!(wheel.next(), Some(ms(50)));
        wheel.set(0, ms(20));
        assert_eq!(wheel.next(), Some(ms(20)));
        wheel.cancel(0);
        assert_eq!(wheel.next(), None);
    }

    #[test]
    fn a_deadline_beyond_the_wheel_wakes_early() {
        let mut wheel = Wheel::with_room(0);
        wheel.set(0, ms(1_000_000));
        assert_eq!(wheel.next(), Some(ms(SLOTS as u64 - 1)));
        wheel.set(1, Time::NEVER);
        assert_eq!(expire(&mut wheel, SLOTS as u64), [0]);
    }

    #[test]
    fn after_a_long_sleep_timers_are_measured_from_the_present() {
        let mut wheel = Wheel::with_room(0);
        wheel.advance(ms(50_000));
        wheel.set(0, ms(50_020));
        assert_eq!(wheel.next(), Some(ms(50_020)));
        wheel.advance(ms(60_000));
        assert_eq!(expire(&mut wheel, 60_000), [0], "what is overdue is not skipped");
    }

    #[test]
    fn agrees_with_a_sorted_list() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut wheel = Wheel::with_room(0);
        let mut expected: Vec<Option<u64>> = vec![None; 50];
        let mut now = 0;
        for _ in 0..20_000 {
            let index = random.usize(..expected.len());
            if random.u8(..4) == 0 {
                wheel.cancel(index as u32);
                expected[index] = None;
            } else {
                // Some of them have passed.
                let at = (now + random.u64(..4_000)).saturating_sub(200);
                wheel.set(index as u32, ms(at));
                let at = at.max(now);
                expected[index] = Some(expected[index].map_or(at, |old| old.min(at)));
            }
            now += random.u64(0..20);
            let due: Vec<u32> =
                (0..50).filter(|i| expected[*i as usize].is_some_and(|at| at <= now)).collect();
            assert_eq!(expire(&mut wheel, now), due);
            due.iter().for_each(|i| expected[*i as usize] = None);
            assert_eq!(wheel.next(), expected.iter().flatten().min().map(|at| ms(*at)));
        }
    }
}
