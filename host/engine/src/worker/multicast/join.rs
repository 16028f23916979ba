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
    pub(in crate::worker) worker: usize,
    pub(in crate::worker) key: Key,
    pub(in crate::worker) ticket: Ticket,
    pub(in crate::worker) content: Content,
    pub(in crate::worker) limits: Limits,
    pub(in crate::worker) identity: Box<Identity>,
    pub(in crate::worker) peer: SocketAddr,
    pub(in crate::worker) local: Option<Local>,
    pub(in crate::worker) listener: ListenerId,
}

impl Join {
    /// The worker that has its request.
    pub fn worker(&self) -> usize {
        self.worker
    }

    /// Reports a request that came when the server had stopped.
    pub(in crate::worker) fn too_late(self) {
        self.ticket.too_late();
    }
}
