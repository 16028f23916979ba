//! The events of a transfer, drawn from the fuzzer's bytes.

use std::time::Duration;

use arbitrary::Arbitrary;
use tuffet_core::{Limits, Operation, OptionSet, Rollover, Settings, Timing};

/// The most steps; further ones are ignored, so that one run stays short.
pub const MOST_STEPS: usize = 512;

#[derive(Debug, Arbitrary)]
pub struct Plan<'a> {
    pub server: bool,
    pub write: bool,
    pub requested: Requested,
    pub limits: Offered,
    pub size: Size,
    pub timing: u8,
    pub rollover_to_one: bool,
    pub steps: Vec<Step<'a>>,
}

/// Options with valid values, as the parser lets through.
#[derive(Debug, Arbitrary)]
pub struct Requested {
    blksize: Option<u16>,
    windowsize: Option<u16>,
    timeout: Option<u8>,
    tsize: Option<u64>,
}

/// Limits of any kind, including those that no configuration allows.
#[derive(Debug, Arbitrary)]
pub struct Offered {
    blksize: u16,
    windowsize: u16,
    burst: Option<u16>,
}

#[derive(Debug, Arbitrary)]
pub enum Size {
    Unknown,
    Small(u16),
    /// A number of whole blocks, and a number of bytes.
    Blocks(u32, u8),
    Any(u64),
}

#[derive(Debug, Arbitrary)]
pub enum Step<'a> {
    /// The expected packet: the next block, or the ACK of the last one sent.
    Expected,
    /// The same, but this many blocks later or earlier, and this much shorter or longer.
    Data {
        ahead: i8,
        shorter: u8,
    },
    DataAt {
        wire: u16,
        length: u16,
    },
    Ack {
        ahead: i8,
    },
    AckAt {
        wire: u16,
    },
    OptionSet {
        fitting: bool,
        options: Requested,
    },
    Error {
        code: u16,
    },
    Raw(&'a [u8]),
    Wait {
        micros: u16,
    },
    WaitLong {
        millis: u16,
    },
    /// Waits until its time-out.
    WaitForTimeout,
    TimeoutEarly,
    Grant,
    Stored,
    RepeatedRequest,
    Fail,
    Abandon,
}

impl Plan<'_> {
    pub fn operation(&self) -> Operation {
        if self.write { Operation::Write } else { Operation::Read }
    }

    /// Returns short and long time-outs, all of which end within thousands of repetitions.
    pub fn settings(&self) -> Settings {
        let ms = |millis: u64| Duration::from_millis(millis);
        let timing = match self.timing % 5 {
            0 => Timing::default(),
            1 => Timing::new(ms(1), ms(1), ms(20), ms(1_000), ms(0)),
            2 => Timing::new(ms(50), ms(10), ms(400), ms(0), ms(1)),
            3 => Timing::new(ms(20), ms(4_000), ms(4_000), ms(60_000), ms(5_000_000)),
            _ => Timing::new(ms(0), ms(0), ms(20), ms(500), ms(100)),
        };
        let rollover = if self.rollover_to_one { Rollover::One } else { Rollover::Zero };
        Settings { timing, rollover }
    }

    pub fn limits(&self) -> Limits {
        let Offered { blksize, windowsize, burst } = self.limits;
        Limits { blksize, windowsize, burst, ..Limits::default() }
    }

    /// Returns the bytes of the stream, if known.
    pub fn size(&self) -> Option<u64> {
        match self.size {
            Size::Unknown => None,
            Size::Small(bytes) => Some(u64::from(bytes)),
            Size::Blocks(blocks, more) => {
                let blksize = self.requested.option_set().block_size();
                Some(u64::from(blocks) * u64::from(blksize) + u64::from(more))
            }
            Size::Any(bytes) => Some(bytes),
        }
    }
}

impl Requested {
    pub fn option_set(&self) -> OptionSet {
        OptionSet {
            blksize: self.blksize.map(|bytes| bytes.clamp(8, 65_464)),
            windowsize: self.windowsize.map(|blocks| blocks.max(1)),
            // More would only make runs longer.
            timeout: self.timeout.map(|seconds| seconds.clamp(1, 20)),
            tsize: self.tsize,
            ..OptionSet::default()
        }
    }
}
