//! The way out for a worker's datagrams.

use super::sockets::{SocketId, Sockets};
use tuffet_udp::SendBatch;

/// Sends batches of datagrams. A type parameter of the worker, so that the data path makes no indirect calls.
pub trait Transmit {
    /// Sends the whole batch through one of the sockets and empties it. Returns the number of lost datagrams.
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
