//! Hands the sockets of a stopping server over to the next one, so that a restart leaves no gap.
//!
//! The next server asks through the control socket (`take-over`). This one answers with duplicates of its listening
//! sockets, its admin listener and its control socket, as descriptors (SCM_RIGHTS, unix(7)), and changes nothing yet:
//! if the next server cannot start, this one goes on. When the next one answers requests, it names what it has
//! taken; then this one drains, and passes on what it counts, since nobody sees its own counters any more. Its end closes
//! the connection. Unread requests stay in the sockets meanwhile.

use super::passing::{self, ToNext};
use super::reply::Reply;
use super::shared_state::SharedState;
use crate::socket_file::SocketFile;
use crate::systemd::Offered;
use parking_lot::Mutex;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use serde::{Deserialize, Serialize};
use std::io::{self, IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tuffet_server::watch::{NamedCounts, Watch};

/// The most sockets that are handed over.
pub(super) const MAX_SOCKETS: usize = 4096;

/// The longest message: a number, or the name of an interface, for each socket.
const MAX_LINE: u64 = 128 << 10;

/// How long one step of an exchange may take.
pub(super) const STEP_TIMEOUT: Duration = Duration::from_secs(15);

/// How long the next server may take to read counters.
const COUNTS_TIMEOUT: Duration = Duration::from_secs(1);

/// How long the next server may take to start: it may have to compile plugins.
const START_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// The request of the next server.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TakeOver {
    /// Whether it replaces a server that does not stop by itself.
    pub(super) replace: bool,
}

/// The message of the next server once it answers requests: the positions of the sockets that it uses.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Taken(pub(super) Vec<usize>);

/// What a server offers to the next one.
#[derive(Default)]
pub(super) struct Offer {
    /// The admin listener and the control socket, then the listening sockets.
    sockets: Vec<Offered>,
    /// The files of sockets, by position. A file stays if its socket is taken.
    files: Vec<(usize, SocketFile)>,
    /// How many sockets are no listening sockets.
    services: usize,
    /// The position of the control socket.
    control: Option<usize>,
}

impl Offer {
    pub(super) fn add_control(&mut self, socket: OwnedFd, file: Option<SocketFile>) {
        self.control = Some(self.services);
        self.add_service(socket, file);
    }

    /// Adds the socket of the admin listener or the control socket.
    pub(super) fn add_service(&mut self, socket: OwnedFd, file: Option<SocketFile>) {
        debug_assert_eq!(self.services, self.sockets.len(), "listening sockets are the last");
        self.files.extend(file.map(|file| (self.services, file)));
        self.sockets.push(Offered { socket, interface: None });
        self.services += 1;
    }

    pub(super) fn add_listening(&mut self, socket: OwnedFd, interface: Option<String>) {
        self.sockets.push(Offered { socket, interface });
    }

    /// Returns whether the next server can ask for the offer at a path. `None` if there never was one.
    fn is_reachable(&self) -> Option<bool> {
        let file = self.files.iter().find(|(position, _)| Some(*position) == self.control);
        file.map(|(_, file)| file.exists())
    }

    /// Leaves the files of these sockets to the next server, and removes the others.
    fn leave(self, taken: &[usize]) {
        for (position, file) in self.files {
            if taken.contains(&position) {
                file.leave();
            }
        }
    }
}

/// The offer of a running server. Clones share it.
#[derive(Clone)]
pub(super) struct Handover {
    state: Arc<Mutex<State>>,
    link: Arc<OnceLock<(ToNext, SharedState)>>,
    done: mpsc::Sender<UnixStream>,
}

#[derive(Default)]
struct State {
    /// `None` once it is given up or handed over.
    offer: Option<Offer>,
    /// Whether the next server is starting.
    in_progress: bool,
}

/// The next server, which answers requests. To be kept until this process ends, which tells it so.
pub(super) struct Next {
    connection: UnixStream,
    /// The counters that it knows; `None` if it takes no more.
    known: Option<NamedCounts>,
}

impl Next {
    /// What is counted from now on is for the next server.
    pub(super) fn new(connection: UnixStream, watch: &Watch) -> Next {
        // If this fails, the connection keeps the longer time-out.
        let _ = connection.set_write_timeout(Some(COUNTS_TIMEOUT));
        Next { connection, known: Some(watch.counts()) }
    }

    /// Passes on what has been counted since the last call. Nothing else is sent here.
    pub(super) fn count(&mut self, watch: &Watch) {
        let Some(known) = &self.known else { return };
        let now = watch.counts();
        let grown = now.since(known);
        if !grown.is_empty() {
            let written = write_line(&mut self.connection, &grown);
            if let Err(error) = &written {
                tracing::debug!(
                    target: "tuffet::server::running",
                    %error, "the next server takes no counters; the log has the outcomes"
                );
            }
            self.known = written.is_ok().then_some(now);
        }
    }
}

impl Handover {
    /// The receiver gets the connection to the next server, once that answers requests.
    pub(super) fn new(offer: Offer) -> (Handover, mpsc::Receiver<UnixStream>) {
        let (done, receiver) = mpsc::channel(1);
        let state = State { offer: Some(offer), in_progress: false };
        let (state, link) = (Arc::new(Mutex::new(state)), Arc::default());
        (Handover { state, link, done }, receiver)
    }

    /// Sets what the next server has to be told of, once the workers run.
    pub(super) fn set_link(&self, to_next: ToNext, state: SharedState) {
        let _ = self.link.set((to_next, state));
    }

    fn to_next(&self) -> Option<&ToNext> {
        self.link.get().map(|(to_next, _)| to_next)
    }

    /// Returns whether this process has to pass packets on between the server before it and the next one.
    pub(super) fn is_between(&self) -> bool {
        self.to_next().is_some_and(ToNext::is_between)
    }

    /// From now on, requests are kept for the next server.
    pub(super) fn keep_requests(&self) {
        if let Some(to_next) = self.to_next() {
            to_next.keep();
        }
    }

    /// Closes the listening sockets. The next server may still take the others.
    pub(super) fn close_listening(&self) {
        if let Some(offer) = &mut self.state.lock().offer {
            offer.sockets.truncate(offer.services);
        }
    }

    /// Closes what was offered, and removes its files.
    pub(super) fn give_up(&self) {
        let offer = self.state.lock().offer.take();
        drop(offer);
    }

    /// Returns whether the next server can find this one, through the control socket.
    pub(super) fn can_be_found(&self) -> bool {
        let state = self.state.lock();
        let is_there = |offer: &Offer| offer.control.is_some() && offer.is_reachable() != Some(false);
        state.in_progress || state.offer.as_ref().is_some_and(is_there)
    }

    /// Returns whether a listening port is in use until the last transfer has ended.
    pub(super) fn keeps_ports(&self) -> bool {
        self.to_next().is_some_and(ToNext::passes)
    }

    /// Waits until the workers have done what they were told.
    pub(super) async fn workers_have_acted(&self) {
        if let Some(to_next) = self.to_next() {
            to_next.workers_have_acted().await;
        }
    }

    /// Returns whether the next server can still come, or is on its way.
    pub(super) fn is_awaited(&self) -> bool {
        let state = self.state.lock();
        state.in_progress || state.offer.as_ref().and_then(Offer::is_reachable) == Some(true)
    }

    /// Returns whether the next server cannot find this one any more: the control socket was removed.
    pub(super) fn is_unreachable(&self) -> bool {
        let state = self.state.lock();
        !state.in_progress && state.offer.as_ref().and_then(Offer::is_reachable) == Some(false)
    }

    /// Returns whether the next server is starting.
    pub(super) fn is_in_progress(&self) -> bool {
        self.state.lock().in_progress
    }

    /// Serves the next server on its connection. Blocks until it has started, for minutes if it compiles plugins.
    ///
    /// # Errors
    /// The connection failed: the next server could not start. Nothing has changed then.
    pub(super) fn serve(&self, mut stream: UnixStream, runtime: &Handle) -> io::Result<()> {
        stream.set_nonblocking(false)?;
        stream.set_write_timeout(Some(STEP_TIMEOUT))?;
        let duplicates = {
            let mut state = self.state.lock();
            match &state.offer {
                Some(offer) if !state.in_progress => {
                    let sockets = offer.sockets.iter().map(Offered::try_clone);
                    let duplicates = sockets.collect::<io::Result<Vec<Offered>>>()?;
                    state.in_progress = true;
                    Some(duplicates)
                }
                _ => None,
            }
        };
        let Some(duplicates) = duplicates else { return write_line(&mut stream, &Reply::Busy) };
        let taken = self.offer_on(&mut stream, duplicates, runtime);
        let mut state = self.state.lock();
        state.in_progress = false;
        if taken.is_err()
            && let Some((to_next, state)) = self.link.get()
        {
            to_next.forget();
            runtime.spawn(state.clone().own());
        }
        let Taken(taken) = taken?;
        if let Some(offer) = state.offer.take() {
            offer.leave(&taken);
        }
        drop(state);
        // The receiver ends with the server.
        let _ = self.done.blocking_send(stream);
        Ok(())
    }

    /// Offers the sockets, and after them a connection for datagrams.
    fn offer_on(
        &self,
        stream: &mut UnixStream,
        mut sockets: Vec<Offered>,
        runtime: &Handle,
    ) -> io::Result<Taken> {
        let (ours, its) = passing::pair()?;
        sockets.push(Offered { socket: its, interface: None });
        let kept = self.to_next().map(ToNext::keep);
        if let Some((to_next, state)) = self.link.get() {
            runtime.block_on(to_next.workers_have_acted());
            state.share();
        }
        let interfaces = sockets.iter().map(|offered| offered.interface.clone()).collect();
        write_line(stream, &Reply::Offered(interfaces))?;
        for offered in sockets {
            send_socket(stream, &offered.socket)?;
        }
        stream.set_read_timeout(Some(START_TIMEOUT))?;
        let taken = read_line(stream)?;
        if let (Some(kept), Some(to_next)) = (kept, self.to_next()) {
            kept.connect(ours.try_clone()?);
            to_next.receive_from_next(ours)?;
        }
        Ok(taken)
    }
}

/// Sends one byte with a descriptor.
fn send_socket(stream: &UnixStream, socket: &OwnedFd) -> io::Result<()> {
    let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut room);
    let descriptors = [socket.as_fd()];
    if !ancillary.push(SendAncillaryMessage::ScmRights(&descriptors)) {
        return Err(io::Error::other("no room for a descriptor"));
    }
    sendmsg(stream, &[IoSlice::new(&[0])], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Writes a message as one line of JSON.
pub(super) fn write_line(stream: &mut UnixStream, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    stream.write_all(&line)
}

/// Reads one line of JSON, byte by byte: what follows may carry descriptors.
pub(super) fn read_line<T: for<'a> Deserialize<'a>>(stream: &mut UnixStream) -> io::Result<T> {
    let mut line = Vec::new();
    let mut byte = [0];
    while line.len() < MAX_LINE as usize {
        stream.read_exact(&mut byte)?;
        if byte == *b"\n" {
            return Ok(serde_json::from_slice(&line)?);
        }
        line.extend(byte);
    }
    Err(io::ErrorKind::InvalidData.into())
}
