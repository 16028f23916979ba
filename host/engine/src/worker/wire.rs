//! The outgoing packets of all transfers, batched by socket.

use super::content::Content;
use super::counters::Counters;
use super::sockets::{SocketId, Sockets};
use super::source::ReadError;
use super::table::Entry;
use super::tap::Tap;
use super::transmit::Transmit;
use std::net::SocketAddr;
use std::sync::Arc;
use tuffet_core::{
    Blocks, Control, DATA_HEADER, ErrorCode, MAX_CONTROL, Transfer, UNKNOWN_SIZE, data_header, encode_error,
};
use tuffet_udp::{Local, MAX_MESSAGE, MAX_SEGMENTS, SendBatch};

pub(super) struct Wire<T> {
    pub(super) sockets: Sockets,
    pub(super) counters: Counters,
    /// Datagrams to be sent, all through one socket.
    batch: SendBatch,
    /// `None` before the first packet.
    through: Option<SocketId>,
    pub(super) transmit: T,
    /// The tap during a capture.
    pub(super) tap: Option<Arc<Tap>>,
    /// Groups with a member that is captured.
    pub(super) tapped_groups: Vec<SocketAddr>,
}

impl<T: Transmit> Wire<T> {
    pub(super) fn new(sockets: Sockets, transmit: T) -> Wire<T> {
        let (counters, batch) = (Counters::default(), SendBatch::new());
        Wire { sockets, counters, batch, through: None, transmit, tap: None, tapped_groups: Vec::new() }
    }

    /// Sends all queued datagrams.
    pub(super) fn flush(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        if let Some(through) = self.through {
            if let Some(tap) = &self.tap {
                self.sockets
                    .get(through)
                    .inspect(|socket| tap.sent(socket.socket.local(), &self.batch, &self.tapped_groups));
            }
            self.counters.send_lost += self.transmit.transmit(&self.sockets, through, &mut self.batch);
        }
    }

    /// Queues an ACK, OACK or ERROR.
    pub(super) fn control(&mut self, entry: &Entry, control: &Control) {
        self.packet(entry.tid, entry.peer(), entry.local, |room| control.encode(room));
    }

    /// Queues an ERROR for a peer without a transfer.
    pub(super) fn error(
        &mut self,
        socket: SocketId,
        peer: SocketAddr,
        local: Option<Local>,
        code: ErrorCode,
        text: &str,
    ) {
        self.packet(socket, peer, local, |room| encode_error(code, text, room));
    }

    /// As [`Wire::error`], for an ACK.
    pub(super) fn ack(&mut self, socket: SocketId, peer: SocketAddr, local: Option<Local>, block: u16) {
        self.packet(socket, peer, local, |room| Control::Ack(block).encode(room));
    }

    /// Queues DATA.
    ///
    /// # Errors
    /// The bytes cannot be read, or not yet: the first block that is not queued, and the reason.
    pub(super) fn blocks(&mut self, entry: &mut Entry, blocks: Blocks) -> Result<(), (u64, ReadError)> {
        let Some(mut content) = entry.content.take() else { return Ok(()) };
        let segment = usize::from(entry.core.options().block_size()) + DATA_HEADER;
        let at_once = (MAX_MESSAGE / segment).clamp(1, MAX_SEGMENTS) as u32;
        let mut end = blocks.first + u64::from(blocks.count);
        let mut first = blocks.first;
        let mut queued = Ok(());
        let size_was_known = content.size().is_some();
        while first < end && queued.is_ok() {
            let run = Blocks { first, count: at_once.min((end - first) as u32) };
            queued = match &mut content {
                // Copying one block is faster than describing it.
                Content::Bytes(bytes) if run.count > 1 => {
                    self.gathered(entry, bytes.shared(), run, segment);
                    Ok(())
                }
                content => self.copied(entry, content, run, segment).map_err(|error| (run.first, error)),
            };
            first += u64::from(run.count);
            if !size_was_known && let Some(size) = content.size() {
                // Nothing follows the last block, which this run has reached.
                end = end.min(size / (segment - DATA_HEADER) as u64 + 2);
            }
        }
        if let Some(size) = content.size().filter(|_| !size_was_known) {
            entry.core.end_at(size);
        }
        entry.content = Some(content);
        queued
    }

    /// Queues blocks; the payloads are sent in place, without a copy.
    fn gathered(&mut self, entry: &Entry, bytes: &Arc<[u8]>, run: Blocks, segment: usize) {
        let headers = run.count as usize * DATA_HEADER;
        let batch = self.through(entry.tid, headers);
        let Some(room) = batch.room(headers) else { return };
        for (position, header) in (run.first..).zip(room.chunks_exact_mut(DATA_HEADER)) {
            header.copy_from_slice(&data_header(entry.core.wire(position)));
        }
        let start = entry.core.range(run.first, bytes.len() as u64).0 as usize;
        let stop = (start + run.count as usize * (segment - DATA_HEADER)).min(bytes.len());
        batch.push_gathered(entry.peer(), entry.local, (headers, DATA_HEADER), segment, (bytes, start..stop));
        if entry.core.sends_singly() {
            batch.last_singly();
        }
    }

    /// Queues blocks that are read into the batch.
    fn copied(
        &mut self,
        entry: &Entry,
        content: &mut Content,
        run: Blocks,
        segment: usize,
    ) -> Result<(), ReadError> {
        let length = length_of(&entry.core, run, content.size().unwrap_or(UNKNOWN_SIZE), segment);
        let batch = self.through(entry.tid, length);
        let Some(room) = batch.room(length) else { return Ok(()) };
        let length = content.fill(&entry.core, run, room)?;
        batch.push(entry.peer(), entry.local, length, segment);
        if entry.core.sends_singly() {
            batch.last_singly();
        }
        Ok(())
    }

    pub(super) fn packet(
        &mut self,
        socket: SocketId,
        peer: SocketAddr,
        local: Option<Local>,
        encode: impl FnOnce(&mut [u8]) -> Option<usize>,
    ) {
        let batch = self.through(socket, MAX_CONTROL);
        if let Some(length) = batch.room(MAX_CONTROL).and_then(encode) {
            batch.push(peer, local, length, length);
        }
    }

    /// Returns the batch, ready for a message of `length` bytes through `socket`.
    pub(super) fn through(&mut self, socket: SocketId, length: usize) -> &mut SendBatch {
        if self.through != Some(socket) || !self.batch.has_room(length) {
            self.flush();
            self.through = Some(socket);
        }
        &mut self.batch
    }
}

/// Length of consecutive DATA packets.
fn length_of(transfer: &Transfer, run: Blocks, size: u64, segment: usize) -> usize {
    let (_, last) = transfer.range(run.first + u64::from(run.count) - 1, size);
    segment * (run.count as usize - 1) + DATA_HEADER + usize::from(last)
}
