//! Lines queued in memory.

use std::collections::VecDeque;
use std::io;
use std::time::Instant;

use super::backlog::{Backlog, TakenLines};
use super::queue::{Queue, Store};
use super::{Batch, DeliveryMode, Full};

/// A bounded queue. Lines in flight count until they are acknowledged.
#[derive(Debug)]
pub(super) struct Memory(Queue<QueuedLines>);

#[derive(Debug)]
struct QueuedLines {
    max_lines: usize,
    lines: VecDeque<String>,
    bytes: usize,
    in_flight: usize,
    /// When the oldest queued line was added.
    since: Option<Instant>,
}

impl Memory {
    pub fn new(max_lines: usize) -> Memory {
        Memory(Queue::new(QueuedLines {
            max_lines,
            lines: VecDeque::new(),
            bytes: 0,
            in_flight: 0,
            since: None,
        }))
    }
}

impl Backlog for Memory {
    /// Never waits.
    fn push(&self, line: String) -> Result<(), Full> {
        let mut queued = self.0.lock();
        if queued.len() >= queued.max_lines {
            return Err(Full);
        }
        queued.bytes += line.len();
        queued.since.get_or_insert_with(Instant::now);
        queued.lines.push_back(line);
        self.0.added(queued);
        Ok(())
    }

    fn take(
        &self,
        batch: &Batch,
        until: Option<Instant>,
        mode: &dyn Fn() -> DeliveryMode,
    ) -> io::Result<TakenLines> {
        self.0.take(batch, until, mode)
    }

    fn acknowledge(&self, _: &mut TakenLines, lines: usize) -> io::Result<()> {
        let mut queued = self.0.lock();
        queued.in_flight = queued.in_flight.saturating_sub(lines);
        Ok(())
    }

    fn size(&self) -> (u64, u64) {
        (self.0.lock().len() as u64, 0)
    }

    fn is_persistent(&self) -> bool {
        false
    }

    /// Drops all lines, including those in flight.
    fn give_up(&self) {
        let mut queued = self.0.lock();
        queued.lines.clear();
        (queued.bytes, queued.in_flight, queued.since) = (0, 0, None);
    }

    fn wake(&self) {
        self.0.wake();
    }

    fn pause(&self, until: Instant, mode: &dyn Fn() -> DeliveryMode) {
        self.0.pause(until, mode);
    }
}

impl QueuedLines {
    /// The number of queued lines and lines in flight.
    fn len(&self) -> usize {
        self.lines.len() + self.in_flight
    }
}

impl Store for QueuedLines {
    fn ready(&self) -> (u64, u64) {
        (self.lines.len() as u64, self.bytes as u64)
    }

    fn since(&self) -> Option<Instant> {
        self.since
    }

    fn max_lines(&self) -> u64 {
        self.max_lines as u64
    }

    fn take(&mut self, batch: &Batch) -> io::Result<TakenLines> {
        let (mut lines, mut bytes) = (Vec::new(), 0);
        while lines.len() < batch.lines
            && let Some(line) = self.lines.front()
            && (lines.is_empty() || bytes + line.len() <= batch.bytes)
        {
            bytes += line.len();
            lines.extend(self.lines.pop_front());
        }
        self.bytes -= bytes;
        self.in_flight += lines.len();
        self.since = if self.lines.is_empty() { None } else { Some(Instant::now()) };
        Ok(TakenLines { lines, ..TakenLines::default() })
    }
}
