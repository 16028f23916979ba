//! Passes datagrams on between two servers that have the same listening sockets, in single-port mode.
//!
//! The next server reads the sockets, and passes packets of the other's transfers back. A stopping server keeps requests
//! until the next one can take them. Both directions share a pair of sockets (SOCK_SEQPACKET, unix(7)); nothing waits
//! for it: if it is full, the datagram is lost, as on a network.

use futures_util::future::join_all;
use parking_lot::Mutex;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, send, socketpair};
use serde::{Deserialize, Serialize};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tuffet_engine::limits::Limiter;
use tuffet_engine::worker::{Beside, Mailbox, Passed, Succession, ToWorker};
use tuffet_udp::{Local, Received};

/// The most requests that are kept for the next server, and the most bytes of one.
const MAX_KEPT: usize = 4096;
const MAX_KEPT_BYTES: usize = 2048;

/// How long the workers may take to learn of the next server.
const WORKER_TIMEOUT: Duration = Duration::from_secs(1);

/// The largest message: a datagram and what is known of it.
const MAX_MESSAGE: usize = (64 << 10) + 1024;

/// A listener, as both servers name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SharedListener {
    pub(super) address: SocketAddr,
    pub(super) interface: Option<String>,
}

/// What precedes the bytes of a datagram, in one line.
#[derive(Serialize, Deserialize)]
struct Head {
    worker: usize,
    listener: SharedListener,
    peer: SocketAddr,
    /// Address, interface, and whether it was a broadcast.
    local: Option<(Option<IpAddr>, u32, bool)>,
}

/// One direction.
pub(super) struct Passing {
    listeners: Arc<[SharedListener]>,
    to: Mutex<To>,
}

enum To {
    /// Kept until there is a connection.
    Kept(Vec<Vec<u8>>),
    Connected(OwnedFd),
}

impl Passing {
    /// Keeps requests for a server that does not exist yet.
    pub(super) fn kept(listeners: Arc<[SharedListener]>) -> Passing {
        Passing { listeners, to: Mutex::new(To::Kept(Vec::new())) }
    }

    pub(super) fn connected(listeners: Arc<[SharedListener]>, to: OwnedFd) -> Passing {
        Passing { listeners, to: Mutex::new(To::Connected(to)) }
    }

    /// Sends what was kept, and from now on everything.
    pub(super) fn connect(&self, connection: OwnedFd) {
        let mut to = self.to.lock();
        if let To::Kept(kept) = &*to {
            for message in kept {
                post(&connection, message);
            }
        }
        *to = To::Connected(connection);
    }
}

impl Beside for Passing {
    fn pass_on(&self, worker: usize, listener: usize, datagram: &Received<'_>) {
        let Some(listener) = self.listeners.get(listener).cloned() else { return };
        let Received { peer, local, payload, .. } = *datagram;
        let local = local.map(|local| (local.address, local.interface, local.copied));
        let Ok(mut message) = serde_json::to_vec(&Head { worker, listener, peer, local }) else { return };
        message.push(b'\n');
        message.extend_from_slice(payload);
        match &mut *self.to.lock() {
            To::Kept(kept) if kept.len() < MAX_KEPT && payload.len() <= MAX_KEPT_BYTES => kept.push(message),
            To::Kept(_) => {}
            To::Connected(connection) => post(connection, &message),
        }
    }
}

/// Clients repeat what is lost here.
fn post(connection: &OwnedFd, message: &[u8]) {
    let _ = send(connection, message, SendFlags::DONTWAIT | SendFlags::NOSIGNAL);
}

/// Returns a connection for both directions.
///
/// # Errors
/// The process has no descriptors left.
pub(super) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

/// The workers and listeners of this server.
#[derive(Clone)]
pub(super) struct Here {
    /// Of the workers, then of the multicast thread.
    pub(super) mailboxes: Vec<Arc<Mailbox>>,
    pub(super) workers: usize,
    pub(super) listeners: Arc<[SharedListener]>,
    /// Bounds what is on its way to the workers.
    pub(super) limiter: Arc<Limiter>,
}

/// Gives datagrams that the other server received to the workers of this one.
struct Receiver<B> {
    here: Here,
    /// Returns the server on the other side of this one: the datagram may be for one of its transfers.
    beyond: B,
}

impl<B: Fn() -> Option<Arc<dyn Beside>> + Send + 'static> Receiver<B> {
    /// Receives on a thread until the other end is closed, and then calls `ended`.
    ///
    /// # Errors
    /// The system has no thread.
    fn start(self, from: OwnedFd, ended: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let receive = move || {
            let mut room = vec![0; MAX_MESSAGE];
            // A closed connection returns 0; a message is never empty.
            while let Ok((_, length @ 1..)) = rustix::net::recv(&from, &mut room[..], RecvFlags::empty()) {
                if let Some(message) = room.get(..length) {
                    self.take(message);
                }
            }
            ended();
        };
        thread::Builder::new().name("tuffet-passing".into()).spawn(receive).map(drop)
    }

    fn take(&self, message: &[u8]) {
        let Some(end) = message.iter().position(|byte| *byte == b'\n') else { return };
        let (head, payload) = message.split_at(end);
        let (Ok(head), Some(payload)) = (serde_json::from_slice::<Head>(head), payload.get(1..)) else {
            return;
        };
        let Head { worker, listener, peer, local } = head;
        let Some(listener) = self.here.listeners.iter().position(|its| *its == listener) else { return };
        let local = local.map(|(address, interface, copied)| Local { address, interface, copied });
        let post = |mailbox: &Mailbox, may_begin| {
            // Clients repeat what is lost.
            let Some(place) = self.here.limiter.pass() else { return };
            let passed = Passed { listener, peer, local, payload: payload.into(), may_begin, place };
            // A worker that cannot be woken has failed, which ends the server.
            let _ = mailbox.post(ToWorker::Passed(Box::new(passed)));
        };
        // Requests have the operation codes 1 and 2 (RFC 1350, section 5).
        if matches!(payload, [0, 1 | 2, ..]) {
            let number = worker.checked_rem(self.here.workers);
            if let Some(mailbox) = number.and_then(|number| self.here.mailboxes.get(number)) {
                post(mailbox, true);
            }
            return;
        }
        for mailbox in &self.here.mailboxes {
            post(mailbox, false);
        }
        if let Some(beyond) = (self.beyond)() {
            beyond.pass_on(worker, listener, &Received { peer, local, payload, segment: None });
        }
    }
}

/// The link of a server to the next one.
#[derive(Clone)]
pub(super) struct ToNext {
    here: Here,
    /// Whether a listener has a single port, so that packets are passed on.
    passes: bool,
    /// The server before this one, while it lives.
    before: Arc<Mutex<Option<Arc<dyn Beside>>>>,
    kept: Arc<Mutex<Option<Arc<Passing>>>>,
}

impl ToNext {
    pub(super) fn new(here: Here, before: Option<Arc<dyn Beside>>, passes: bool) -> ToNext {
        ToNext { here, passes, before: Arc::new(Mutex::new(before)), kept: Arc::default() }
    }

    /// From now on, what is not for this server is kept for the next one. Acts once.
    pub(super) fn keep(&self) -> Arc<Passing> {
        let mut kept = self.kept.lock();
        let passing =
            kept.get_or_insert_with(|| Arc::new(Passing::kept(self.here.listeners.clone()))).clone();
        self.tell(Some(passing.clone()));
        passing
    }

    /// Waits until the workers have done what they were told: the next server needs the ports that they give up.
    pub(super) async fn workers_have_acted(&self) {
        let pings = self.here.mailboxes.iter().map(|mailbox| {
            let (answer, answered) = oneshot::channel();
            // A worker that has ended drops it.
            let _ = mailbox.post(ToWorker::Ping(answer));
            answered
        });
        let _ = timeout(WORKER_TIMEOUT, join_all(pings)).await;
    }

    /// The next server could not start, and this one goes on.
    pub(super) fn forget(&self) {
        *self.kept.lock() = None;
        self.tell(None);
    }

    /// The server before this one has ended.
    pub(super) fn before_has_ended(&self) {
        *self.before.lock() = None;
        let next = self.kept.lock().clone();
        self.tell(next);
    }

    /// Returns whether transfers use a listening port, so that the next server can have it only from this one.
    pub(super) fn passes(&self) -> bool {
        self.passes
    }

    /// Returns whether packets for the server before this one may still arrive here.
    pub(super) fn is_between(&self) -> bool {
        self.passes && self.kept.lock().is_some() && self.before.lock().is_some()
    }

    fn tell(&self, next: Option<Arc<Passing>>) {
        let before = self.before.lock().clone();
        let next = next.map(|next| next as Arc<dyn Beside>);
        tuffet_server::server::set_succession(&self.here.mailboxes, &Succession { before, next });
    }

    /// Passes packets back that the next server receives for transfers of this one.
    ///
    /// # Errors
    /// The system has no thread.
    pub(super) fn receive_from_next(&self, from: OwnedFd) -> io::Result<()> {
        let before = self.before.clone();
        let beyond = move || before.lock().clone();
        Receiver { here: self.here.clone(), beyond }.start(from, || {})
    }

    /// Takes what the server before this one received, until it ends.
    ///
    /// # Errors
    /// The system has no thread.
    pub(super) fn receive_from_before(&self, from: OwnedFd) -> io::Result<()> {
        let kept = self.kept.clone();
        let beyond = move || kept.lock().clone().map(|next| next as Arc<dyn Beside>);
        let to_next = self.clone();
        let receiver = Receiver { here: self.here.clone(), beyond };
        receiver.start(from, move || to_next.before_has_ended())
    }
}
