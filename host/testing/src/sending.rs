//! Sends datagrams when they are due.

use parking_lot::{Condvar, Mutex};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

/// A datagram on its way, ordered by its time and its arrival.
pub(crate) struct Waiting {
    pub(crate) due: Instant,
    pub(crate) by: Arc<UdpSocket>,
    pub(crate) to: SocketAddr,
    pub(crate) bytes: Vec<u8>,
}

/// The datagrams on their way. Cheap to clone; clones share them.
#[derive(Clone, Default)]
pub(crate) struct Sending(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// By time, then by number.
    order: BinaryHeap<Reverse<(Instant, u64)>>,
    waiting: std::collections::HashMap<u64, Waiting>,
    next: u64,
    ended: bool,
}

impl Sending {
    /// Starts the thread that sends.
    pub(crate) fn start() -> std::io::Result<Sending> {
        let sending = Sending::default();
        let its = sending.clone();
        thread::Builder::new().name("testing-network".into()).spawn(move || its.run())?;
        Ok(sending)
    }

    pub(crate) fn send(&self, waiting: Waiting) {
        let mut state = self.0.state.lock();
        let number = state.next;
        state.next += 1;
        state.order.push(Reverse((waiting.due, number)));
        state.waiting.insert(number, waiting);
        self.0.changed.notify_one();
    }

    pub(crate) fn end(&self) {
        self.0.state.lock().ended = true;
        self.0.changed.notify_one();
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.0.state.lock().ended
    }

    fn run(&self) {
        let mut state = self.0.state.lock();
        while !state.ended {
            match state.order.peek().copied() {
                None => self.0.changed.wait(&mut state),
                Some(Reverse((due, number))) if due <= Instant::now() => {
                    state.order.pop();
                    if let Some(Waiting { by, to, bytes, .. }) = state.waiting.remove(&number) {
                        // A peer that is gone loses it.
                        let _ = by.send_to(&bytes, to);
                    }
                }
                Some(Reverse((due, _))) => drop(self.0.changed.wait_until(&mut state, due)),
            }
        }
    }
}
