//! Packets in flight. A datagram is stored as its meaning and encoded on arrival. So each state machine reads
//! the bytes that a network would have delivered, and a million of them fit into memory.

use crate::chain::Step;
use tuffet_core::{Control, ErrorCode, MAX_CONTROL, Mode, Operation, OptionSet, RequestPacket};

/// The address of a server's transfer, in effect the port that answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tid {
    pub(crate) slot: u32,
    /// Distinguishes the transfers that use a slot one after the other.
    pub(crate) generation: u32,
}

impl Tid {
    /// The destination of requests, which belongs to no transfer.
    pub(crate) const NONE: Tid = Tid { slot: u32::MAX, generation: 0 };
}

/// From a client.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Up {
    /// A request for the file of this step.
    Request(u8),
    Ack(u16),
    Error(ErrorCode),
}

/// From a server.
#[derive(Debug)]
pub(crate) enum Down {
    Oack(Box<OptionSet>),
    Error(ErrorCode),
    /// Blocks sent at once.
    Data {
        first: u32,
        count: u16,
    },
}

/// Room for one datagram.
pub(crate) struct Datagram {
    bytes: Box<[u8]>,
    length: usize,
}

impl Datagram {
    pub(crate) fn new() -> Self {
        Datagram { bytes: vec![0; usize::from(u16::MAX) + 1].into_boxed_slice(), length: 0 }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Writes a client's packet.
    pub(crate) fn up(&mut self, packet: Up, steps: &[Step]) -> &[u8] {
        match packet {
            Up::Request(step) => {
                let requested = steps.get(usize::from(step)).map(Step::requested).unwrap_or_default();
                let name = format!("boot/{step}");
                let length = RequestPacket::encode(
                    Operation::Read,
                    name.as_bytes(),
                    Mode::Octet,
                    &requested,
                    &mut self.bytes,
                );
                self.length = length.unwrap_or(0);
                self.bytes()
            }
            Up::Ack(block) => self.control(&Control::Ack(block)),
            Up::Error(code) => self.control(&Control::Error(code, "".into())),
        }
    }

    /// Writes a packet without file data.
    pub(crate) fn control(&mut self, control: &Control) -> &[u8] {
        self.length = control.encode(&mut self.bytes[..MAX_CONTROL]).unwrap_or(0);
        self.bytes()
    }

    /// Writes a block. Without a `payload`, the room keeps its old bytes.
    pub(crate) fn data(&mut self, header: [u8; 4], length: u16, payload: Option<&[u8]>) -> &[u8] {
        self.bytes[..4].copy_from_slice(&header);
        self.length = 4 + usize::from(length);
        if let Some(payload) = payload {
            self.bytes[4..self.length].copy_from_slice(payload);
        }
        self.bytes()
    }
}
