//! The requests of a client, one file after the other, until it has booted.

use serde::Serialize;
use tuffet_core::OptionSet;

/// Bytes in a block, if a client requests a size: fits into an Ethernet frame with room for a tunnel.
pub(crate) const BLKSIZE: u16 = 1_428;

/// The purpose of a request, and how it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Wish {
    /// The size: the client ends the transfer after the OACK, as UEFI does.
    Probe,
    /// The whole file.
    Whole,
    /// A missing file.
    Missing,
}

/// One request of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Step {
    pub(crate) wish: Wish,
    /// Bytes in the file.
    pub(crate) size: u64,
    /// Requested blocks in a window; 1: the option is not requested.
    pub(crate) window: u16,
    /// Milliseconds before the client sends the request.
    pub(crate) pause: u32,
}

impl Step {
    const fn new(wish: Wish, size: u64, window: u16, pause: u32) -> Self {
        Step { wish, size, window, pause }
    }

    /// The options of the request.
    pub(crate) fn requested(&self) -> OptionSet {
        OptionSet {
            tsize: Some(0),
            blksize: Some(BLKSIZE),
            windowsize: (self.window > 1).then_some(self.window),
            ..OptionSet::default()
        }
    }
}

/// A chain that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Chain {
    /// A size probe, a boot loader of 1 MiB, six missing configurations and one of 4 KiB; the rest comes by
    /// HTTP or from a disk
    Loader,
    /// As `loader`, then a kernel of 12 MiB and an initial file system of 48 MiB
    Full,
    /// A phone: three missing files, then five files of 2 to 24 KiB, in lockstep
    Phone,
}

const LOADER: [Step; 9] = [
    Step::new(Wish::Probe, 1 << 20, 64, 0),
    Step::new(Wish::Whole, 1 << 20, 64, 5),
    Step::new(Wish::Missing, 0, 1, 300),
    Step::new(Wish::Missing, 0, 1, 5),
    Step::new(Wish::Missing, 0, 1, 5),
    Step::new(Wish::Missing, 0, 1, 5),
    Step::new(Wish::Missing, 0, 1, 5),
    Step::new(Wish::Missing, 0, 1, 5),
    Step::new(Wish::Whole, 4 << 10, 1, 5),
];

const FULL: [Step; 2] = [Step::new(Wish::Whole, 12 << 20, 64, 50), Step::new(Wish::Whole, 48 << 20, 64, 5)];

const PHONE: [Step; 8] = [
    Step::new(Wish::Missing, 0, 1, 0),
    Step::new(Wish::Missing, 0, 1, 20),
    Step::new(Wish::Missing, 0, 1, 20),
    Step::new(Wish::Whole, 2 << 10, 1, 20),
    Step::new(Wish::Whole, 8 << 10, 1, 20),
    Step::new(Wish::Whole, 24 << 10, 1, 20),
    Step::new(Wish::Whole, 4 << 10, 1, 20),
    Step::new(Wish::Whole, 2 << 10, 1, 20),
];

impl Chain {
    /// Its requests, in order.
    pub(crate) fn steps(self) -> Vec<Step> {
        match self {
            Chain::Loader => LOADER.to_vec(),
            Chain::Full => [&LOADER[..], &FULL[..]].concat(),
            Chain::Phone => PHONE.to_vec(),
        }
    }

    /// Bytes of files that one client loads.
    pub(crate) fn bytes(self) -> u64 {
        self.steps().iter().filter(|step| step.wish == Wish::Whole).map(|step| step.size).sum()
    }
}
