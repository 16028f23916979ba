//! The side that is measured: a window of datagrams for every request.

use crate::shape::{Send, Shape};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tuffet::udp::{MAX_MESSAGE, MAX_SEGMENTS, ReceiveBatch, SendBatch, Socket};

/// How long it sleeps before it looks whether it should stop.
const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// Answers requests in batches: all that wait are received before the answers are sent.
pub(crate) struct Server<'a> {
    pub(crate) socket: Socket,
    pub(crate) shape: &'a Shape,
    /// Datagrams sent.
    pub(crate) sent: &'a AtomicU64,
    pub(crate) stop: &'a AtomicBool,
}

impl Server<'_> {
    /// Answers until it is told to stop.
    pub(crate) fn serve(&self) -> io::Result<()> {
        let (mut requests, mut answers) = (ReceiveBatch::new(), SendBatch::new());
        if self.shape.send == Send::Plain {
            self.socket.disable_segmentation();
        }
        while !self.stop.load(Ordering::Relaxed) {
            let mut ready = [PollFd::new(&self.socket, PollFlags::IN)];
            match poll(&mut ready, Some(&PATIENCE)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => continue,
                Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
            while requests.fill(&self.socket)? {
                self.answer(&requests, &mut answers);
            }
            self.answer(&requests, &mut answers);
            answers.flush(&self.socket);
        }
        Ok(())
    }

    fn answer(&self, requests: &ReceiveBatch, answers: &mut SendBatch) {
        for index in 0..requests.len() {
            let Some(request) = requests.get(index) else { continue };
            self.window(request.peer, answers);
            self.sent.fetch_add(self.shape.window as u64, Ordering::Relaxed);
        }
    }

    fn window(&self, peer: SocketAddr, answers: &mut SendBatch) {
        let size = self.shape.size;
        let most = match self.shape.send {
            Send::Gso => (MAX_MESSAGE / size).clamp(1, MAX_SEGMENTS),
            Send::Plain => 1,
        };
        let mut left = self.shape.window;
        while left > 0 {
            let datagrams = left.min(most);
            if !answers.has_room(datagrams * size) {
                answers.flush(&self.socket);
            }
            // The room keeps what was sent before: nothing is copied here that the kernel does not copy.
            answers.push(peer, None, datagrams * size, size);
            left -= datagrams;
        }
    }
}
