//! The traffic of one end, counted for the invariants.

use super::{ACK, DATA, ERROR, number, opcode};
use tuffet_core::{Blocks, Transfer};
use tuffet_testkit::invariants::{
    FirstWindow, Talk, Unproven, bounded_answers_before_proof, bounded_first_window,
};

/// The counts of one transfer of a server, and of all transfers of an end.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ledger {
    pub talk: Talk,
    /// Whether the client has proven that it receives at its address.
    proven: bool,
    unproven: Unproven,
    /// Requests, and other datagrams, before the first block was acknowledged.
    asks: u64,
    others: u64,
    first: FirstWindow,
    /// The last block sent, and whether ACK 0 is due.
    high: u64,
    offered: bool,
}

impl Ledger {
    /// Begins another transfer; a server's with the request already counted.
    pub fn begin(&mut self) {
        let unproven = Unproven { heard: 1, ..Unproven::default() };
        *self = Ledger { talk: self.talk, unproven, asks: 1, ..Ledger::default() };
    }

    /// Counts a datagram at a server, before the transfer handles it.
    pub fn hear(&mut self, datagram: &[u8], transfer: Option<&Transfer>) {
        self.talk.heard += 1;
        let block = u64::from(number(datagram));
        self.proven |= match opcode(datagram) {
            ACK => block == 0 && self.offered || (1..=self.high).contains(&block),
            DATA => block == 1,
            ERROR => true,
            _ => false,
        };
        self.unproven.heard += u64::from(!self.proven);
        if transfer.is_none_or(|transfer| transfer.blocks() == 0) {
            let asks = matches!(opcode(datagram), 1 | 2);
            *if asks { &mut self.asks } else { &mut self.others } += 1;
        }
    }

    /// Counts sent blocks.
    pub fn send(&mut self, blocks: Blocks, transfer: &Transfer, server: bool) {
        let window = u64::from(transfer.most_window());
        self.talk.window = self.talk.window.max(window);
        self.high = self.high.max(blocks.first + u64::from(blocks.count) - 1);
        if server && transfer.blocks() == 0 {
            self.first.blocks += u64::from(blocks.count);
            self.first.window = window;
            let lockstep = transfer.options().is_empty();
            self.first.heard = self.others + if lockstep { self.asks } else { 0 };
            bounded_first_window(self.first);
        }
    }

    /// Counts sent packets.
    pub fn say(&mut self, packets: &[Vec<u8>], server: bool) {
        for packet in packets {
            let data = opcode(packet) == DATA;
            *if data { &mut self.talk.blocks } else { &mut self.talk.others } += 1;
            self.offered |= opcode(packet) == super::OACK;
            if server && !self.proven {
                self.unproven.answers += 1;
                self.unproven.bytes += packet.len() as u64;
            }
        }
        bounded_answers_before_proof(self.unproven);
    }
}
