//! Datagrams that leave at the same time to the same peer leave as one message, which the kernel segments.

use crate::schedule::Exit;
use tuffet_udp::{MAX_MESSAGE, MAX_SEGMENTS, SendBatch, Socket};

/// The datagrams that leave through one port in its turn.
pub(crate) struct Sender {
    batch: SendBatch,
    port: Option<usize>,
    /// The current run of datagrams of equal size, and that size.
    run: Vec<u8>,
    segment: usize,
    count: usize,
    exit: Option<Exit>,
}

impl Sender {
    pub(crate) fn new() -> Self {
        Sender {
            batch: SendBatch::new(),
            port: None,
            run: Vec::with_capacity(MAX_MESSAGE),
            segment: 0,
            count: 0,
            exit: None,
        }
    }

    /// Adds a datagram; returns how many earlier ones the kernel refused, if they had to be sent first.
    pub(crate) fn add<'a>(
        &mut self,
        exit: Exit,
        bytes: &[u8],
        socket: &impl Fn(usize) -> Option<&'a Socket>,
    ) -> u64 {
        let mut refused = 0;
        let fits = self.exit == Some(exit)
            && bytes.len() <= self.segment
            && self.run.len() == self.count * self.segment
            && self.count < MAX_SEGMENTS
            && self.run.len() + bytes.len() <= MAX_MESSAGE;
        if !fits {
            refused += self.end_run(socket);
            if self.port != Some(exit.port) {
                refused += self.flush(socket);
            }
            self.port = Some(exit.port);
            self.exit = Some(exit);
            self.segment = bytes.len();
        }
        self.run.extend_from_slice(bytes);
        self.count += 1;
        refused
    }

    /// Sends everything; returns how many the kernel refused.
    pub(crate) fn flush<'a>(&mut self, socket: &impl Fn(usize) -> Option<&'a Socket>) -> u64 {
        let mut refused = self.end_run(socket);
        if !self.batch.is_empty()
            && let Some(socket) = self.port.and_then(socket)
        {
            refused += u64::from(self.batch.flush(socket).lost);
        }
        refused
    }

    fn end_run<'a>(&mut self, socket: &impl Fn(usize) -> Option<&'a Socket>) -> u64 {
        let Some(exit) = self.exit.take() else { return 0 };
        let mut refused = 0;
        if !self.batch.has_room(self.run.len())
            && let Some(socket) = socket(exit.port)
        {
            refused += u64::from(self.batch.flush(socket).lost);
        }
        match self.batch.room(self.run.len()) {
            Some(room) => {
                room.copy_from_slice(&self.run);
                self.batch.push(exit.peer, exit.local, self.run.len(), self.segment);
            }
            None => refused += self.count as u64,
        }
        self.run.clear();
        self.count = 0;
        refused
    }
}
