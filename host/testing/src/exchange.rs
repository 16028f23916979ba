//! What has passed between a client and the server, so that a wrong answer is one that the client can tell.

use crate::packet::{is_error, is_request, options};
use std::net::SocketAddr;

/// The most clients that are remembered; the one that was silent for the longest time makes room.
const MAX_CLIENTS: usize = 256;

/// The exchange of one client since its last request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Exchange {
    /// The options of the request, until something answers it.
    pub requested: Option<Vec<(String, String)>>,
    /// Whether the client has sent anything after the request. Then it knows the port of its transfer.
    pub has_answered: bool,
    /// The last answer that is no ERROR.
    pub last: Option<Vec<u8>>,
}

impl Exchange {
    /// Records a datagram of the client.
    pub fn sent(&mut self, datagram: &[u8]) {
        if is_request(datagram) {
            *self = Exchange { requested: Some(options(datagram)), ..Exchange::default() };
        } else {
            self.has_answered = true;
            self.requested = None;
        }
    }

    /// Records an answer of the server.
    pub fn answered(&mut self, datagram: &[u8]) {
        if !is_error(datagram) {
            self.last = Some(datagram.to_vec());
        }
    }

    /// Returns the number and the whole of the last answer, if it has this opcode.
    pub fn last_block(&self, opcode: u8) -> Option<(u16, &[u8])> {
        match self.last.as_deref() {
            Some(last @ [0, its, high, low, ..]) if *its == opcode => {
                Some((u16::from_be_bytes([*high, *low]), last))
            }
            _ => None,
        }
    }
}

/// The exchanges of all clients, the last one used first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Exchanges(Vec<(SocketAddr, Exchange)>);

impl Exchanges {
    pub fn of(&mut self, client: SocketAddr) -> &mut Exchange {
        let known = self.0.iter().position(|(its, _)| *its == client);
        let entry = known.map_or_else(|| (client, Exchange::default()), |at| self.0.remove(at));
        self.0.truncate(MAX_CLIENTS - 1);
        self.0.insert(0, entry);
        &mut self.0[0].1
    }
}
