//! Configured instances that are reused, of one plugin.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// How long a call waits for an instance that is in use before another one is made: as long as making one takes,
/// within these bounds. What `configure` built is worth waiting for, and a plugin that waits for something else
/// needs more instances.
const PATIENCE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(250));

/// The instances of one plugin. The last one stays however long it is idle, so that a storm after a quiet night
/// finds what `configure` built.
pub(super) struct Pool<I> {
    /// How long all but the last may be idle.
    idle: Duration,
    /// Instances at once.
    most: u32,
    /// Those that exist, in use or not.
    alive: u32,
    making: bool,
    /// The last one could not be made.
    failed: bool,
    /// What the last one took to make.
    cost: Duration,
    /// Those that wait, the last used last. Taken from the end, so that a quiet hour lets the rest go.
    ready: Vec<Idle<I>>,
    /// Room that the idle instances of all plugins share.
    room: Arc<Semaphore>,
    /// Whether a task waits for the oldest to be idle for too long.
    swept: bool,
}

struct Idle<I> {
    instance: I,
    until: Instant,
    _room: Option<OwnedSemaphorePermit>,
}

/// Whether an instance may serve another call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lodging {
    Free,
    /// It has served its calls, or has grown too much.
    Worn,
}

impl<I> Pool<I> {
    /// At most `most` instances, which may be idle for so long, in room that others share.
    pub fn new(most: u32, idle: Duration, room: Arc<Semaphore>) -> Pool<I> {
        Pool {
            idle,
            most,
            alive: 0,
            making: false,
            failed: false,
            cost: Duration::ZERO,
            ready: Vec::new(),
            room,
            swept: false,
        }
    }

    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// The instance that was used last.
    pub fn take(&mut self) -> Option<I> {
        self.ready.pop().map(|idle| idle.instance)
    }

    /// An instance that was taken and not used.
    pub fn put_back(&mut self, instance: I) {
        let until = Instant::now() + self.idle;
        self.ready.push(Idle { instance, until, _room: Arc::clone(&self.room).try_acquire_owned().ok() });
    }

    /// An instance whose call went well; gives back what is to be dropped, and not under a lock. `waits`: whether
    /// a call waits for it.
    pub fn give_back(&mut self, instance: I, lodging: Lodging, waits: bool) -> Option<I> {
        let room = Arc::clone(&self.room).try_acquire_owned().ok();
        if lodging == Lodging::Worn || (room.is_none() && !waits) {
            self.alive -= 1;
            return Some(instance);
        }
        self.ready.push(Idle { instance, until: Instant::now() + self.idle, _room: room });
        None
    }

    /// An instance did not come back.
    pub fn lose(&mut self) {
        self.alive -= 1;
    }

    /// An instance was made.
    pub fn add(&mut self, instance: I, cost: Duration) {
        (self.making, self.failed, self.cost) = (false, false, cost);
        self.alive += 1;
        self.put_back(instance);
    }

    /// None could be made.
    pub fn making_failed(&mut self) {
        (self.making, self.failed) = (false, true);
    }

    /// How long to wait before another one is made, which then is the caller's to do. `None`: none is wanted.
    pub fn wants(&mut self, waits: bool) -> Option<Duration> {
        if self.making || !self.lacks(waits) {
            return None;
        }
        self.making = true;
        let (least, most) = PATIENCE;
        Some(if self.alive == 0 { Duration::ZERO } else { self.cost.clamp(least, most) })
    }

    /// Whether one is wanted still; else it is not to be made.
    pub fn still_wanted(&mut self, waits: bool) -> bool {
        self.making = self.lacks(waits);
        self.making
    }

    fn lacks(&self, waits: bool) -> bool {
        // One that cannot be made is tried again when a call needs it.
        let keeps_one = self.alive == 0 && !self.failed;
        self.ready.is_empty() && self.alive < self.most && (waits || keeps_one)
    }

    /// Takes out what was idle for too long; when to look again.
    pub fn sweep(&mut self, now: Instant) -> (Vec<I>, Option<Instant>) {
        let over = self.ready.iter().take_while(|idle| idle.until <= now).count();
        // The last one in use keeps what `configure` built, too.
        let keep = usize::from(self.alive as usize == self.ready.len());
        let over = over.min(self.ready.len().saturating_sub(keep));
        let gone: Vec<I> = self.ready.drain(..over).map(|idle| idle.instance).collect();
        self.alive -= over as u32;
        let next = self.ready.first().filter(|_| self.ready.len() > 1).map(|idle| idle.until);
        self.swept = next.is_some();
        (gone, next)
    }

    /// When to sweep, if nobody else waits for that.
    pub fn begins_sweeping(&mut self) -> Option<Instant> {
        if self.swept || self.ready.len() < 2 {
            return None;
        }
        self.swept = true;
        self.ready.first().map(|idle| idle.until)
    }

    #[cfg(test)]
    pub fn idle(&self) -> usize {
        self.ready.len()
    }
}
