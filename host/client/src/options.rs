//! What an exchange requests, and how long it waits.

use std::time::Duration;
use tuffet_core::{MAX_BLKSIZE, MIN_BLKSIZE, Mode, OptionSet, Settings, Timing};

/// The shortest time-out once a round trip is measured.
const FLOOR: Duration = Duration::from_millis(20);

/// The time-out of a request. The server's policy may be slow, and repeating the request costs little.
const FIRST: Duration = Duration::from_millis(500);

/// The longest time-out after back-off.
const CAP: Duration = Duration::from_secs(4);

/// The options of an [`Exchange`](crate::Exchange). `None` requests no option.
///
/// ```
/// let mut options = tuffet_client::Options::default();
/// options.windowsize = None;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Bytes in a block, 8 to 65464 (RFC 2348); other values are cut to that range. Default: 1428, which fits into the
    /// packets of an Ethernet.
    pub blksize: Option<u16>,
    /// Blocks in a window, 1 to 65535 (RFC 7440). Default: 16.
    pub windowsize: Option<u16>,
    /// Seconds before a retransmission, 1 to 255 (RFC 2349). Default: none; both ends choose their own.
    pub timeout: Option<u8>,
    /// Whether the size of the file is requested, or announced if it is known (RFC 2349); not in the mode netascii.
    /// Default: true.
    pub tsize: bool,
    /// How the bytes appear on the wire. Default: octet.
    pub mode: Mode,
    /// How long the server may be silent, or only repeat itself. Default: 15 s. At least three of `timeout`.
    pub patience: Duration,
    /// How long a download stays at its end to repeat its last ACK, which may have been lost (RFC 1350 section 6). Without
    /// it, the server repeats the last block in vain. Default: 50 ms.
    pub dally: Duration,
    /// The most bytes that a download may have. Default: no limit.
    pub limit: Option<u64>,
}

impl Options {
    /// Options that request nothing, as in RFC 1350.
    pub fn none() -> Self {
        Options { blksize: None, windowsize: None, tsize: false, ..Options::default() }
    }

    /// `tsize`: the value of that option.
    pub(crate) fn requested(&self, tsize: Option<u64>) -> OptionSet {
        OptionSet {
            // In netascii, in.tftpd 5.2 refuses it with ERROR 8.
            tsize: tsize.filter(|_| self.tsize && self.mode == Mode::Octet),
            blksize: self.blksize.map(|bytes| bytes.clamp(MIN_BLKSIZE, MAX_BLKSIZE)),
            windowsize: self.windowsize.map(|blocks| blocks.max(1)),
            timeout: self.timeout.map(|seconds| seconds.max(1)),
            ..OptionSet::default()
        }
    }

    pub(crate) fn settings(&self) -> Settings {
        Settings { timing: Timing::new(FLOOR, FIRST, CAP, self.patience, self.dally), ..Settings::default() }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            blksize: Some(1428),
            windowsize: Some(16),
            timeout: None,
            tsize: true,
            mode: Mode::Octet,
            patience: Duration::from_secs(15),
            dally: Duration::from_millis(50),
            limit: None,
        }
    }
}
