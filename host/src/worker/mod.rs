//! A worker: one thread, one event loop, its own sockets, transfers and timers.
//!
//! Nothing is shared between workers while blocks move. A worker never opens a file, runs a plugin,
//! writes a log line or takes a lock that another thread can hold: requests go to the control side, and
//! come back decided.

mod content;
mod counters;
mod messages;
mod requests;
mod sockets;
mod table;
mod transfers;
mod wheel;
mod wire;

pub(crate) use content::{Content, NetasciiFile, Sink};
use counters::Reports;
pub(crate) use messages::{Decision, Mailbox, NewRequest, Stored, Ticket, ToControl, ToWorker};
pub(crate) use sockets::{ListenerSpec, Sockets, bind_all};
pub(crate) use transfers::outcome_of_store_error;

use crate::events::Summary;
use crate::udp::ReceiveBatch;
use mio::{Events, Poll, Token, Waker};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use table::Table;
use tokio::sync::mpsc;
use tuffet_core::{Settings, Time};
use wheel::Wheel;
use wire::Wire;

const MAILBOX: Token = Token(usize::MAX);

/// Batches received from one socket before the others get their turn.
const TURN: usize = 4;

/// What a worker is set up with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WorkerSettings {
    pub(crate) transfer: Settings,
    /// Transfers at once in this worker.
    pub(crate) max_transfers: usize,
    /// Requests of this worker that wait for their decision.
    pub(crate) max_pending: usize,
}

/// Everything that one worker owns.
pub(crate) struct Worker {
    number: usize,
    settings: WorkerSettings,
    poll: Poll,
    mailbox: Arc<Mailbox>,
    wire: Wire,
    table: Table,
    wheel: Wheel,
    control: mpsc::UnboundedSender<ToControl>,
    summaries: mpsc::Sender<Summary>,
    reports: Reports,
    clock: Clock,
    /// Requests that wait for their decision.
    pending: usize,
    draining: Option<Instant>,
}

/// The time of the protocol: since the worker started.
#[derive(Clone, Copy)]
struct Clock(Instant);

impl Clock {
    fn now(self) -> Time {
        Time::from_micros(u64::try_from(self.0.elapsed().as_micros()).unwrap_or(u64::MAX))
    }
}

impl Worker {
    pub(crate) fn new(
        number: usize,
        settings: WorkerSettings,
        sockets: Sockets,
        control: mpsc::UnboundedSender<ToControl>,
        summaries: mpsc::Sender<Summary>,
    ) -> io::Result<Worker> {
        let poll = Poll::new()?;
        sockets.register(poll.registry())?;
        let mailbox = Arc::new(Mailbox::new(Waker::new(poll.registry(), MAILBOX)?));
        Ok(Worker {
            number,
            settings,
            poll,
            mailbox,
            wire: Wire::new(sockets),
            table: Table::default(),
            wheel: Wheel::new(),
            control,
            summaries,
            reports: Reports::default(),
            clock: Clock(Instant::now()),
            pending: 0,
            draining: None,
        })
    }

    /// Where decisions are posted.
    pub(crate) fn mailbox(&self) -> Arc<Mailbox> {
        self.mailbox.clone()
    }

    /// Serves until it is drained.
    ///
    /// # Errors
    /// When the kernel refuses to wait for events: nothing can be served then.
    pub(crate) fn run(mut self) -> io::Result<()> {
        let mut events = Events::with_capacity(256);
        let mut received = ReceiveBatch::new();
        let numbers = self.wire.sockets.numbers();
        let mut readable = vec![false; numbers.len()];
        let mut due = Vec::new();
        loop {
            let busy = readable.contains(&true);
            match self.poll.poll(&mut events, self.patience(busy)) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                polled => polled?,
            }
            self.wheel.advance(self.clock.now());
            for event in &events {
                match event.token() {
                    MAILBOX => self.read_mailbox(),
                    Token(number) => readable[number] = true,
                }
            }
            for &number in &numbers {
                let readable = &mut readable[usize::from(number)];
                if *readable {
                    *readable = self.receive(number, &mut received);
                }
            }
            let now = self.clock.now();
            self.wheel.expire(now, &mut due);
            for index in due.drain(..) {
                self.time_out(index, now);
            }
            self.wire.flush();
            if let Some(news) = self.reports.due(self.wire.counters, now) {
                // Nobody hears it only when the server stops.
                let _ = self.control.send(ToControl::Counted { worker: self.number, news });
            }
            if self.is_drained() {
                return Ok(());
            }
        }
    }

    /// How long to sleep: until the next timer, for good if there is none, not at all while sockets may
    /// have more.
    fn patience(&self, busy: bool) -> Option<Duration> {
        if busy {
            return Some(Duration::ZERO);
        }
        let timer = self.wheel.next().map(|time| time.since(self.clock.now()));
        let drain = self.draining.map(|until| until.saturating_duration_since(Instant::now()));
        [timer, drain].into_iter().flatten().min()
    }

    /// Takes a few batches from a socket; true if there may be more.
    fn receive(&mut self, number: u16, received: &mut ReceiveBatch) -> bool {
        for _ in 0..TURN {
            let Some(socket) = self.wire.sockets.get(number) else { return false };
            let (listener, listens) = (socket.listener, socket.listens);
            let more = received.fill(&socket.socket);
            let now = self.clock.now();
            for datagram in (0..received.len()).filter_map(|index| received.get(index)) {
                match self.table.find(number, &datagram.peer) {
                    Some(index) => self.deliver(index, number, &datagram, now),
                    None if listens => self.request(number, listener, &datagram, now),
                    None => self.stray(number, &datagram),
                }
            }
            self.wire.flush();
            match more {
                Ok(true) => {}
                Ok(false) => return false,
                // An error that the kernel kept for an earlier datagram; reading took it away.
                Err(_) => self.wire.counters.receive_errors += 1,
            }
        }
        true
    }

    fn read_mailbox(&mut self) {
        self.mailbox.open();
        while let Some(letter) = self.mailbox.take() {
            let now = self.clock.now();
            match letter {
                ToWorker::Decided { key, ticket, decision } => self.decided(key, ticket, decision, now),
                ToWorker::Stored { key, stored } => self.stored(key, stored, now),
                ToWorker::Drain { until } => self.draining = Some(until),
            }
        }
    }

    /// Whether there is nothing left to do after [`ToWorker::Drain`]; ends what is left in time.
    fn is_drained(&mut self) -> bool {
        let Some(until) = self.draining else { return false };
        let over = Instant::now() >= until;
        if over {
            self.end_all();
            self.wire.flush();
        }
        over || !self.has_running()
    }
}
