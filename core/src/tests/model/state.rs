//! A state of the model, and the steps that it allows.

use super::end::End;
use super::link::{Datagram, Link};
use super::search::Bounds;
use crate::time::Time;

/// The present in every state: all times are relative to it.
const NOW: Time = Time::from_micros(10_000_000_000);
/// Longer ago makes no difference: more than any time-out, in microseconds.
const LONG_AGO: u64 = 60_000_000;

#[derive(Debug, Clone, Hash)]
pub struct World {
    pub client: End,
    pub server: End,
    /// From the client to the server, and back.
    pub up: Link,
    pub down: Link,
    /// Faults that may still occur.
    pub faults: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    Client,
    Server,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The next datagram arrives at this end.
    Deliver(Who),
    /// A delayed datagram arrives.
    DeliverLate(Who, usize),
    /// A time-out occurs while nothing is in flight.
    Timeout(Who),
    /// The decision is made.
    Decide,
    /// The bytes are stored.
    Store(Who),
    // Each of these is a fault.
    Lose(Who),
    Double(Who),
    HoldBack(Who),
    TimeoutEarly(Who),
}

impl World {
    pub fn new(bounds: &Bounds) -> Result<World, String> {
        let mut state = World {
            client: End::client(NOW, bounds),
            server: End::server(),
            up: Link::default(),
            down: Link::default(),
            faults: bounds.faults,
        };
        state.client.drive(NOW, None, bounds, &mut state.up.queue)?;
        Ok(state)
    }

    /// Returns all possible steps; none at the end.
    pub fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for (who, link) in [(Who::Server, &self.up), (Who::Client, &self.down)] {
            if !link.queue.is_empty() {
                steps.push(Step::Deliver(who));
                if self.faults > 0 {
                    steps.extend([Step::Lose(who), Step::Double(who), Step::HoldBack(who)]);
                }
            }
            steps.extend((0..link.late.len()).map(|at| Step::DeliverLate(who, at)));
        }
        if self.server.is_deciding() {
            steps.push(Step::Decide);
        }
        for (who, end) in [(Who::Client, &self.client), (Who::Server, &self.server)] {
            if end.storing {
                steps.push(Step::Store(who));
            }
        }
        let waits = self.server.is_deciding() || self.client.storing || self.server.storing;
        let quiet = self.up.queue.is_empty() && self.down.queue.is_empty() && !waits;
        if quiet || self.faults > 0 {
            let first = self.client.timeout.min(self.server.timeout);
            for (who, end) in [(Who::Client, &self.client), (Who::Server, &self.server)] {
                if end.timeout == first && first != Time::NEVER {
                    steps.push(if quiet { Step::Timeout(who) } else { Step::TimeoutEarly(who) });
                }
            }
        }
        steps
    }

    /// Returns the state after a step.
    pub fn after(&self, step: Step, bounds: &Bounds) -> Result<World, String> {
        let mut next = self.clone();
        let mut now = NOW;
        match step {
            Step::Deliver(who) => {
                now = Time::from_micros(now.as_micros() + bounds.tick);
                let datagram = next.link(who).queue.remove(0);
                next.deliver(now, who, datagram, bounds)?;
            }
            Step::DeliverLate(who, at) => {
                let datagram = next.link(who).late.remove(at);
                next.deliver(now, who, datagram, bounds)?;
            }
            Step::Lose(who) => {
                next.link(who).queue.remove(0);
            }
            Step::HoldBack(who) => {
                let datagram = next.link(who).queue.remove(0);
                next.link(who).hold(datagram);
            }
            Step::Double(who) => {
                let datagram = next.link(who).queue[0];
                next.link(who).hold(datagram);
            }
            Step::Decide => {
                let (server, out) = (&mut next.server, &mut next.down.queue);
                if let Some(transfer) = &mut server.transfer {
                    transfer.handle_grant(now, &bounds.requested(), &bounds.limits(), Some(bounds.size()));
                }
                server.drive(now, None, bounds, out)?;
            }
            Step::Store(who) => {
                let (end, out) = next.end(who);
                end.storing = false;
                if let Some(transfer) = &mut end.transfer {
                    transfer.handle_stored(now);
                }
                end.drive(now, None, bounds, out)?;
            }
            Step::Timeout(who) | Step::TimeoutEarly(who) => {
                let (end, out) = next.end(who);
                now = now.max(end.timeout);
                if let Some(transfer) = &mut end.transfer {
                    transfer.handle_timeout(now);
                }
                end.drive(now, None, bounds, out)?;
            }
        }
        if matches!(step, Step::Lose(_) | Step::HoldBack(_) | Step::Double(_) | Step::TimeoutEarly(_)) {
            next.faults -= 1;
        }
        if matches!(step, Step::Lose(_) | Step::HoldBack(_) | Step::Timeout(_) | Step::TimeoutEarly(_)) {
            (next.client.answered, next.server.answered) = (None, None);
        }
        next.forget(now);
        Ok(next)
    }

    /// Returns whether both sides have ended as they should.
    pub fn is_over(&self) -> bool {
        self.client.closed && (self.server.closed || self.server.transfer.is_none())
    }

    /// Discards datagrams to an end that has closed, and shifts all times to the present.
    fn forget(&mut self, now: Time) {
        if self.client.closed {
            self.down = Link::default();
        }
        if self.server.closed {
            self.up = Link::default();
            // A client that the server has never heard from gets three answers and is forgotten; its next
            // request is a new one.
            if self.server.gave_up_unproven() {
                self.server = End::server();
            }
        }
        let to = |time: Time| match time {
            Time::NEVER => time,
            time if time > now => Time::from_micros(NOW.as_micros() + time.as_micros() - now.as_micros()),
            time => {
                let ago = now.as_micros() - time.as_micros();
                Time::from_micros(NOW.as_micros() - ago.min(LONG_AGO))
            }
        };
        for end in [&mut self.client, &mut self.server] {
            end.timeout = to(end.timeout);
            if let Some(transfer) = &mut end.transfer {
                transfer.shift(now, &to);
            }
        }
    }

    fn deliver(&mut self, now: Time, who: Who, datagram: Datagram, bounds: &Bounds) -> Result<(), String> {
        let (end, out) = self.end(who);
        end.receive(now, datagram, bounds, out)
    }

    fn end(&mut self, who: Who) -> (&mut End, &mut Vec<Datagram>) {
        match who {
            Who::Client => (&mut self.client, &mut self.up.queue),
            Who::Server => (&mut self.server, &mut self.down.queue),
        }
    }

    /// Returns the link to this end.
    fn link(&mut self, who: Who) -> &mut Link {
        match who {
            Who::Client => &mut self.down,
            Who::Server => &mut self.up,
        }
    }
}
