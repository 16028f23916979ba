//! Queued lines: in memory, or on disk.

use std::io;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Instant;

use super::memory::Memory;
use super::spool::{Spool, Taken};
use super::{Batch, Full, Pace};

/// The lines of a sink that are not delivered yet.
#[derive(Debug)]
pub(super) enum Backlog {
    Memory(Memory),
    /// With this sink's claim to deliver from it.
    Spool(Arc<Spool>, u64),
}

/// Lines in flight.
#[derive(Debug, Default)]
pub(super) struct Load {
    pub lines: Vec<String>,
    /// Lines that were damaged on disk and are skipped.
    pub damaged: usize,
    spooled: Option<Taken>,
}

impl Backlog {
    /// Adds a line. Blocks on the disk, if there is one.
    pub fn push(&self, line: String) -> Result<(), Full> {
        match self {
            Backlog::Memory(memory) => memory.push(line),
            Backlog::Spool(spool, _) => spool.append(&line),
        }
    }

    /// See [`Memory::take`] and [`Spool::take`].
    pub fn take(&self, batch: &Batch, until: Option<Instant>, pace: &dyn Fn() -> Pace) -> io::Result<Load> {
        Ok(match self {
            Backlog::Memory(memory) => Load { lines: memory.take(batch, until, pace), ..Load::default() },
            Backlog::Spool(spool, _) => {
                let mut taken = spool.take(batch, until, pace)?;
                let lines = std::mem::take(&mut taken.lines);
                Load { lines, damaged: taken.damaged, spooled: Some(taken) }
            }
        })
    }

    /// Completes the first `lines` remaining lines of the load.
    pub fn acknowledge(&self, load: &mut Load, lines: usize) -> io::Result<()> {
        match (self, &mut load.spooled) {
            (Backlog::Memory(memory), _) => memory.acknowledge(lines),
            (Backlog::Spool(spool, _), Some(taken)) => spool.acknowledge(taken, lines)?,
            (Backlog::Spool(..), None) => {}
        }
        Ok(())
    }

    /// Drops the lines that are only in memory.
    pub fn give_up(&self) {
        if let Backlog::Memory(memory) = self {
            memory.clear();
        }
    }

    /// Returns the number of lines, and the bytes on disk.
    pub fn size(&self) -> (u64, u64) {
        match self {
            Backlog::Memory(memory) => (memory.len() as u64, 0),
            Backlog::Spool(spool, _) => spool.size(),
        }
    }

    /// Returns whether undelivered lines survive the process.
    pub fn is_kept(&self) -> bool {
        matches!(self, Backlog::Spool(..))
    }

    /// Returns whether only this sink delivers these lines.
    pub fn is_mine(&self) -> bool {
        match self {
            Backlog::Memory(_) => true,
            Backlog::Spool(spool, claim) => spool.is_owner(*claim),
        }
    }

    /// Waits until no other sink delivers these lines.
    pub fn alone(&self) -> Option<MutexGuard<'_, ()>> {
        match self {
            Backlog::Memory(_) => None,
            Backlog::Spool(spool, _) => Some(spool.delivering.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    /// Wakes the consumer.
    pub fn wake(&self) {
        match self {
            Backlog::Memory(memory) => memory.wake(),
            Backlog::Spool(spool, _) => spool.wake(),
        }
    }

    /// Waits until `until`, or until the sink is to stop.
    pub fn pause(&self, until: Instant, pace: &dyn Fn() -> Pace) {
        match self {
            Backlog::Memory(memory) => memory.pause(until, pace),
            Backlog::Spool(spool, _) => spool.pause(until, pace),
        }
    }
}
