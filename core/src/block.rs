//! Block positions: 64 bits in this crate, 16 on the wire.
//!
//! RFC 1350 gives a block number 16 bits and does not define the successor of block 65535. Nearly every
//! implementation continues with 0, some with 1. In this crate, a block has a position that never rolls over:
//! 0 stands for the handshake, 1 for the first DATA.

/// Bytes in a block when nothing was negotiated (RFC 1350).
pub const DEFAULT_BLKSIZE: u16 = 512;
/// The smallest `blksize` (RFC 2348).
pub const MIN_BLKSIZE: u16 = 8;
/// The largest `blksize` (RFC 2348): the payload of an IPv4 datagram.
pub const MAX_BLKSIZE: u16 = 65_464;

/// The successor of block 65535 on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Rollover {
    /// 65535 is followed by 0: nearly all clients.
    #[default]
    Zero,
    /// 65535 is followed by 1; 0 is only ever the handshake.
    One,
}

impl Rollover {
    /// Returns the number on the wire of the block at `position`.
    pub fn wire(self, position: u64) -> u16 {
        match self {
            Rollover::Zero => (position & 0xffff) as u16,
            Rollover::One if position == 0 => 0,
            Rollover::One => ((position - 1) % 65_535 + 1) as u16,
        }
    }

    /// Returns the distance from `base` to the next position with this number on the wire; 0 is `base`
    /// itself. `None` if no position from `base` on has it.
    pub(crate) fn ahead(self, base: u64, wire: u16) -> Option<u64> {
        match self {
            Rollover::Zero => Some(u64::from(wire.wrapping_sub(self.wire(base)))),
            Rollover::One if wire == 0 => (base == 0).then_some(0),
            Rollover::One if base == 0 => Some(u64::from(wire)),
            Rollover::One => {
                let here = i64::from(self.wire(base));
                Some((i64::from(wire) - here).rem_euclid(65_535) as u64)
            }
        }
    }

    /// Returns the number of positions before a block number recurs.
    pub(crate) fn period(self) -> u64 {
        match self {
            Rollover::Zero => 65_536,
            Rollover::One => 65_535,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Rollover;

    #[test]
    fn the_first_rollover() {
        assert_eq!([65_534, 65_535, 65_536, 65_537].map(|p| Rollover::Zero.wire(p)), [65_534, 65_535, 0, 1]);
        assert_eq!([65_534, 65_535, 65_536, 65_537].map(|p| Rollover::One.wire(p)), [65_534, 65_535, 1, 2]);
        assert_eq!(Rollover::One.wire(0), 0);
    }

    #[test]
    fn ahead_undoes_wire_across_many_rollovers() {
        for rollover in [Rollover::Zero, Rollover::One] {
            for base in [0, 1, 2, 65_533, 65_534, 65_535, 65_536, 131_070, 131_071, 20_971_521] {
                for distance in [0, 1, 2, 64, 32_767, 65_533] {
                    let wire = rollover.wire(base + distance);
                    assert_eq!(rollover.ahead(base, wire), Some(distance), "{rollover:?} {base}+{distance}");
                }
            }
        }
        assert_eq!(Rollover::One.ahead(5, 0), None);
    }
}
