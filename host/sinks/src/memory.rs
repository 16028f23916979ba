//! Lines queued in memory.

use std::collections::VecDeque;
use std::io;
use std::time::Instant;

use super::backlog::{Backlog, Load};
use super::queue::{Queue, Store};
use super::{Batch, Full, Pace};

/// A bounded queue. Lines in flight count until they are acknowledged.
#[derive(Debug)]
pub(super) struct Memory(Queue<Held>);

#[derive(Debug)]
struct Held {
    most: usize,
    lines: VecDeque<String>,
    bytes: usize,
    under_way: usize,
    /// When the oldest queued line was added.
    since: Option<Instant>,
}

impl Memory {
    pub fn new(most: usize) -> Memory {
        Memory(Queue::new(Held { most, lines: VecDeque::new(), bytes: 0, under_way: 0, since: None }))
    }
}

impl Backlog for Memory {
    /// Never waits.
    fn push(&self, line: String) -> Result<(), Full> {
        let mut held = self.0.lock();
        if held.len() >= held.most {
            return Err(Full);
        }
        held.bytes += line.len();
        held.since.get_or_insert_with(Instant::now);
        held.lines.push_back(line);
        self.0.added(held);
        Ok(())
    }

    fn take(&self, batch: &Batch, until: Option<Instant>, pace: &dyn Fn() -> Pace) -> io::Result<Load> {
        self.0.take(batch, until, pace)
    }

    fn acknowledge(&self, _: &mut Load, lines: usize) -> io::Result<()> {
        let mut held = self.0.lock();
        held.under_way = held.under_way.saturating_sub(lines);
        Ok(())
    }

    fn size(&self) -> (u64, u64) {
        (self.0.lock().len() as u64, 0)
    }

    fn is_kept(&self) -> bool {
        false
    }

    /// Forgets all lines, including those in flight.
    fn give_up(&self) {
        let mut held = self.0.lock();
        held.lines.clear();
        (held.bytes, held.under_way, held.since) = (0, 0, None);
    }

    fn wake(&self) {
        self.0.wake();
    }

    fn pause(&self, until: Instant, pace: &dyn Fn() -> Pace) {
        self.0.pause(until, pace);
    }
}

impl Held {
    /// The number of queued lines and lines in flight.
    fn len(&self) -> usize {
        self.lines.len() + self.under_way
    }
}

impl Store for Held {
    fn ready(&self) -> (u64, u64) {
        (self.lines.len() as u64, self.bytes as u64)
    }

    fn since(&self) -> Option<Instant> {
        self.since
    }

    fn most(&self) -> u64 {
        self.most as u64
    }

    fn take(&mut self, batch: &Batch) -> io::Result<Load> {
        let (mut lines, mut bytes) = (Vec::new(), 0);
        while lines.len() < batch.lines
            && let Some(line) = self.lines.front()
            && (lines.is_empty() || bytes + line.len() <= batch.bytes)
        {
            bytes += line.len();
            lines.extend(self.lines.pop_front());
        }
        self.bytes -= bytes;
        self.under_way += lines.len();
        self.since = if self.lines.is_empty() { None } else { Some(Instant::now()) };
        Ok(Load { lines, ..Load::default() })
    }
}
