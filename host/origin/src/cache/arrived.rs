//! Which bytes of a file may be read.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::PART;

/// Parts in a group.
const GROUP: usize = 1024;

/// Of each part, the bytes that may be read: they have arrived, or have been verified, in this process.
///
/// Workers read it, so it has no lock. The size is the word of a stranger, so memory is taken for groups of parts as
/// something of them arrives.
#[derive(Debug)]
pub(super) struct Arrived {
    size: u64,
    groups: Box<[OnceLock<Box<[AtomicU32]>>]>,
}

impl Arrived {
    pub fn new(size: u64) -> Self {
        let groups = size.div_ceil(PART).div_ceil(GROUP as u64);
        Self { size, groups: (0..groups).map(|_| OnceLock::new()).collect() }
    }

    /// How many of these bytes may be read, without a gap.
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

    /// The first bytes of a part may be read. It may have been readable further before.
    pub fn raise(&self, part: u32, bytes: u32) {
        let (group, place) = (part as usize / GROUP, part as usize % GROUP);
        let Some(cell) = self.groups.get(group) else { return };
        let last = group + 1 == self.groups.len();
        let parts = if last { self.size.div_ceil(PART) as usize - group * GROUP } else { GROUP };
        let parts = cell.get_or_init(|| (0..parts).map(|_| AtomicU32::new(0)).collect());
        if let Some(of_part) = parts.get(place) {
            of_part.fetch_max(bytes, Ordering::Release);
        }
    }

    fn of(&self, part: usize) -> u32 {
        let parts = self.groups.get(part / GROUP).and_then(OnceLock::get);
        parts.and_then(|parts| parts.get(part % GROUP)).map_or(0, |bytes| bytes.load(Ordering::Acquire))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_up_to_the_first_gap() {
        let size = 2 * GROUP as u64 * PART + 5;
        let arrived = Arrived::new(size);
        assert_eq!(arrived.run(0, size), 0);
        arrived.raise(0, PART as u32);
        arrived.raise(1, 7);
        assert_eq!(arrived.run(0, size), PART + 7);
        assert_eq!(arrived.run(PART + 7, 10), 0);
        arrived.raise(1, 3);
        assert_eq!(arrived.run(PART, 100), 7, "what may be read stays");
        arrived.raise(2 * GROUP as u32, 5);
        assert_eq!(arrived.run(size - 5, 100), 5);
        assert_eq!(arrived.groups.iter().filter(|group| group.get().is_some()).count(), 2);
        assert_eq!(Arrived::new(0).run(0, 10), 0);
    }
}
