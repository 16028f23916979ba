//! The event loop.
//!
//! One epoll for all sockets, edge-triggered: a receive batch that is not full has emptied its socket, so a
//! datagram of a lockstep transfer costs one receive call, one send call and its share of a wait. Timers are
//! coarse: all deadlines are in one dense array that is scanned a hundred times a second. A scan costs a few
//! microseconds for ten thousand transfers, and moving a deadline costs nothing.

use crate::clock::Clock;
use crate::figures::{Figures, Outcome};
use crate::open_files::{self, TooFewFiles};
use crate::over_time::OverTime;
use crate::plan::Plan;
use crate::report::{Measured, Report};
use crate::running_transfer::{Context, RunningTransfer, timer_grain};
use crate::wire::Wire;
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::event::{PollFd, PollFlags, Timespec};
use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;
use tuffet_core::Time;
use tuffet_measure::CpuTime;
use tuffet_udp::{ReceiveBatch, Socket};

/// Transfers started before answers are read again.
const STARTS: usize = 64;

/// Events per wait.
const EVENTS: usize = 1_024;

/// An error that ends the run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error(transparent)]
    TooFewFiles(#[from] TooFewFiles),
    #[error(
        "cannot open a socket: {0} (each transfer at once needs one, and a port of net.ipv4.ip_local_port_range)"
    )]
    Socket(io::Error),
    #[error("cannot wait for sockets: {0}")]
    Wait(io::Error),
    #[error("cannot read the processor time of this process: {0}")]
    Cpu(io::Error),
}

/// Runs the plan to its end.
pub(crate) fn run(plan: Plan) -> Result<Report, RunError> {
    open_files::allow(plan.concurrency)?;
    let mut generator = Generator::new(plan)?;
    let before = CpuTime::of_process().map_err(RunError::Cpu)?;
    generator.clock = Clock::start();
    generator.serve()?;
    let measured = Measured {
        seconds: generator.clock.now().as_micros() as f64 / 1e6,
        cpu: CpuTime::of_process().map_err(RunError::Cpu)?.since(before),
        rated: generator.plan.rate.is_some(),
    };
    generator.over_time.last(generator.clock.now(), generator.figures.bytes);
    Ok(Report::new(&generator.figures, &measured, generator.over_time.samples()))
}

/// The place of a transfer.
struct Slot {
    socket: Option<Socket>,
    running: Option<RunningTransfer>,
}

struct Generator {
    plan: Plan,
    clock: Clock,
    epoll: OwnedFd,
    slots: Vec<Slot>,
    /// Slots without a transfer.
    free: Vec<usize>,
    /// The next deadline of each slot's transfer.
    deadlines: Vec<Time>,
    next_scan: Time,
    grain: Duration,
    /// Transfers that are stalled.
    stalled: usize,
    announced: bool,
    batch: ReceiveBatch,
    wire: Wire,
    figures: Figures,
    over_time: OverTime,
}

impl Generator {
    /// Opens the sockets of the first transfers in advance, so that their requests leave as one burst.
    fn new(plan: Plan) -> Result<Self, RunError> {
        let places = plan.concurrency as usize;
        let mut generator = Generator {
            clock: Clock::start(),
            epoll: epoll::create(epoll::CreateFlags::CLOEXEC)
                .map_err(|error| RunError::Wait(error.into()))?,
            slots: Vec::with_capacity(places),
            free: (0..places).rev().collect(),
            deadlines: vec![Time::NEVER; places],
            next_scan: Time::default(),
            grain: timer_grain(&plan),
            stalled: 0,
            announced: false,
            batch: ReceiveBatch::new(),
            wire: Wire::new(plan.gso),
            figures: Figures::new(),
            over_time: OverTime::new(plan.report),
            plan,
        };
        for place in 0..places {
            let socket = generator.open(place)?;
            generator.slots.push(Slot { socket: Some(socket), running: None });
        }
        Ok(generator)
    }

    fn serve(&mut self) -> Result<(), RunError> {
        let nothing = epoll::Event { flags: EventFlags::empty(), data: EventData::new_u64(0) };
        let mut events = vec![nothing; EVENTS];
        loop {
            let now = self.start_due()?;
            let active = self.slots.len() - self.free.len();
            let next = self.plan.schedule.next(now);
            if active == 0 && next.is_none() {
                return Ok(());
            }
            let start = next.filter(|_| !self.free.is_empty()).unwrap_or(Time::NEVER);
            let timer = if active > 0 { self.next_scan } else { Time::NEVER };
            let count = self.wait(&mut events, start.min(timer).min(self.over_time.next()).since(now))?;
            for event in &events[..count] {
                let data = event.data;
                self.readable(data.u64() as usize);
            }
            let now = self.clock.now();
            if now >= self.next_scan {
                self.scan(now);
                self.next_scan = now + self.grain;
            }
            if now >= self.over_time.next() {
                let running: u64 = self
                    .slots
                    .iter()
                    .filter_map(|slot| slot.running.as_ref())
                    .map(RunningTransfer::bytes)
                    .sum();
                self.over_time.look(now, self.figures.bytes + running);
            }
        }
    }

    /// Starts due transfers, at most [`STARTS`]; returns the time.
    fn start_due(&mut self) -> Result<Time, RunError> {
        for _ in 0..STARTS {
            let now = self.clock.now();
            if self.free.is_empty() {
                return Ok(now);
            }
            let Some(due) = self.plan.schedule.take(now) else { return Ok(now) };
            let Some(place) = self.free.pop() else { return Ok(now) };
            if self.slots[place].socket.is_none() {
                self.slots[place].socket = Some(self.open(place)?);
            }
            self.figures.start_delay.record(now.since(due.scheduled));
            self.slots[place].running = Some(RunningTransfer::new(now, due, &self.plan));
            self.with(place, now, |running, context| running.drive(&[], context));
        }
        Ok(self.clock.now())
    }

    /// Reads the socket of this place.
    fn readable(&mut self, place: usize) {
        loop {
            let Generator { slots, batch, plan, wire, figures, deadlines, .. } = self;
            let Slot { socket: Some(socket), running } = &mut slots[place] else { return };
            // In lockstep, only one datagram can carry anything new. Others are copies of it, which the next
            // read finds.
            let expected = if plan.lockstep() { 1 } else { usize::MAX };
            let more = match batch.fill_up_to(socket, expected) {
                Ok(more) => more,
                // A packet of a connected socket met a closed port: it counts as lost.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => continue,
                Err(error) => {
                    self.finish(place, Outcome::Failed(format!("receiving: {error}")));
                    return;
                }
            };
            let now = self.clock.now();
            let mut context = Context { now, plan, socket, wire, figures };
            let Some(running) = running else { return };
            let stalled = running.is_stalled();
            let heard = running.heard();
            let mut outcome = None;
            'batch: for received in (0..batch.len()).filter_map(|index| batch.get(index)) {
                for datagram in received.datagrams() {
                    outcome = running.on_datagram(received.peer, datagram, &mut context);
                    if outcome.is_some() {
                        break 'batch;
                    }
                }
            }
            deadlines[place] = running.deadline();
            let news = running.heard() != heard;
            let stalls = running.is_stalled() && !stalled;
            if let Some(outcome) = outcome {
                self.finish(place, outcome);
                return;
            }
            if stalls {
                self.stalls();
            }
            if !more || news && self.plan.lockstep() {
                return;
            }
        }
    }

    /// Handles the transfers with expired deadlines.
    fn scan(&mut self, now: Time) {
        for place in 0..self.deadlines.len() {
            if self.deadlines[place] <= now {
                self.with(place, now, RunningTransfer::on_timer);
            }
        }
    }

    /// Runs `act` on the transfer of this place, and removes the transfer if it has ended.
    fn with(
        &mut self,
        place: usize,
        now: Time,
        act: impl FnOnce(&mut RunningTransfer, &mut Context<'_>) -> Option<Outcome>,
    ) {
        let Generator { slots, plan, wire, figures, deadlines, .. } = self;
        let Slot { socket: Some(socket), running: Some(running) } = &mut slots[place] else { return };
        let outcome = act(running, &mut Context { now, plan, socket, wire, figures });
        deadlines[place] = running.deadline();
        if let Some(outcome) = outcome {
            self.finish(place, outcome);
        }
    }

    fn finish(&mut self, place: usize, outcome: Outcome) {
        let slot = &mut self.slots[place];
        let Some(running) = slot.running.take() else { return };
        if !self.plan.reuse_sockets {
            // Closing removes it from the epoll: no other descriptor refers to it.
            slot.socket = None;
        }
        self.stalled -= usize::from(running.is_stalled());
        self.deadlines[place] = Time::NEVER;
        self.free.push(place);
        self.figures.record(self.clock.now(), outcome, &running.ended());
    }

    /// Reports once when all transfers are stalled: the moment to inspect the server.
    fn stalls(&mut self) {
        self.stalled += 1;
        if self.stalled == self.slots.len() && !self.announced {
            self.announced = true;
            let seconds = self.clock.now().as_micros() as f64 / 1e6;
            eprintln!("tuffet-load: {} transfers are open and stalled after {seconds:.3} s", self.stalled);
        }
    }

    fn open(&self, place: usize) -> Result<Socket, RunError> {
        let socket = Socket::client(self.plan.server, self.plan.buffer_room(), self.plan.gro)
            .map_err(RunError::Socket)?;
        if let Some(bytes) = self.plan.receive_buffer {
            socket.set_receive_buffer(bytes).map_err(RunError::Socket)?;
        }
        epoll::add(&self.epoll, &socket, EventData::new_u64(place as u64), EventFlags::IN | EventFlags::ET)
            .map_err(|error| RunError::Wait(error.into()))?;
        Ok(socket)
    }

    /// Waits for events, at most this long (rounded up to the resolution of the call).
    fn wait(&self, events: &mut [epoll::Event], most: Duration) -> Result<usize, RunError> {
        let ms = Duration::from_millis(1);
        let fine = self.plan.rate.is_some() && !most.is_zero() && most < 20 * ms;
        if fine {
            // epoll_wait(2) has a resolution of milliseconds, poll(2) of the epoll itself of nanoseconds.
            let count = self.collect(events, Duration::ZERO)?;
            if count > 0 {
                return Ok(count);
            }
            let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(most.subsec_nanos()) };
            return match rustix::event::poll(&mut [PollFd::new(&self.epoll, PollFlags::IN)], Some(&timeout)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => Ok(0),
                Ok(_) => self.collect(events, Duration::ZERO),
                Err(error) => Err(RunError::Wait(error.into())),
            };
        }
        self.collect(events, most.min(Duration::from_secs(3_600)))
    }

    fn collect(&self, events: &mut [epoll::Event], most: Duration) -> Result<usize, RunError> {
        let millis = u64::try_from(most.as_micros().div_ceil(1_000)).unwrap_or(u64::MAX);
        let timeout =
            Timespec { tv_sec: (millis / 1_000) as i64, tv_nsec: (millis % 1_000) as i64 * 1_000_000 };
        match epoll::wait(&self.epoll, events, Some(&timeout)) {
            Ok(count) => Ok(count),
            Err(rustix::io::Errno::INTR) => Ok(0),
            Err(error) => Err(RunError::Wait(error.into())),
        }
    }
}
