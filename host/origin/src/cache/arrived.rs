//! Tracks the bytes of a file that can be read.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::limits::PART;

/// The number of parts in a group.
const GROUP_PARTS: usize = 1024;

/// The number of readable bytes of each part: those that have arrived, or were verified, in this process.
///
/// Workers read it, so it has no lock. The size is untrusted, so it allocates groups of parts only when bytes of them
/// arrive.
#[derive(Debug)]
pub(super) struct Arrived {
    size: u64,
    groups: Box<[OnceLock<Box<[AtomicU32]>>]>,
}

impl Arrived {
    pub fn new(size: u64) -> Self {
        let groups = size.div_ceil(PART).div_ceil(GROUP_PARTS as u64);
        Self { size, groups: (0..groups).map(|_| OnceLock::new()).collect() }
    }

    /// The number of contiguous readable bytes from `offset` on, at most `length`.
    pub fn run(&self, offset: u64, length: u64) -> u64 {
        let end = offset.saturating_add(length).min(self.size);
        let mut at = offset;
        while at < end {
            let part = at / PART;
            let filled = part * PART + u64::from(self.of(part as usize));
            if filled <= at {
                break;
            }
            at = filled.min(end);
            if filled < ((part + 1) * PART).min(self.size) {
                break;
            }
        }
        at.saturating_sub(offset)
    }

    /// Makes the first bytes of a part readable. Never lowers their number.
    pub fn raise(&self, part: u32, bytes: u32) {
        let (group, place) = (part as usize / GROUP_PARTS, part as usize % GROUP_PARTS);
        let Some(cell) = self.groups.get(group) else { return };
        let last = group + 1 == self.groups.len();
        let parts = if last { self.size.div_ceil(PART) as usize - group * GROUP_PARTS } else { GROUP_PARTS };
        let parts = cell.get_or_init(|| (0..parts).map(|_| AtomicU32::new(0)).collect());
        if let Some(of_part) = parts.get(place) {
            of_part.fetch_max(bytes, Ordering::Release);
        }
    }

    fn of(&self, part: usize) -> u32 {
        let parts = self.groups.get(part / GROUP_PARTS).and_then(OnceLock::get);
        parts.and_then(|parts| parts.get(part % GROUP_PARTS)).map_or(0, |bytes| bytes.load(Ordering::Acquire))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_up_to_the_first_gap() {
        let size = 2 * GROUP_PARTS as u64 * PART + 5;
        let arrived = Arrived::new(size);
        assert_eq!(arrived.run(0, size), 0);
        arrived.raise(0, PART as u32);
        arrived.raise(1, 7);
        assert_eq!(arrived.run(0, size), PART + 7);
        assert_eq!(arrived.run(PART + 7, 10), 0);
        arrived.raise(1, 3);
        assert_eq!(arrived.run(PART, 100), 7, "readable bytes stay readable");
        arrived.raise(2 * GROUP_PARTS as u32, 5);
        assert_eq!(arrived.run(size - 5, 100), 5);
        assert_eq!(arrived.groups.iter().filter(|group| group.get().is_some()).count(), 2);
        assert_eq!(Arrived::new(0).run(0, 10), 0);
    }
}
