//! What passed through the network of a world.

use crate::Direction;
use crate::packet::describe;
use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

/// The datagrams of a world, in the order of their sending. As text, a line for each. Two runs of one world with one seed
/// have equal traces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace(pub(super) Vec<Passage>);

/// A datagram that one end sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The virtual time at which it was sent.
    pub at: Duration,
    /// Its direction.
    pub direction: Direction,
    /// The client.
    pub client: SocketAddr,
    /// The end of the server: 0 is where requests arrive, others are TID ports in the order of their first use by this
    /// client.
    pub tid: u16,
    /// Its first four bytes, or all if it is shorter.
    pub head: [u8; 4],
    /// Its length in bytes.
    pub length: usize,
    /// How often it is delivered.
    pub deliveries: usize,
    /// What it says, unless it is DATA or ACK.
    words: Option<Box<str>>,
}

impl Passage {
    pub(super) fn new(
        at: Duration,
        direction: Direction,
        (client, tid): (SocketAddr, u16),
        datagram: &[u8],
        deliveries: usize,
    ) -> Passage {
        let mut head = [0; 4];
        let known = datagram.len().min(head.len());
        head[..known].copy_from_slice(&datagram[..known]);
        // The others are frequent, and their head says it all.
        let words = (!matches!(datagram, [0, 3 | 4, _, _, ..])).then(|| describe(datagram).into());
        Passage { at, direction, client, tid, head, length: datagram.len(), deliveries, words }
    }
}

impl Trace {
    /// The datagrams.
    pub fn passages(&self) -> &[Passage] {
        &self.0
    }
}

impl fmt::Display for Passage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arrow = match self.direction {
            Direction::ToServer => "->",
            Direction::ToClient => "<-",
        };
        write!(f, "{:.6} {} {arrow} {} ", self.at.as_secs_f64(), self.client, self.tid)?;
        let number = u16::from_be_bytes([self.head[2], self.head[3]]);
        match (&self.words, self.head[1]) {
            (Some(words), _) => f.write_str(words)?,
            (None, 3) => write!(f, "DATA {number}, {} bytes", self.length.saturating_sub(4))?,
            (None, _) => write!(f, "ACK {number}")?,
        }
        match self.deliveries {
            0 => f.write_str(" (lost)"),
            1 => Ok(()),
            times => write!(f, " (delivered {times} times)"),
        }
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|passage| writeln!(f, "{passage}"))
    }
}
