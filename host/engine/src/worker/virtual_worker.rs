//! A worker in virtual time: without sockets, and driven by a simulation that has the clock and the network. Everything
//! else is the worker of a server: its table, its timers and its rules.
//!
//! A simulation calls, for each of its times: [`VirtualWorker::begin`], [`VirtualWorker::deliver`] for what arrives,
//! [`VirtualWorker::read_mailbox`], [`VirtualWorker::end_turn`]; then it takes what the worker sends and asks.

use super::clock::Clock;
use super::listener_spec::ListenerSpec;
use super::mailbox::Mailbox;
use super::messages::ToControl;
use super::open_sockets::open_virtual;
use super::sockets::{ListenerId, SocketId, Sockets};
use super::transmit::Transmit;
use super::unread::Unread;
use super::{Worker, WorkerSettings};
use mio::Events;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tuffet_core::Time;
use tuffet_request::events::Ended;
use tuffet_udp::{Local, ReceiveBatch, Received, SendBatch};

/// A worker in virtual time.
pub struct VirtualWorker {
    pub(super) worker: Worker<Captured>,
    received: ReceiveBatch,
    unread: Unread,
    due: Vec<u32>,
    events: Events,
}

/// A datagram that the worker sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Departure {
    /// The socket of the worker.
    pub from: SocketId,
    /// The client.
    pub to: SocketAddr,
    /// The bytes.
    pub datagram: Vec<u8>,
}

/// Keeps what the worker sends.
#[derive(Default)]
pub(super) struct Captured(Vec<Departure>);

impl Transmit for Captured {
    fn transmit(&mut self, _: &Sockets, through: SocketId, batch: &mut SendBatch) -> u64 {
        let sent = batch.drain().into_iter();
        self.0.extend(sent.map(|(to, datagram)| Departure { from: through, to, datagram }));
        0
    }
}

impl VirtualWorker {
    /// Creates a worker with sockets for these listeners, none of which has a port: nothing outside of the simulation
    /// reaches it. It sends summaries to `summaries`.
    ///
    /// # Errors
    /// The system has no descriptors.
    pub fn new(
        settings: WorkerSettings,
        listeners: &[ListenerSpec],
        summaries: mpsc::Sender<Ended>,
    ) -> io::Result<VirtualWorker> {
        let sockets = open_virtual(listeners)?;
        let unread = Unread::new(&sockets);
        let mut worker =
            Worker::through(Captured::default(), 0, settings, sockets, summaries, Arc::default())?;
        worker.clock = Clock::standing();
        let (received, events) = (ReceiveBatch::new(), Events::with_capacity(4));
        Ok(VirtualWorker { worker, received, unread, due: Vec::new(), events })
    }

    /// The mailbox to which decisions are posted.
    pub fn mailbox(&self) -> Arc<Mailbox> {
        self.worker.mailbox()
    }

    /// From now on, this worker gets all requests of a listener.
    #[cfg(test)]
    pub(super) fn set_alone(&mut self, listener: u16) {
        self.worker.alone.push(ListenerId(listener));
    }

    /// The socket that receives the requests of a listener, by its position.
    pub fn listening(&self, listener: usize) -> Option<SocketId> {
        let listener = ListenerId(u16::try_from(listener).ok()?);
        self.worker.wire.sockets.listening(listener).next()
    }

    /// When its next timer is due; `None` if it has none.
    pub fn next_timer(&self) -> Option<Time> {
        self.worker.wheel.next()
    }

    /// Begins a turn at this time, which is no earlier than that of the turn before.
    pub fn begin(&mut self, now: Time) {
        self.worker.clock.set(now);
        self.worker.wheel.advance(now);
    }

    /// Delivers a datagram of a client to one of the sockets.
    pub fn deliver(
        &mut self,
        socket: SocketId,
        peer: SocketAddr,
        local: Option<Local>,
        datagram: &[u8],
        now: Time,
    ) {
        let its = self.worker.wire.sockets.get(socket).map(|socket| (socket.listener, socket.listens));
        if let Some(listener) = its {
            let received = Received { peer, local, payload: datagram, segment: None };
            self.worker.dispatch(socket, listener, &received, now);
        }
    }

    /// Waits in real time until the mailbox has a message, at most for `patience`. It may also wake for none.
    ///
    /// # Errors
    /// The kernel refuses to wait.
    pub fn wait(&mut self, patience: Duration) -> io::Result<()> {
        match self.worker.poll.poll(&mut self.events, Some(patience)) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            waited => waited,
        }
    }

    /// Handles the messages of the mailbox; returns their number.
    pub fn read_mailbox(&mut self, now: Time) -> usize {
        let mut count = 0;
        self.worker.mailbox.open();
        while let Some(message) = self.worker.mailbox.take() {
            self.worker.handle(message, now);
            count += 1;
        }
        count
    }

    /// Ends a turn: handles deferred requests and timers, and sends everything.
    pub fn end_turn(&mut self, mut now: Time) {
        let worker = &mut self.worker;
        worker.take_deferred_requests(&mut self.received, &mut self.unread, &mut now);
        worker.wheel.expire(now, &mut self.due);
        for index in self.due.drain(..) {
            worker.time_out(index, now);
        }
        worker.wire.flush();
    }

    /// Takes the messages to the control side.
    pub fn take_messages(&mut self) -> Vec<ToControl> {
        std::mem::take(&mut self.worker.outbox)
    }

    /// Sends and takes the datagrams of the worker, in their order.
    pub fn take_departures(&mut self) -> Vec<Departure> {
        self.worker.wire.flush();
        std::mem::take(&mut self.worker.wire.transmit.0)
    }

    /// Ends all transfers: each has its outcome afterwards, also those that are decided later.
    pub fn end(&mut self) {
        self.worker.end_all(true);
        self.worker.wire.flush();
        self.worker.mailbox.close();
    }
}
