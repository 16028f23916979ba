//! The options that a server acknowledges.

/// The name of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OptionName {
    /// Bytes in a block (RFC 2348).
    Blksize,
    /// Seconds before a retransmission (RFC 2349).
    Timeout,
    /// The size of the file (RFC 2349).
    Tsize,
    /// Blocks in a window (RFC 7440).
    Windowsize,
    /// The successor of block 65535 (tftp-hpa).
    Rollover,
    /// Bytes in a block, rounded down to a power of two (tftp-hpa).
    Blksize2,
    /// Microseconds before a retransmission (tftp-hpa).
    Utimeout,
    /// The window size in each ACK (Windows Deployment Services).
    Msftwindow,
}

impl OptionName {
    /// All options.
    pub const ALL: [OptionName; 8] = [
        OptionName::Blksize,
        OptionName::Timeout,
        OptionName::Tsize,
        OptionName::Windowsize,
        OptionName::Rollover,
        OptionName::Blksize2,
        OptionName::Utimeout,
        OptionName::Msftwindow,
    ];

    /// The name in packets.
    pub const fn as_str(self) -> &'static str {
        match self {
            OptionName::Blksize => "blksize",
            OptionName::Timeout => "timeout",
            OptionName::Tsize => "tsize",
            OptionName::Windowsize => "windowsize",
            OptionName::Rollover => "rollover",
            OptionName::Blksize2 => "blksize2",
            OptionName::Utimeout => "utimeout",
            OptionName::Msftwindow => "msftwindow",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A set of option names. The default is those of the RFCs: some clients request every option that they know, and the
/// others would change their behaviour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Acknowledged(u8);

impl Acknowledged {
    /// Returns the set with this option.
    #[must_use]
    pub const fn with(self, option: OptionName) -> Self {
        Acknowledged(self.0 | option.bit())
    }

    /// Returns the set without this option.
    #[must_use]
    pub const fn without(self, option: OptionName) -> Self {
        Acknowledged(self.0 & !option.bit())
    }

    /// Returns whether the option is in the set.
    pub const fn has(self, option: OptionName) -> bool {
        self.0 & option.bit() != 0
    }
}

impl Default for Acknowledged {
    fn default() -> Self {
        use OptionName::{Blksize, Timeout, Tsize, Windowsize};
        Acknowledged(0).with(Blksize).with(Timeout).with(Tsize).with(Windowsize)
    }
}
