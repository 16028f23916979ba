//! The ceilings that a server sets for a transfer.

use crate::acknowledged::Acknowledged;
use crate::options::{DEFAULT_BLKSIZE, MAX_BLKSIZE, OptionSet};

/// The largest window that is granted, in blocks: half of the block numbers. In a larger one, a duplicated
/// ACK could be taken for the ACK of blocks that the peer does not have. (RFC 7440 allows requests up to
/// 65535; the server may grant less.)
const MAX_GRANTED_WINDOW: u16 = 32_767;

/// With a rate, a block takes at most a quarter of a second, and a window half a second. The shortest timers of
/// clients are a second long, and they should not expire because the server takes its time.
const BLOCKS_PER_SECOND: u32 = 4;
const WINDOWS_PER_SECOND: u32 = 2;

/// The ceilings of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The largest block in bytes, 8 to 65464.
    pub blksize: u16,
    /// The largest window in blocks, 1 to 32767; larger values are cut to that.
    pub windowsize: u16,
    /// How many blocks of a window are sent within a millisecond, at least 1; `None`: all at once. Not
    /// negotiated: a larger window is paced.
    pub burst: Option<u16>,
    /// The most bytes of file data in a second, at least 1; `None` for no limit. Not negotiated, but blocks above
    /// 512 bytes and windows are lowered, so that a window takes at most half a second.
    ///
    /// A read sends no more DATA than that, retransmissions included, over any time, beyond one window or what the
    /// rate allows in 50 ms, whichever is more. A write acknowledges no more than that, beyond as much. The last
    /// ACK of a write is not delayed.
    pub rate: Option<u32>,
    /// The options that are granted at all.
    pub acknowledged: Acknowledged,
}

impl Default for Limits {
    fn default() -> Self {
        let acknowledged = Acknowledged::default();
        Limits { blksize: MAX_BLKSIZE, windowsize: 64, burst: None, rate: None, acknowledged }
    }
}

impl Limits {
    /// The largest window in blocks that may be granted.
    pub(crate) fn most_window(&self) -> u16 {
        self.windowsize.clamp(1, MAX_GRANTED_WINDOW)
    }

    /// Returns the limits with the blocks and windows that this request may have at the rate. A transfer applies
    /// this itself.
    #[must_use]
    pub fn within_rate(self, requested: &OptionSet) -> Limits {
        let Some(rate) = self.rate else { return self };
        let blksize = (rate / BLOCKS_PER_SECOND).max(DEFAULT_BLKSIZE.into()).min(self.blksize.into()) as u16;
        let limits = Limits { blksize, ..self };
        let block = OptionSet::grant(requested, &limits, None).block_size();
        let window = rate / WINDOWS_PER_SECOND / u32::from(block);
        Limits { windowsize: window.clamp(1, self.windowsize.max(1).into()) as u16, ..limits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_takes_at_most_half_a_second() {
        let granted = |rate, blksize, windowsize| {
            let requested = OptionSet { blksize, windowsize: Some(windowsize), ..OptionSet::default() };
            let limits = Limits { rate: Some(rate), ..Limits::default() }.within_rate(&requested);
            let granted = OptionSet::grant(&requested, &limits, None);
            (granted.block_size(), granted.window_size())
        };
        assert_eq!(granted(1_000_000, Some(1_428), 64), (1_428, 64));
        assert_eq!(granted(100_000, Some(1_428), 64), (1_428, 35));
        assert_eq!(granted(100_000, Some(65_464), 64), (25_000, 2));
        assert_eq!(granted(1_000, Some(1_428), 64), (512, 1));
        assert_eq!(granted(1, None, 64), (512, 1), "smaller blocks are not everybody's");
        assert_eq!(granted(u32::MAX, Some(65_464), 64), (65_464, 64));
    }
}
