//! The group thread (RFC 2090): clients that read one file from one stream.
//!
//! The kernel spreads the clients of a file over all workers, but a group has one sender, and its members accept
//! blocks from one TID port alone. So all groups live on one thread, which has separate TID ports. A worker passes a
//! granted request on ([`Join`]), and keeps a silent transfer for it: the client's port, its place in the limits, and
//! the recognition of repeated requests stay with the worker. One thread is enough: hundreds of clients cost it the
//! ACKs of one.
//!
//! To the control side the thread is one more worker, with the next number: it is drained and pinged like the others.

mod counts;
mod join;
mod members;
mod pool;
mod send;

use super::contained;
use super::content::Content;
use super::disk_work::DiskResult;
use super::key::Key;
use super::mailbox::Mailbox;
use super::messages::{ToControl, ToWorker};
use super::sockets::{ListenerId, SocketId, Sockets};
use super::ticket::Ticket;
use super::transmit::Kernel;
use super::wire::Wire;
use super::{BATCHES_PER_TURN, Clock, MAILBOX};
use crate::limits::Limiter;
pub use counts::GroupCounts;
pub use join::Join;
use mio::{Events, Poll, Token, Waker};
use pool::Pool;
pub use pool::open_group_sockets;
pub(super) use pool::sockets_of;
use slab::Slab;
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use tuffet_core::multicast::{Group, MemberId};
use tuffet_core::{ErrorCode, Settings, Time};
use tuffet_request::events::{Ending, Outcome};
use tuffet_store::Identity;
use tuffet_udp::{Local, ReceiveBatch};

/// The interval of checks of the limits, and while the server stops.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// How long a group may delay the shutdown if no member ever answered.
const UNPROVEN_GRACE: Duration = Duration::from_secs(1);

/// The settings of all groups.
#[derive(Debug, Clone)]
pub struct GroupSettings {
    /// The addresses for groups. A group gets one of its clients' family.
    pub addresses: Vec<IpAddr>,
    /// Their ports.
    pub ports: Vec<u16>,
    /// The most groups.
    pub groups: usize,
    /// The most members of a group.
    pub members: usize,
    /// The settings of every transfer.
    pub transfer: Arc<Settings>,
    /// The limits that all workers share.
    pub limiter: Arc<Limiter>,
}

/// The properties that all members of a group share.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct GroupKey {
    listener: ListenerId,
    source: Option<IpAddr>,
    /// The interface for blocks; 0 for IPv4, where the source address decides.
    interface: u32,
    identity: Identity,
    blksize: u16,
}

/// A group with the host's data about it.
struct HostedGroup {
    core: Group,
    key: GroupKey,
    /// Where blocks go.
    address: SocketAddr,
    /// Where they come from.
    socket: SocketId,
    local: Option<Local>,
    content: Content,
    members: HashMap<MemberId, Member>,
    /// Distinguishes the group from earlier ones with its index.
    epoch: u32,
    deadline: Time,
    /// When it began to wait for a disk, if it waits.
    stalled: Time,
    /// The master, its last block, and when this was noted: for the least rate.
    progress: Option<(MemberId, u64, Time)>,
    /// Blocks that are counted already: sent, and sent again.
    counted: (u64, u64),
}

struct Member {
    peer: SocketAddr,
    /// Its request.
    worker: usize,
    key: Key,
    ticket: Ticket,
    joined: Time,
    /// The reason why the server ended it, if it did.
    ending: Option<Ending>,
}

/// A reference to a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct MemberRef {
    group: usize,
    member: MemberId,
}

/// The state of the group thread.
pub struct Groups {
    number: usize,
    settings: GroupSettings,
    poll: Poll,
    mailbox: Arc<Mailbox>,
    wire: Wire<Kernel>,
    groups: Slab<HostedGroup>,
    by_key: HashMap<GroupKey, usize>,
    by_peer: HashMap<(SocketId, SocketAddr), MemberRef>,
    by_request: HashMap<(usize, Key), MemberRef>,
    pool: Pool,
    epoch: u32,
    counts: Arc<GroupCounts>,
    outbox: Vec<ToControl>,
    clock: Clock,
    draining: Option<(Time, Instant)>,
    checked: Time,
}

impl Groups {
    /// Creates the thread's state. `number`: the number after the last worker's.
    ///
    /// # Errors
    /// The kernel refuses an event queue.
    pub fn new(
        number: usize,
        settings: GroupSettings,
        sockets: Sockets,
        counts: Arc<GroupCounts>,
    ) -> io::Result<Groups> {
        let poll = Poll::new()?;
        sockets.register(poll.registry())?;
        let mailbox = Arc::new(Mailbox::new(Waker::new(poll.registry(), MAILBOX)?));
        Ok(Groups {
            number,
            pool: Pool::new(&settings.addresses, &settings.ports),
            settings,
            poll,
            mailbox,
            wire: Wire::new(sockets, Kernel),
            groups: Slab::new(),
            by_key: HashMap::new(),
            by_peer: HashMap::new(),
            by_request: HashMap::new(),
            epoch: 0,
            counts,
            outbox: Vec::new(),
            clock: Clock::start(),
            draining: None,
            checked: Time::default(),
        })
    }

    /// The mailbox to which requests are posted.
    pub fn mailbox(&self) -> Arc<Mailbox> {
        self.mailbox.clone()
    }

    /// Serves until it is drained. `control` passes messages to the control side, and does not wait for it.
    ///
    /// # Errors
    /// The kernel refuses to wait for events.
    pub fn run(mut self, control: impl Fn(Vec<ToControl>)) -> io::Result<()> {
        let result = contained(|| self.serve(&control));
        let ended = contained(|| {
            self.end_all(self.clock.now());
            self.wire.flush();
            control(std::mem::take(&mut self.outbox));
            Ok(())
        });
        // Requests that arrive from now on still get their outcome.
        self.mailbox.close();
        result.and(ended)
    }

    fn serve(&mut self, control: &impl Fn(Vec<ToControl>)) -> io::Result<()> {
        let mut events = Events::with_capacity(64);
        let mut received = ReceiveBatch::new();
        let mut unread = BTreeSet::new();
        loop {
            let patience = if unread.is_empty() { self.patience() } else { Some(Duration::ZERO) };
            match self.poll.poll(&mut events, patience) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                polled => polled?,
            }
            for event in &events {
                match event.token() {
                    MAILBOX => self.read_mailbox(),
                    Token(number) => drop(unread.insert(SocketId(number as u16))),
                }
            }
            for number in std::mem::take(&mut unread) {
                if self.receive(number, &mut received) {
                    unread.insert(number);
                }
            }
            // A timer may be waiting for an answer that is still unread.
            if unread.is_empty() {
                self.expire();
            }
            self.check_limits();
            self.wire.flush();
            self.publish();
            if !self.outbox.is_empty() {
                control(std::mem::take(&mut self.outbox));
            }
            if self.is_drained() {
                return Ok(());
            }
        }
    }

    /// How long to sleep: until the next deadline of a group, or until the next check if there is a group.
    fn patience(&self) -> Option<Duration> {
        let now = self.clock.now();
        let deadline = self.groups.iter().map(|(_, group)| group.deadline).min();
        let deadline = deadline.filter(|time| *time != Time::NEVER).map(|time| time.since(now));
        let check = (!self.groups.is_empty() || self.draining.is_some()).then_some(CHECK_INTERVAL);
        [deadline, check].into_iter().flatten().min()
    }

    fn read_mailbox(&mut self) {
        self.mailbox.open();
        while let Some(message) = self.mailbox.take() {
            let now = self.clock.now();
            match message {
                ToWorker::Join(join) => self.join(*join, now),
                ToWorker::Member { worker, key, news } => self.news(worker, key, news, now),
                ToWorker::Disk(DiskResult::Read { key, result }) => self.has_read(key, result, now),
                ToWorker::Ping(answer) => {
                    // The sender of the ping may be gone.
                    let _ = answer.send(());
                }
                ToWorker::Rebind { listener, interface, answer } => {
                    let _ = answer.send(self.wire.sockets.rebind(listener, &interface, true));
                }
                ToWorker::Tap(tap) => self.wire.tap = tap,
                ToWorker::Drain { until, .. } => {
                    let since = self.draining.map_or(now, |(since, _)| since);
                    self.draining = Some((since, until));
                }
                ToWorker::Declined(join) => join.too_late(),
                // These are for workers.
                ToWorker::Decided { ticket, .. } => ticket.too_late(),
                ToWorker::Stored { .. }
                | ToWorker::Disk(DiskResult::Written { .. })
                | ToWorker::Left { .. }
                | ToWorker::Passed(_)
                | ToWorker::Succession(_) => {}
            }
        }
    }

    /// Reads a few batches from a socket; returns whether there may be more.
    fn receive(&mut self, number: SocketId, received: &mut ReceiveBatch) -> bool {
        for _ in 0..BATCHES_PER_TURN {
            let Some(socket) = self.wire.sockets.get(number) else { return false };
            let local = socket.socket.local();
            let more = received.fill(&socket.socket);
            if let Some(tap) = &self.wire.tap {
                tap.received(local, received);
            }
            let now = self.clock.now();
            for buffer in (0..received.len()).filter_map(|index| received.get(index)) {
                for datagram in buffer.each() {
                    self.dispatch(number, datagram.peer, datagram.payload, now);
                }
            }
            self.wire.flush();
            match more {
                Ok(true) => {}
                Ok(false) => return false,
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
                Err(_) => self.wire.counters.receive_errors += 1,
            }
        }
        true
    }

    /// Handles the deadlines of groups.
    fn expire(&mut self) {
        let now = self.clock.now();
        for index in self.indices() {
            let Some(group) = self.groups.get_mut(index) else { continue };
            if group.deadline <= now {
                group.core.handle_timeout(now);
                self.drive(index, now);
            }
        }
    }

    /// Checks conditions that no packet reveals: slow masters, members that stay for too long, a hung disk.
    fn check_limits(&mut self) {
        let now = self.clock.now();
        if now.since(self.checked) < CHECK_INTERVAL {
            return;
        }
        self.checked = now;
        for index in self.indices() {
            self.end_slow(index, now);
            self.end_hung(index, now);
            self.drive(index, now);
        }
    }

    fn publish(&self) {
        self.counts.groups.store(self.groups.len() as u64, Relaxed);
        self.counts.members.store(self.by_request.len() as u64, Relaxed);
    }

    /// Returns whether the drain is complete. At the deadline, it always is.
    fn is_drained(&mut self) -> bool {
        let Some((since, until)) = self.draining else { return false };
        let now = self.clock.now();
        if Instant::now() >= until {
            return true;
        }
        if now.since(since) >= UNPROVEN_GRACE {
            for index in self.indices() {
                if self.groups.get(index).is_some_and(|group| !group.core.is_proven()) {
                    self.end_silently(index, now);
                }
            }
        }
        self.groups.is_empty()
    }

    fn end_silently(&mut self, index: usize, now: Time) {
        let Some(group) = self.groups.get_mut(index) else { return };
        for member in group.members.values_mut() {
            let detail = "the client had not answered when the server stopped";
            member.ending = Some(Ending::new(Outcome::TimedOut, detail));
        }
        group.core.abandon(now);
        self.drive(index, now);
    }

    fn end_all(&mut self, now: Time) {
        for index in self.indices() {
            let ending = Ending::new(Outcome::Failed, "the server was shut down");
            self.fail(index, "the server is shutting down", &ending, now);
        }
    }

    /// Ends a group and all memberships.
    fn fail(&mut self, index: usize, message: &'static str, ending: &Ending, now: Time) {
        let Some(group) = self.groups.get_mut(index) else { return };
        for member in group.members.values_mut() {
            member.ending = Some(ending.clone());
        }
        group.core.fail(now, ErrorCode::NotDefined, message);
        self.drive(index, now);
    }

    fn indices(&self) -> Vec<usize> {
        self.groups.iter().map(|(index, _)| index).collect()
    }
}
