//! Scales tables.

use crate::scale::Scale;

const SMALL: u64 = 100_007;

impl Scale {
    /// Bytes in a file.
    pub(crate) fn size(self, full: u64) -> u64 {
        self.choose([full, full / 8, full.min(SMALL)])
    }

    /// Bytes that a path of this rate moves in three seconds, or in 0.4.
    pub(crate) fn bytes_at(self, bytes_per_second: f64) -> u64 {
        let bytes = (bytes_per_second * self.choose([3.0, 0.4, 0.4])) as u64;
        if self == Scale::Smoke { bytes.min(SMALL / 4) } else { bytes.max(SMALL) }
    }

    /// The steps of a series; a smoke run has only the first and the last.
    pub(crate) fn steps<T: Copy>(self, all: &[T]) -> Vec<T> {
        match (self, all) {
            (Scale::Smoke, [first, .., last]) => vec![*first, *last],
            _ => all.to_vec(),
        }
    }

    pub(crate) fn count(self, full: u32) -> u32 {
        if self == Scale::Smoke { full.min(20) } else { full }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_keeps_the_ends_of_a_series() {
        assert_eq!(Scale::Smoke.steps(&[1, 2, 3]), [1, 3]);
        assert_eq!(Scale::Quick.steps(&[1, 2, 3]), [1, 2, 3]);
        assert_eq!((Scale::Quick.size(100), Scale::Smoke.size(1 << 30)), (12, SMALL));
        assert!(Scale::Smoke.bytes_at(1e9) < Scale::Quick.bytes_at(1e9));
    }
}
