//! Requests for membership of a group.

use super::super::content::Content;
use super::super::key::Key;
use super::super::sockets::ListenerId;
use super::super::ticket::Ticket;
use std::net::SocketAddr;
use tuffet_core::Limits;
use tuffet_store::Identity;
use tuffet_udp::Local;

/// A granted request for a group.
pub struct Join {
    pub(in super::super) worker: usize,
    pub(in super::super) key: Key,
    pub(in super::super) ticket: Ticket,
    pub(in super::super) content: Content,
    pub(in super::super) limits: Limits,
    pub(in super::super) identity: Box<Identity>,
    pub(in super::super) peer: SocketAddr,
    pub(in super::super) local: Option<Local>,
    pub(in super::super) listener: ListenerId,
}

impl Join {
    /// The worker that has its request.
    pub fn worker(&self) -> usize {
        self.worker
    }

    /// Reports a request that came when the server had stopped.
    pub(in super::super) fn too_late(self) {
        self.ticket.too_late();
    }
}
