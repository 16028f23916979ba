//! Receiving in batches.

use super::calls::Receiver;
use super::message::RECEIVE_BATCH;
use super::received::Received;
use super::socket::Socket;
use std::io;

/// Reusable buffers for a batch of datagrams.
pub struct ReceiveBatch(Receiver);

impl ReceiveBatch {
    /// Allocates the buffers.
    pub fn new() -> Self {
        ReceiveBatch(Receiver::new())
    }

    /// Receives the datagrams that have arrived, at most one batch. Returns true if there may be more.
    pub fn fill(&mut self, socket: &Socket) -> io::Result<bool> {
        self.fill_up_to(socket, RECEIVE_BATCH)
    }

    /// As [`ReceiveBatch::fill`], but at most `most` datagrams. If fewer have arrived, the call ends with an
    /// empty receive, which costs a third of a datagram: a caller that expects one datagram should pass 1.
    pub fn fill_up_to(&mut self, socket: &Socket, most: usize) -> io::Result<bool> {
        match self.0.receive(socket.inner(), most.clamp(1, RECEIVE_BATCH)) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(true),
            more => more,
        }
    }

    /// Returns the number of datagrams of the last call.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the last call received none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a datagram of the last batch; `None` past its end or from a peer without an IP address.
    pub fn get(&self, index: usize) -> Option<Received<'_>> {
        self.0.get(index)
    }
}

impl Default for ReceiveBatch {
    fn default() -> Self {
        ReceiveBatch::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BindOptions, SendBatch, calls};

    /// Sends twenty full datagrams and a short one as one message, which the kernel segments.
    fn sent_to(gro: bool) -> (Vec<Vec<u8>>, usize) {
        let loopback = "127.0.0.1:0".parse().unwrap();
        let from = Socket::bind(loopback, BindOptions::default()).unwrap();
        let to =
            Socket::bind(loopback, BindOptions { gro, tell_local: gro, ..BindOptions::default() }).unwrap();
        let mut sender = SendBatch::new();
        let length = 20 * 1_404 + 5;
        for (index, byte) in sender.room(length).unwrap().iter_mut().enumerate() {
            *byte = (index / 1_404) as u8;
        }
        sender.push(to.local(), None, length, 1_404);
        assert_eq!(sender.flush(&from).lost, 0);
        let (mut batch, mut datagrams, mut buffers) = (ReceiveBatch::new(), Vec::new(), 0);
        while datagrams.len() < 21 {
            let mut ready = [rustix::event::PollFd::new(&to, rustix::event::PollFlags::IN)];
            let patience = rustix::event::Timespec { tv_sec: 5, tv_nsec: 0 };
            assert_eq!(rustix::event::poll(&mut ready, Some(&patience)), Ok(1), "{}", datagrams.len());
            batch.fill(&to).unwrap();
            for received in (0..batch.len()).filter_map(|index| batch.get(index)) {
                assert_eq!(received.peer, from.local());
                let ancillary = received.local.and_then(|local| local.address);
                assert_eq!(ancillary, gro.then_some(from.local().ip()));
                datagrams.extend(received.datagrams().map(<[u8]>::to_vec));
                buffers += 1;
            }
        }
        (datagrams, buffers)
    }

    #[test]
    fn a_window_comes_whole_where_the_kernel_may_coalesce() {
        let (datagrams, buffers) = sent_to(true);
        assert_eq!(buffers, if calls::SEGMENTS { 1 } else { 21 });
        assert_eq!(sent_to(false), (datagrams.clone(), 21));
        assert_eq!(datagrams[20], [20; 5]);
        for (number, datagram) in datagrams[..20].iter().enumerate() {
            assert_eq!(datagram, &[number as u8; 1_404]);
        }
    }
}
