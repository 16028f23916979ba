//! The queued datagrams, as they would arrive.

use super::{Message, Payload, SendBatch};
use crate::Local;
use std::net::SocketAddr;

impl SendBatch {
    /// Calls `each` for every queued datagram, with its peer, its source address if one is set, and its bytes in two
    /// parts, of which the second may be empty.
    pub fn each(&self, mut each: impl FnMut(SocketAddr, Option<Local>, &[u8], &[u8])) {
        for Message { peer, local, bytes, segment, payload, .. } in &self.messages {
            let bytes = &self.arena[bytes.clone()];
            match payload {
                None => bytes.chunks(*segment).for_each(|datagram| each(*peer, *local, datagram, &[])),
                Some(Payload { content, range, header }) => {
                    let mut rest = &content[range.clone()];
                    for header in bytes.chunks(*header) {
                        let (now, later) = rest.split_at(rest.len().min(segment - header.len()));
                        each(*peer, *local, header, now);
                        rest = later;
                    }
                }
            }
        }
    }

    /// Returns the queued datagrams instead of sending them: for tests without a network.
    pub fn drain(&mut self) -> Vec<(SocketAddr, Vec<u8>)> {
        let mut datagrams = Vec::new();
        self.each(|peer, _, header, payload| datagrams.push((peer, [header, payload].concat())));
        self.messages.clear();
        self.used = 0;
        datagrams
    }
}
