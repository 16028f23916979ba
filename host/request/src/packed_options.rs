//! A set of options in 24 bytes instead of 40, for tens of thousands of records.

use tuffet_core::{OptionSet, Rollover};

/// An [`OptionSet`]. 0 stands for a missing option, because the values cannot be 0; `tsize` can, so it has a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PackedOptions {
    tsize: u64,
    has_tsize: bool,
    msftwindow: bool,
    rollover: Option<Rollover>,
    timeout: u8,
    utimeout: u32,
    blksize: u16,
    windowsize: u16,
    blksize2: u16,
}

impl From<OptionSet> for PackedOptions {
    fn from(options: OptionSet) -> PackedOptions {
        PackedOptions {
            tsize: options.tsize.unwrap_or_default(),
            has_tsize: options.tsize.is_some(),
            msftwindow: options.msftwindow,
            rollover: options.rollover,
            timeout: options.timeout.unwrap_or_default(),
            utimeout: options.utimeout.unwrap_or_default(),
            blksize: options.blksize.unwrap_or_default(),
            windowsize: options.windowsize.unwrap_or_default(),
            blksize2: options.blksize2.unwrap_or_default(),
        }
    }
}

impl From<PackedOptions> for OptionSet {
    fn from(packed: PackedOptions) -> OptionSet {
        OptionSet {
            tsize: packed.has_tsize.then_some(packed.tsize),
            blksize: Some(packed.blksize).filter(|blksize| *blksize > 0),
            windowsize: Some(packed.windowsize).filter(|windowsize| *windowsize > 0),
            timeout: Some(packed.timeout).filter(|timeout| *timeout > 0),
            rollover: packed.rollover,
            blksize2: Some(packed.blksize2).filter(|blksize| *blksize > 0),
            utimeout: Some(packed.utimeout).filter(|utimeout| *utimeout > 0),
            msftwindow: packed.msftwindow,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_survives_the_round_trip_alone() {
        assert!(size_of::<PackedOptions>() <= 24);
        let none = OptionSet::default();
        let each = [
            none,
            OptionSet { tsize: Some(0), ..none },
            OptionSet { tsize: Some(u64::MAX), ..none },
            OptionSet { blksize: Some(8), ..none },
            OptionSet { windowsize: Some(65_535), ..none },
            OptionSet { timeout: Some(255), ..none },
            OptionSet { rollover: Some(Rollover::Zero), ..none },
            OptionSet { rollover: Some(Rollover::One), ..none },
            OptionSet { blksize2: Some(512), ..none },
            OptionSet { utimeout: Some(255_000_000), ..none },
            OptionSet { msftwindow: true, ..none },
        ];
        for options in each {
            assert_eq!(OptionSet::from(PackedOptions::from(options)), options);
        }
    }
}
