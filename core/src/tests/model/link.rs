//! The datagrams in flight in one direction.

use crate::options::OptionSet;

/// A datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Datagram {
    Request,
    Oack(OptionSet),
    Ack(u16),
    Error,
    /// A block with its number on the wire and its offset in the file.
    Data {
        wire: u16,
        offset: u64,
        length: u16,
    },
}

/// A link that keeps the order, except for delayed datagrams.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Link {
    pub queue: Vec<Datagram>,
    /// Delayed datagrams and copies of delivered ones, which may arrive at any time. Sorted, because their
    /// order does not matter.
    pub late: Vec<Datagram>,
}

impl Link {
    pub fn hold(&mut self, datagram: Datagram) {
        self.late.push(datagram);
        self.late.sort_by_key(|datagram| match datagram {
            Datagram::Request => (0, 0),
            Datagram::Oack(_) => (1, 0),
            Datagram::Error => (2, 0),
            Datagram::Ack(wire) => (3, u64::from(*wire)),
            Datagram::Data { offset, wire, .. } => (4, offset << 16 | u64::from(*wire)),
        });
    }
}
