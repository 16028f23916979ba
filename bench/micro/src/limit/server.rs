//! The measured side: it answers every request with a window of datagrams.

use crate::limit::shape::Shape;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tuffet_udp::Socket;

/// The interval of checks whether to stop.
const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// Answers requests, with the calls of [`UdpCrate`](crate::limit::udp_crate::UdpCrate).
pub(crate) struct Server<'a> {
    pub(crate) socket: Socket,
    pub(crate) shape: &'a Shape,
    /// Datagrams sent.
    pub(crate) sent: &'a AtomicU64,
    pub(crate) stop: &'a AtomicBool,
}

impl Server<'_> {
    /// Waits for requests; returns false when it must stop.
    pub(crate) fn wait(&self) -> io::Result<bool> {
        while !self.stop.load(Ordering::Relaxed) {
            let mut ready = [PollFd::new(&self.socket, PollFlags::IN)];
            match poll(&mut ready, Some(&PATIENCE)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                Ok(_) => return Ok(true),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(false)
    }

    /// Records that a request was answered with a window.
    pub(crate) fn answered(&self) {
        self.sent.fetch_add(self.shape.window as u64, Ordering::Relaxed);
    }
}
