//! What a worker sends through.

use super::sockets::{SocketId, Sockets};
use tuffet_udp::SendBatch;

/// Sends batches of datagrams. A type parameter of the worker, so that the data path calls no function by a pointer.
pub trait Transmit {
    /// Sends all of the batch through one of the sockets and empties it. Returns how many datagrams were lost.
    fn transmit(&mut self, sockets: &Sockets, through: SocketId, batch: &mut SendBatch) -> u64;
}

/// The sockets themselves.
#[derive(Debug)]
pub struct Kernel;

impl Transmit for Kernel {
    fn transmit(&mut self, sockets: &Sockets, through: SocketId, batch: &mut SendBatch) -> u64 {
        sockets.get(through).map_or(0, |socket| u64::from(batch.flush(&socket.socket).lost))
    }
}
