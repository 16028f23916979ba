//! The parameters of a transfer.

use std::fmt;
use std::rc::Rc;
use tuffet_core::{Limits, Mode, Operation, OptionSet, PeerMetrics, Settings, netascii};

/// The parameters of a transfer: the same for both ends.
#[derive(Debug, Clone)]
pub struct Job {
    pub operation: Operation,
    pub mode: Mode,
    pub requested: OptionSet,
    pub limits: Limits,
    pub settings: Settings,
    /// What the server knows of its peer.
    pub known: PeerMetrics,
    /// The bytes of the file, at the end that has it.
    pub file: Rc<[u8]>,
}

impl Job {
    /// Creates a file of `size` bytes that differ from block to block, in octet mode with default limits.
    pub fn new(operation: Operation, requested: OptionSet, size: usize) -> Self {
        let mut random = fastrand::Rng::with_seed(size as u64);
        Job {
            operation,
            mode: Mode::Octet,
            requested,
            // Of a class that bears copies, as most are: `careful` has the others.
            limits: Limits { bears_duplicates: true, bears_repeated_oack: true, ..Limits::default() },
            settings: Settings::default(),
            known: PeerMetrics::default(),
            file: std::iter::repeat_with(|| random.u8(..)).take(size).collect(),
        }
    }

    /// Returns the same job in octet mode.
    pub fn octet(&self) -> Self {
        Job { mode: Mode::Octet, ..self.clone() }
    }

    /// Returns the stream that carries a file: the file itself, or its lines in netascii, encoded in pieces
    /// of a block as a host does.
    pub fn on_the_wire(&self) -> Rc<[u8]> {
        if self.mode == Mode::Octet {
            return self.file.clone();
        }
        let mut encoder = netascii::Encoder::default();
        let mut block = vec![0; usize::from(self.requested.block_size())];
        let (mut stream, mut at) = (Vec::new(), 0);
        loop {
            let (read, written) = encoder.encode(&self.file[at..], &mut block);
            at += read;
            stream.extend_from_slice(&block[..written]);
            if written < block.len() {
                return stream.into();
            }
        }
    }
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Job { operation, mode, requested, limits, settings, known, file } = self;
        let size = file.len();
        write!(
            f,
            "{operation} of {size} bytes in {mode}, {requested:?} within {limits:?}, {settings:?}, {known:?}"
        )
    }
}
