//! Datagrams that another worker, or another process, received on a listening port.
//!
//! While a server replaces another one, both have the same listening sockets for a moment. In single-port mode that lasts
//! until the last transfer of the one before has ended: its packets then arrive at the next one, which passes them
//! on. A listener whose interface came later has all its requests on one worker, which passes them to the others.

use super::Worker;
use super::messages::{ToControl, ToWorker};
use super::sockets::{ListenerId, SocketId};
use super::transmit::Transmit;
use crate::limits::PassingPlace;
use std::net::SocketAddr;
use std::sync::Arc;
use tuffet_core::{Packet, Time};
use tuffet_udp::{Local, Received};

/// Another process that serves the same ports. It may be slow, so nothing waits for it: clients repeat what is lost.
pub trait Beside: Send + Sync {
    /// Passes a datagram on that arrived at this worker on the port of a listener, by its position. The sockets of both
    /// processes have the same order, so the worker of that number gets the client's next packets.
    fn pass_on(&self, worker: usize, listener: usize, datagram: &Received<'_>);
}

/// The processes before and after this one, while they serve the same ports.
#[derive(Clone, Default)]
pub struct Succession {
    /// The one before, which has transfers and takes no requests.
    pub before: Option<Arc<dyn Beside>>,
    /// The next one.
    pub next: Option<Arc<dyn Beside>>,
}

impl std::fmt::Debug for Succession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Succession").finish_non_exhaustive()
    }
}

/// A datagram that arrived elsewhere.
pub struct Passed {
    /// The position of its listener.
    pub listener: usize,
    /// The sender.
    pub peer: SocketAddr,
    /// The destination.
    pub local: Option<Local>,
    /// The bytes.
    pub payload: Box<[u8]>,
    /// Whether it may begin a transfer here; otherwise it counts only for a running one.
    pub may_begin: bool,
    /// Its place among those on their way.
    pub place: PassingPlace,
}

impl<T: Transmit> Worker<T> {
    pub(super) fn take_passed(&mut self, passed: Passed, now: Time) {
        let Passed { listener, peer, local, ref payload, may_begin, place: _ } = passed;
        let Ok(number) = u16::try_from(listener) else { return };
        let listener = ListenerId(number);
        let is_of_family = |number: &SocketId| {
            let socket = self.wire.sockets.get(*number);
            socket.is_some_and(|its| its.socket.local().is_ipv6() == peer.is_ipv6())
        };
        let listening = self.wire.sockets.listening(listener).find(is_of_family);
        // A worker without a socket of this listener does not serve it.
        let Some(listening) = listening else { return };
        let datagram = Received { peer, local, payload, segment: None };
        match self.table.find(listening, &peer) {
            Some(index) => self.deliver(index, listening, &datagram, now),
            // This server may be draining, too.
            None if may_begin && !self.passes_on(listener, &datagram) => {
                self.request_here(listening, listener, &datagram, now);
            }
            None => {}
        }
    }

    /// Passes on what another process may know: packets of its transfers, and requests if this one takes none. Returns
    /// whether it was passed on. Only in single-port mode: TID ports are not shared.
    pub(super) fn passes_on(&mut self, listener: ListenerId, datagram: &Received<'_>) -> bool {
        let Succession { before, next } = &self.succession;
        if before.is_none() && next.is_none() || self.wire.sockets.has_tids(listener) {
            return false;
        }
        let is_request = matches!(Packet::parse(datagram.payload), Ok(Packet::Request(_)));
        let to = match (is_request, self.draining.is_some()) {
            (true, false) => [None, None],
            (true, true) => [None, next.as_ref()],
            (false, _) => [before.as_ref(), next.as_ref()],
        };
        let mut passed = false;
        for beside in to.into_iter().flatten() {
            beside.pass_on(self.number, listener.into(), datagram);
            passed = true;
        }
        passed
    }

    /// Passes a request to another worker, if all requests of this listener arrive here. Returns whether it did.
    pub(super) fn hands_over(&mut self, listener: ListenerId, datagram: &Received<'_>) -> bool {
        let is_alone = self.alone.contains(&listener) && self.wire.sockets.has_tids(listener);
        if !is_alone || self.draining.is_some() {
            return false;
        }
        let worker = self.wire.sockets.share_of(&datagram.peer, self.settings.workers);
        if worker == self.number {
            return false;
        }
        // Without a place, this worker handles it.
        let Some(place) = self.settings.limiter.pass() else { return false };
        let passed = Passed {
            listener: listener.into(),
            peer: datagram.peer,
            local: datagram.local,
            payload: datagram.payload.into(),
            may_begin: true,
            place,
        };
        let message = ToWorker::Passed(Box::new(passed));
        self.outbox.push(ToControl::ToWorker { worker, message });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ListenerSpec, VirtualWorker, WorkerSettings};
    use super::*;
    use crate::limits::Limiter;
    use parking_lot::Mutex;
    use std::time::{Duration, Instant};
    use tokio::sync::mpsc;
    use tuffet_core::Settings;
    use tuffet_request::Bounds;
    use tuffet_request::events::Ended;

    const REQUEST: &[u8] = b"\0\x01file\0octet\0";
    const ACK: &[u8] = b"\0\x04\0\x01";

    /// With the receiver of its summaries.
    fn worker(single_port: bool) -> (VirtualWorker, mpsc::Receiver<Ended>) {
        let settings = WorkerSettings {
            transfer: Arc::new(Settings::default()),
            max_transfers: 1_000,
            max_pending: 1_000,
            answer_due: Duration::from_millis(250),
            workers: 2,
            limiter: Arc::new(Limiter::new(&Bounds::none(), 1_000, 1_000)),
            succession: Succession::default(),
            busy_poll: Duration::ZERO,
        };
        let address = ([127, 0, 0, 1], 0).into();
        let listener = ListenerSpec { single_port, tid_ports: 4, ..ListenerSpec::at(address) };
        let (summaries, ended) = mpsc::channel(2_000);
        (VirtualWorker::new(settings, &[listener], summaries).unwrap(), ended)
    }

    fn peer(number: u8) -> SocketAddr {
        ([192, 0, 2, number], 2_000).into()
    }

    #[test]
    fn a_worker_that_gets_all_requests_shares_them() {
        let ((mut alone, _alone), (mut other, _other)) = (worker(false), worker(false));
        alone.set_alone(0);
        let listening = alone.listening(0).unwrap();
        let now = Time::default();
        for number in 0..100 {
            alone.deliver(listening, peer(number), None, REQUEST, now);
        }
        let (mut own, mut handed) = (0, 0);
        for message in alone.take_messages() {
            match message {
                ToControl::Request(_) => own += 1,
                ToControl::ToWorker { worker: 1, message } => {
                    handed += 1;
                    other.mailbox().post(message).unwrap();
                }
                _ => panic!("another message"),
            }
        }
        assert!(own + handed == 100 && own.min(handed) > 20, "{own} and {handed}");
        other.read_mailbox(now);
        let requests = other.take_messages().into_iter();
        assert_eq!(requests.filter(|message| matches!(message, ToControl::Request(_))).count(), handed);
        // A repeated request reaches the same worker.
        alone.deliver(listening, peer(7), None, REQUEST, now);
        assert!(alone.take_messages().iter().all(|message| !matches!(message, ToControl::Request(_))));
    }

    #[derive(Default)]
    struct Process(Mutex<Vec<Vec<u8>>>);

    impl Beside for Process {
        fn pass_on(&self, _: usize, _: usize, datagram: &Received<'_>) {
            self.0.lock().push(datagram.payload.to_vec());
        }
    }

    #[test]
    fn what_another_process_may_know_is_passed_on() {
        let (before, next) = (Arc::new(Process::default()), Arc::new(Process::default()));
        let (mut worker, _ended) = worker(true);
        let listening = worker.listening(0).unwrap();
        let now = Time::default();
        let succession = Succession { before: Some(before.clone()), next: None };
        worker.mailbox().post(ToWorker::Succession(succession)).unwrap();
        worker.read_mailbox(now);
        worker.deliver(listening, peer(1), None, ACK, now);
        worker.deliver(listening, peer(1), None, REQUEST, now);
        assert_eq!(*before.0.lock(), [ACK]);
        assert_eq!(worker.take_messages().len(), 1, "it answers requests itself");

        let succession = Succession { before: None, next: Some(next.clone()) };
        worker.mailbox().post(ToWorker::Succession(succession)).unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        worker.mailbox().post(ToWorker::Drain { until, is_replaced: false }).unwrap();
        worker.read_mailbox(now);
        worker.deliver(listening, peer(2), None, REQUEST, now);
        worker.deliver(listening, peer(2), None, ACK, now);
        assert_eq!(*next.0.lock(), [REQUEST, ACK]);
        assert_eq!(before.0.lock().len(), 1);

        // So is what the server before this one, which drains, too, has passed on.
        let place = Arc::new(Limiter::new(&Bounds::none(), 1_000, 1_000)).pass().unwrap();
        let passed = Passed {
            listener: 0,
            peer: peer(3),
            local: None,
            payload: REQUEST.into(),
            may_begin: true,
            place,
        };
        worker.mailbox().post(ToWorker::Passed(Box::new(passed))).unwrap();
        worker.read_mailbox(now);
        assert_eq!(*next.0.lock(), [REQUEST, ACK, REQUEST]);
    }
}
