//! A worker: one thread, one event loop, its own sockets, transfers and timers.
//!
//! Workers share nothing while blocks move. A worker never opens a file, runs a plugin, writes a log line or
//! takes a lock that another thread can hold: it passes requests to the control side, which returns
//! decisions.

mod bound_sockets;
mod broadcasts;
mod busy_poll;
mod clock;
mod closed_ports;
mod content;
mod cores;
mod counters;
mod decision;
mod disk;
mod disk_work;
mod drain;
mod ended_transfers;
mod eviction;
mod gate;
mod half_open;
mod key;
mod known_peers;
mod listener_spec;
mod mailbox;
mod messages;
mod millis;
mod multicast;
mod netascii;
mod open_sockets;
mod other_requests;
mod passed;
mod progress_check;
mod recent_requests;
mod requests;
mod scheduling_delay;
mod signal;
#[cfg(test)]
mod simulation;
mod sink;
mod socket_counts;
mod sockets;
mod source;
mod successor;
mod table;
mod tap;
mod ticket;
mod transfers;
mod transmit;
mod unread;
mod upload_times;
#[cfg(any(test, feature = "simulation"))]
mod virtual_worker;
mod wheel;
mod wire;

pub use bound_sockets::BoundSockets;
use busy_poll::BusyPoll;
use clock::Clock;
pub use content::{Content, FileSource};
use cores::Cores;
use counters::Reports;
pub use counters::{Counters, PublishedCounters};
pub use decision::Decision;
pub use disk_work::{DiskResult, DiskWork};
use drain::Draining;
use ended_transfers::EndedTransfers;
pub use gate::{Gate, Stored};
use half_open::HalfOpen;
pub use key::Key;
use known_peers::KnownPeers;
pub use listener_spec::{ListenerSpec, Missing};
pub use mailbox::Mailbox;
pub use messages::{MemberUpdate, NewRequest, ToControl, ToWorker};
pub use multicast::{GroupCounts, GroupSettings, Groups, Join, open_group_sockets};
pub use netascii::NetasciiFile;
pub use open_sockets::{OpenError, open_all};
pub use other_requests::{OtherPlace, OtherRequests};
pub use passed::{Beside, Passed, Succession};
use recent_requests::RecentRequests;
use requests::DeferredRequest;
pub use requests::MAX_REQUEST;
use scheduling_delay::SchedulingDelay;
pub use sink::{Sink, Written};
pub use socket_counts::{SocketUse, sockets_of, tid_ports};
pub use sockets::{ListenerId, SocketId, Sockets};
pub use tap::{StreamPlace, Tap, Tapped};
pub use ticket::{SummaryPermit, Ticket};
pub use transfers::{granted_options, outcome_of_store_error};
pub use upload_times::UploadTimes;
#[cfg(any(test, feature = "simulation"))]
pub use virtual_worker::{Departure, VirtualWorker};

use crate::limits::Limiter;
use mio::{Events, Poll, Token, Waker};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use table::Table;
use tokio::sync::{mpsc, oneshot};
use transmit::{Kernel, Transmit};
use tuffet_core::{Settings, Time};
use tuffet_request::events::Ended;
use tuffet_udp::{ReceiveBatch, Received, UnreachableBatch};
use unread::Unread;
use wheel::Wheel;
use wire::Wire;

const MAILBOX: Token = Token(usize::MAX);

/// Batches received from one socket before the others get their turn.
const BATCHES_PER_TURN: usize = 4;

/// Transfers for which a worker reserves address space at its start, if it may have as many. The kernel adds memory
/// as it is used. Growing by copying would delay blocks, and leave the old memory with the allocator.
const RESERVED_TRANSFERS: usize = 1 << 16;

/// How long unread sockets may hold up timers.
const MAX_TIMER_DELAY: Duration = Duration::from_millis(50);

/// The settings of a worker.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// The settings of every transfer.
    pub transfer: Arc<Settings>,
    /// The most transfers of this worker.
    pub max_transfers: usize,
    /// The most requests of this worker that wait for their decision.
    pub max_pending: usize,
    /// How long after its first answer a client should have replied.
    pub answer_due: Duration,
    /// The number of workers that share `limiter`.
    pub workers: usize,
    /// The limits that all workers share.
    pub limiter: Arc<Limiter>,
    /// How long to poll for the next datagram before sleeping.
    pub busy_poll: Duration,
    /// The other processes that serve the same ports when the worker starts.
    pub succession: Succession,
}

/// A worker and everything it owns.
pub struct Worker<T = Kernel> {
    number: usize,
    settings: WorkerSettings,
    poll: Poll,
    mailbox: Arc<Mailbox>,
    wire: Wire<T>,
    table: Table,
    wheel: Wheel,
    half_open: HalfOpen,
    known_peers: KnownPeers,
    scheduling_delay: SchedulingDelay,
    cores: Cores,
    /// Messages for the control side, sent at the end of the turn: waking it costs as much as a block.
    outbox: Vec<ToControl>,
    /// Requests deferred until the ACKs before them have been read.
    deferred_requests: Vec<DeferredRequest>,
    looked_for_acks: bool,
    recent_requests: RecentRequests,
    ended_transfers: EndedTransfers,
    /// Sockets that have reported an error.
    troubled: Vec<SocketId>,
    closed_ports: UnreachableBatch,
    summaries: mpsc::Sender<Ended>,
    reports: Reports,
    dropping: Arc<PublishedCounters>,
    busy_poll: BusyPoll,
    clock: Clock,
    /// Requests that wait for their decision.
    pending: usize,
    draining: Option<Draining>,
    stopped_listening: bool,
    stopped_reading: bool,
    /// To be answered once the messages before them have had their effect.
    pings: Vec<oneshot::Sender<()>>,
    succession: Succession,
    /// Listeners of which this worker gets all requests: their sockets were bound again, and share the port no longer.
    alone: Vec<ListenerId>,
}

impl Worker {
    /// Creates worker `number`. It sends summaries to `summaries` and counts dropped datagrams in `dropping`.
    ///
    /// # Errors
    /// The kernel refuses an event queue.
    pub fn new(
        number: usize,
        settings: WorkerSettings,
        sockets: Sockets,
        summaries: mpsc::Sender<Ended>,
        dropping: Arc<PublishedCounters>,
    ) -> io::Result<Worker> {
        Worker::through(Kernel, number, settings, sockets, summaries, dropping)
    }
}

/// Makes a panic of a thread that moves blocks an error, so that the server learns of it.
fn contained(run: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let ended = catch_unwind(AssertUnwindSafe(run));
    ended.unwrap_or_else(|_| Err(io::Error::other("a bug: a thread that moves blocks panicked")))
}

impl<T: Transmit> Worker<T> {
    /// As [`Worker::new`], for a worker that sends through `transmit`.
    fn through(
        transmit: T,
        number: usize,
        settings: WorkerSettings,
        sockets: Sockets,
        summaries: mpsc::Sender<Ended>,
        dropping: Arc<PublishedCounters>,
    ) -> io::Result<Worker<T>> {
        let poll = Poll::new()?;
        sockets.register(poll.registry())?;
        let mailbox = Arc::new(Mailbox::new(Waker::new(poll.registry(), MAILBOX)?));
        let room = settings.max_transfers.min(RESERVED_TRANSFERS);
        Ok(Worker {
            number,
            busy_poll: BusyPoll::new(settings.busy_poll),
            succession: settings.succession.clone(),
            alone: sockets.alone(),
            clock: Clock::since(settings.limiter.began()),
            settings,
            poll,
            mailbox,
            wire: Wire::new(sockets, transmit),
            table: Table::with_room(room),
            wheel: Wheel::with_room(room),
            half_open: HalfOpen::default(),
            known_peers: KnownPeers::default(),
            scheduling_delay: SchedulingDelay::default(),
            cores: Cores::default(),
            outbox: Vec::new(),
            deferred_requests: Vec::new(),
            looked_for_acks: false,
            recent_requests: RecentRequests::default(),
            ended_transfers: EndedTransfers::default(),
            troubled: Vec::new(),
            closed_ports: UnreachableBatch::default(),
            summaries,
            reports: Reports::default(),
            dropping,
            pending: 0,
            draining: None,
            stopped_listening: false,
            stopped_reading: false,
            pings: Vec::new(),
        })
    }

    /// Delays retransmissions to clients on this machine while threads wait for a core. Opens /proc/loadavg,
    /// which the sandbox rules allow.
    #[must_use]
    pub fn watching_cores(mut self) -> Self {
        self.cores = Cores::watch();
        self
    }

    /// The mailbox to which decisions are posted.
    pub fn mailbox(&self) -> Arc<Mailbox> {
        self.mailbox.clone()
    }

    /// Serves until it is drained. `control` passes messages to the control side, and does not wait for it.
    ///
    /// # Errors
    /// The kernel refuses to wait for events, without which the worker cannot serve; or the worker panicked.
    pub fn run(mut self, control: impl Fn(Vec<ToControl>)) -> io::Result<()> {
        let result = contained(|| self.serve(&control));
        if result.is_err() {
            // Its transfers still get their outcome, as far as its state permits.
            let _ = contained(|| {
                self.end_all(true);
                self.wire.flush();
                control(std::mem::take(&mut self.outbox));
                Ok(())
            });
        }
        // Requests decided from now on still get their outcome.
        self.mailbox.close();
        result
    }

    fn serve(&mut self, control: &impl Fn(Vec<ToControl>)) -> io::Result<()> {
        let mut events = Events::with_capacity(256);
        let mut received = ReceiveBatch::new();
        let (mut unread, mut turn) = (Unread::new(&self.wire.sockets), Vec::new());
        let mut due = Vec::new();
        let mut now = self.clock.now();
        let mut read_until = now;
        loop {
            let busy = !unread.is_empty() || !self.troubled.is_empty() || self.looks(now);
            let before = self.clock.now();
            let patience = self.patience(busy);
            match self.poll.poll(&mut events, patience) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                polled => polled?,
            }
            now = self.clock.now();
            self.busy_poll.woke(now);
            if events.is_empty() {
                self.scheduling_delay.waited(before, now, patience);
            }
            self.wheel.advance(now);
            for event in &events {
                match event.token() {
                    MAILBOX => self.read_mailbox(now),
                    Token(number) => {
                        let number = SocketId(number as u16);
                        unread.set(number, true);
                        if event.is_error() {
                            self.troubled.push(number);
                        }
                    }
                }
            }
            self.stop_listening(&mut unread);
            for answer in self.pings.drain(..) {
                // The sender of the ping may be gone.
                let _ = answer.send(());
            }
            unread.take(&mut turn);
            for &number in &turn {
                let more = self.receive(number, &mut received, &mut now);
                unread.set(number, more);
            }
            self.take_deferred_requests(&mut received, &mut unread, &mut now);
            self.read_closed_ports(&unread, now);
            // If there was no event, nothing had arrived until the wait ended.
            let polled_at = if events.is_empty() { now } else { before };
            if !unread.has_unread_tid() {
                read_until = read_until.max(polled_at);
            }
            self.wheel.expire(self.timer_horizon(read_until, now), &mut due);
            for index in due.drain(..) {
                self.time_out(index, now);
            }
            self.wire.flush();
            self.reports.publish(self.wire.counters, self.half_open.len(), &self.dropping);
            if let Some(news) = self.reports.due(self.wire.counters, now) {
                self.outbox.push(ToControl::Counted { worker: self.number, news });
            }
            let drained = self.is_drained(now);
            if !self.outbox.is_empty() {
                // The next turn probably has as many.
                let next = Vec::with_capacity(self.outbox.len());
                control(std::mem::replace(&mut self.outbox, next));
            }
            if drained {
                return Ok(());
            }
        }
    }

    /// Timers up to this time may expire. The answer to a later one may still be unread in a socket: this thread was
    /// not scheduled, or has more to read than fits into a turn. A flood delays timers by [`MAX_TIMER_DELAY`] at
    /// most.
    fn timer_horizon(&self, read_until: Time, now: Time) -> Time {
        let oldest = now.as_micros().saturating_sub(MAX_TIMER_DELAY.as_micros() as u64);
        read_until.max(Time::from_micros(oldest))
    }

    /// How long to sleep: until the next timer, indefinitely without one, not at all while sockets may have
    /// more datagrams.
    fn patience(&self, busy: bool) -> Option<Duration> {
        if busy {
            return Some(Duration::ZERO);
        }
        let timer = self.wheel.next().map(|time| time.since(self.clock.now()));
        [timer, self.next_look()].into_iter().flatten().min()
    }

    /// Returns whether to poll for datagrams rather than to sleep. Never polls while requests wait for their
    /// decision: the control side may need this core.
    fn looks(&mut self, now: Time) -> bool {
        self.busy_poll.looks(now) && self.pending == 0
    }

    /// Reads a few batches from a socket; returns whether there may be more. `now` becomes the time of the
    /// last batch.
    fn receive(&mut self, number: SocketId, received: &mut ReceiveBatch, now: &mut Time) -> bool {
        for _ in 0..BATCHES_PER_TURN {
            let Some(socket) = self.wire.sockets.get(number) else { return false };
            let (listener, listens) = (socket.listener, socket.listens);
            let more = received.fill(&socket.socket);
            if !received.is_empty() {
                *now = self.clock.now();
                self.busy_poll.arrived(*now);
                self.tap_received(number, received);
            }
            let now = *now;
            for buffer in (0..received.len()).filter_map(|index| received.get(index)) {
                if buffer.peer.port() == 0 {
                    // No reply can be sent there (RFC 768).
                    self.wire.counters.port_zero += buffer.each().count() as u64;
                    continue;
                }
                // Nothing, if it was broadcast to another network of this host, or to another listener.
                let Some((number, local)) = self.wire.sockets.handling(number, buffer.local) else {
                    continue;
                };
                for datagram in (Received { local, ..buffer }).each() {
                    self.dispatch(number, (listener, listens), &datagram, now);
                }
            }
            self.wire.flush();
            match more {
                Ok(true) => {}
                Ok(false) => return false,
                // The ICMP error of a datagram sent from here; the event for it follows, or is here already.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
                // An error that the kernel kept for an earlier datagram; reading cleared it.
                Err(_) => self.wire.counters.receive_errors += 1,
            }
        }
        true
    }

    /// Handles a datagram that arrived on this socket of this listener.
    fn dispatch(
        &mut self,
        number: SocketId,
        (listener, listens): (ListenerId, bool),
        datagram: &Received<'_>,
        now: Time,
    ) {
        match self.table.find(number, &datagram.peer) {
            Some(index) => self.deliver(index, number, datagram, now),
            None if listens => self.request(number, listener, datagram, now),
            None => self.stray(number, datagram, now),
        }
    }

    fn read_mailbox(&mut self, now: Time) {
        self.mailbox.open();
        while let Some(message) = self.mailbox.take() {
            self.handle(message, now);
        }
    }

    fn handle(&mut self, message: ToWorker, now: Time) {
        match message {
            ToWorker::Decided { key, ticket, share, decision } => {
                self.settings.limiter.was_decided(share);
                self.decided(key, ticket, decision, now);
            }
            ToWorker::Stored { key, stored } => self.stored(key, stored, now),
            ToWorker::Disk(result) => self.disk_done(result, now),
            ToWorker::Ping(answer) => self.pings.push(answer),
            ToWorker::Rebind { listener, interface, answer } => {
                let number = u16::try_from(listener).ok().map(ListenerId);
                let listens = number.is_some_and(|number| self.listens(number));
                let bound = self.wire.sockets.rebind(listener, &interface, listens);
                self.alone.extend(number.filter(|its| bound.is_ok() && !self.alone.contains(its)));
                let _ = answer.send(bound);
            }
            ToWorker::Tap(tap) => self.set_tap(tap),
            ToWorker::Declined(join) => self.declined(*join, now),
            ToWorker::Left { key } => self.left(key),
            // These are for the group thread.
            ToWorker::Join(join) => join.too_late(),
            ToWorker::Member { .. } => {}
            ToWorker::Passed(passed) => self.take_passed(*passed, now),
            ToWorker::Succession(succession) => self.set_succession(succession),
            ToWorker::Drain { until, is_replaced } => self.drain(until, is_replaced, now),
        }
    }
}
