//! The ceilings that a server sets for a transfer.

use crate::acknowledged::Acknowledged;
use crate::block::MAX_BLKSIZE;
use crate::total_rate::TotalRate;
use std::sync::Arc;

/// The largest window that is granted, in blocks: half of the block numbers. In a larger one, a duplicated
/// ACK could be taken for the ACK of blocks that the peer does not have. (RFC 7440 allows requests up to
/// 65535; the server may grant less.)
const MAX_GRANTED_WINDOW: u16 = 32_767;

/// The ceilings of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// A read sends no more DATA than that, retransmissions included, over any span of time, apart from one window or
    /// 50 ms of the rate, whichever is more. A write acknowledges no more than that, with the same exception. The
    /// last ACK of a write is not delayed.
    pub rate: Option<u32>,
    /// The rate that the transfer shares with others; `None` for none. Both rates hold. It lowers blocks and windows as
    /// the share of one more transfer would, and grants no block that holds up the others for long.
    pub total_rate: Option<Arc<TotalRate>>,
    /// Whose transfer it is: clients have equal shares of the total rate, and a client's transfers divide its share.
    pub client: u128,
    /// Whether the client is known to bear copies of DATA packets, by its class. Without it, the time-outs of a lockstep
    /// transfer are at least [`Timing::lockstep_floor`](crate::Timing::lockstep_floor), until the client has shown it.
    pub bears_duplicates: bool,
    /// Whether it is also known to bear a second OACK after it has answered the first one. Without it, an OACK is repeated no
    /// sooner than that time, with any window.
    pub bears_repeated_oack: bool,
    /// The options that are granted at all.
    pub acknowledged: Acknowledged,
    /// Whether the `tsize` 0 of an empty file is acknowledged in a read: curl takes it for an error.
    pub empty_tsize: bool,
}

impl Default for Limits {
    fn default() -> Self {
        let acknowledged = Acknowledged::default();
        Limits {
            blksize: MAX_BLKSIZE,
            windowsize: 64,
            burst: None,
            rate: None,
            total_rate: None,
            client: 0,
            bears_duplicates: false,
            bears_repeated_oack: false,
            acknowledged,
            empty_tsize: true,
        }
    }
}

impl Limits {
    /// The largest window in blocks that may be granted.
    pub(crate) fn most_window(&self) -> u16 {
        self.windowsize.clamp(1, MAX_GRANTED_WINDOW)
    }
}
