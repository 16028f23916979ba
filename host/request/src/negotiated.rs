//! The negotiated options of a transfer in five bytes, beside the request.

use tuffet_core::OptionSet;

/// The negotiated options. A server lowers block sizes and windows; it grants other options with the value of the
/// request, and `tsize` with the size ([`OptionSet::grant`]). So a bit each stands for those.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Negotiated {
    /// The window size, above the size of a block.
    pub(crate) sizes: u32,
    /// Never 0.
    pub(crate) granted: u8,
}

const NEGOTIATED: u8 = 1;
const TSIZE: u8 = 1 << 1;
const TIMEOUT: u8 = 1 << 2;
const UTIMEOUT: u8 = 1 << 3;
const ROLLOVER: u8 = 1 << 4;
const MSFTWINDOW: u8 = 1 << 5;
/// The size of a block is that of `blksize2`. Only one of the two options is granted.
const BLKSIZE2: u8 = 1 << 6;

impl Negotiated {
    /// Packs negotiated options.
    pub(crate) fn new(options: &OptionSet) -> Negotiated {
        let block = options.blksize.or(options.blksize2).unwrap_or_default();
        let window = options.windowsize.unwrap_or_default();
        let bits = [
            (TSIZE, options.tsize.is_some()),
            (TIMEOUT, options.timeout.is_some()),
            (UTIMEOUT, options.utimeout.is_some()),
            (ROLLOVER, options.rollover.is_some()),
            (MSFTWINDOW, options.msftwindow),
            (BLKSIZE2, options.blksize2.is_some()),
        ];
        let granted = bits.iter().filter(|(_, is)| *is).fold(NEGOTIATED, |all, (bit, _)| all | bit);
        Negotiated { sizes: u32::from(window) << 16 | u32::from(block), granted }
    }

    /// Returns the options. `requested`: the requested ones; `size`: bytes on the wire.
    pub(crate) fn options(self, requested: &OptionSet, size: Option<u64>) -> OptionSet {
        let Negotiated { sizes, granted } = self;
        let has = |bit: u8| granted & bit != 0;
        // 0 stands for a missing option: no size can be 0.
        let size_of = |bits: u32| Some(bits as u16).filter(|size| *size > 0);
        OptionSet {
            tsize: size.filter(|_| has(TSIZE)),
            blksize: size_of(sizes).filter(|_| !has(BLKSIZE2)),
            windowsize: size_of(sizes >> 16),
            timeout: requested.timeout.filter(|_| has(TIMEOUT)),
            rollover: requested.rollover.filter(|_| has(ROLLOVER)),
            blksize2: size_of(sizes).filter(|_| has(BLKSIZE2)),
            utimeout: requested.utimeout.filter(|_| has(UTIMEOUT)),
            msftwindow: has(MSFTWINDOW),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuffet_core::{Acknowledged, Limits, OptionName, Rollover};

    fn limits(blksize: u16, windowsize: u16, acknowledged: Acknowledged) -> Limits {
        Limits { blksize, windowsize, acknowledged, ..Limits::default() }
    }

    /// Every set that a server grants, for requests with and without each option.
    #[test]
    fn each_granted_set_survives_the_round_trip() {
        let each = |all: u32, bit: u32| all >> bit & 1 == 1;
        for asked in 0..1 << 8 {
            let requested = OptionSet {
                tsize: each(asked, 0).then_some(77),
                blksize: each(asked, 1).then_some(1_428),
                windowsize: each(asked, 2).then_some(65_535),
                timeout: each(asked, 3).then_some(255),
                rollover: each(asked, 4).then_some(Rollover::One),
                blksize2: each(asked, 5).then_some(1_000),
                utimeout: each(asked, 6).then_some(255_000_000),
                msftwindow: each(asked, 7),
            };
            for (blksize, windowsize, size) in [(65_464, 64, Some(u64::MAX - 1)), (512, 1, None)] {
                for acknowledged in [
                    Acknowledged::default(),
                    OptionName::ALL.into_iter().fold(Acknowledged::default(), Acknowledged::with),
                ] {
                    let limits = limits(blksize, windowsize, acknowledged);
                    let granted = OptionSet::grant(&requested, &limits, size);
                    let negotiated = Negotiated::new(&granted);
                    assert!(negotiated.granted > 0);
                    assert_eq!(negotiated.options(&requested, size), granted);
                }
            }
        }
    }
}
