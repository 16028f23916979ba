//! Sending: single packets straight from a buffer, windows as one batch.

use crate::figures::Figures;
use crate::loss::Path;
use rustix::io::Errno;
use rustix::net::{SendFlags, send, sendto};
use std::net::SocketAddr;
use tuffet_core::{Blocks, DATA_HEADER, Transfer, data_header};
use tuffet_udp::{MAX_MESSAGE, MAX_SEGMENTS, SendBatch, Socket};

/// The socket and peer of a transfer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) socket: &'a Socket,
    pub(crate) to: SocketAddr,
    /// Whether the socket is connected to `to`, which saves the kernel a route look-up per packet.
    pub(crate) connected: bool,
}

/// Buffers for sending, shared by all transfers.
pub(crate) struct Wire {
    batch: SendBatch,
    packet: Box<[u8]>,
    gso: bool,
}

impl Wire {
    /// With `gso`, windows are sent in few messages that the kernel segments.
    pub(crate) fn new(gso: bool) -> Self {
        Wire { batch: SendBatch::new(), packet: vec![0; 1 << 16].into_boxed_slice(), gso }
    }

    /// Sends one packet, unless the path loses it.
    pub(crate) fn send(&mut self, line: Line<'_>, path: &mut Path, packet: &[u8], figures: &mut Figures) {
        figures.packets_out += 1;
        if path.loses_outbound() {
            figures.lost_out += 1;
        } else {
            transmit(line, packet, figures);
        }
    }

    /// Sends blocks of `content`, with numbers and ranges from `transfer`.
    pub(crate) fn send_blocks(
        &mut self,
        line: Line<'_>,
        path: &mut Path,
        transfer: &Transfer,
        blocks: Blocks,
        content: &[u8],
        figures: &mut Figures,
    ) {
        let full = DATA_HEADER + usize::from(transfer.options().block_size());
        let alone = blocks.count == 1;
        let segments = if self.gso { MAX_SEGMENTS.min(MAX_MESSAGE / full).max(1) } else { 1 };
        let mut rest = blocks.first..blocks.first + u64::from(blocks.count);
        loop {
            // Only the very last block is shorter, so every message consists of equal segments and a tail.
            let mut length = 0;
            for position in rest.by_ref() {
                figures.packets_out += 1;
                if path.loses_outbound() {
                    figures.lost_out += 1;
                    continue;
                }
                length += write_block(transfer, position, content, &mut self.packet[length..]);
                if length >= segments * full {
                    break;
                }
            }
            if length == 0 {
                break;
            }
            if alone {
                transmit(line, &self.packet[..length], figures);
                return;
            }
            if !self.batch.has_room(length) {
                figures.unsent += u64::from(self.batch.flush(line.socket).lost);
            }
            if let Some(room) = self.batch.room(length) {
                room.copy_from_slice(&self.packet[..length]);
                self.batch.push(line.to, None, length, full);
            }
        }
        if !self.batch.is_empty() {
            figures.unsent += u64::from(self.batch.flush(line.socket).lost);
        }
    }
}

/// Writes a DATA packet and returns its length.
fn write_block(transfer: &Transfer, position: u64, content: &[u8], room: &mut [u8]) -> usize {
    let (offset, length) = transfer.range(position, content.len() as u64);
    let (offset, length) = (offset as usize, usize::from(length));
    room[..DATA_HEADER].copy_from_slice(&data_header(transfer.wire(position)));
    room[DATA_HEADER..DATA_HEADER + length].copy_from_slice(&content[offset..offset + length]);
    DATA_HEADER + length
}

/// A packet that the kernel refuses is lost on the path; clients repeat it.
fn transmit(line: Line<'_>, packet: &[u8], figures: &mut Figures) {
    // On a connected socket, the first call may only report that an earlier packet met a closed port.
    for _ in 0..2 {
        let result = if line.connected {
            send(line.socket, packet, SendFlags::DONTWAIT)
        } else {
            sendto(line.socket, packet, SendFlags::DONTWAIT, &line.to)
        };
        match result {
            Ok(_) => return,
            Err(Errno::CONNREFUSED | Errno::INTR) => {}
            Err(Errno::AGAIN | Errno::NOBUFS) => break,
            Err(error) => {
                figures.error(format!("sending: {error}"));
                break;
            }
        }
    }
    figures.unsent += 1;
}
