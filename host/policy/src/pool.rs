//! The reused instances of one plugin.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// How long a call waits for an instance in use before another one is made: as long as making one takes, within these
/// bounds. A configured instance is worth waiting for, but a plugin that waits for external services needs more of
/// them.
const INSTANCE_WAIT: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(250));

/// The instances of one plugin. The last one never expires, so that a storm after a quiet night finds a configured
/// instance.
pub struct Pool<I> {
    /// How long all but the last instance may be idle.
    idle: Duration,
    /// The most concurrent instances.
    most: u32,
    /// Existing instances, in use or idle.
    alive: u32,
    making: bool,
    /// Whether the last attempt to make one failed.
    failed: bool,
    /// How long making the last one took.
    cost: Duration,
    /// Idle instances, the most recently used last. Calls take from the end, so that the others expire in a
    /// quiet hour.
    ready: Vec<Idle<I>>,
    /// Permits for idle instances, shared by all plugins.
    idle_permits: Arc<Semaphore>,
    /// Whether a task waits for the oldest to expire.
    swept: bool,
}

struct Idle<I> {
    instance: I,
    until: Instant,
    _permit: Option<OwnedSemaphorePermit>,
}

/// Whether an instance may serve another call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstanceCondition {
    /// It may serve further calls.
    Reusable,
    /// It has served its number of calls, or has grown too large.
    WornOut,
}

impl<I> Pool<I> {
    /// Creates a pool of at most `most` instances, which expire after `idle`; `idle_permits` is shared with other
    /// pools.
    pub fn new(most: u32, idle: Duration, idle_permits: Arc<Semaphore>) -> Pool<I> {
        Pool {
            idle,
            most,
            alive: 0,
            making: false,
            failed: false,
            cost: Duration::ZERO,
            ready: Vec::new(),
            idle_permits,
            swept: false,
        }
    }

    /// Whether an instance is idle; with `spare`, whether another one would remain.
    pub(crate) fn has_ready(&self, spare: bool) -> bool {
        self.ready.len() > usize::from(spare && self.most > 1)
    }

    /// Takes the most recently used instance.
    pub(crate) fn take(&mut self) -> Option<I> {
        self.ready.pop().map(|idle| idle.instance)
    }

    /// Returns an unused instance to the pool.
    pub(crate) fn put_back(&mut self, instance: I) {
        let until = Instant::now() + self.idle;
        self.ready.push(Idle {
            instance,
            until,
            _permit: Arc::clone(&self.idle_permits).try_acquire_owned().ok(),
        });
    }

    /// Takes back an instance after a successful call. Returns it if the caller must drop it, which
    /// must not happen under a lock. `waits`: whether a call waits for an instance.
    pub(crate) fn give_back(&mut self, instance: I, condition: InstanceCondition, waits: bool) -> Option<I> {
        let permit = Arc::clone(&self.idle_permits).try_acquire_owned().ok();
        if condition == InstanceCondition::WornOut || (permit.is_none() && !waits) {
            self.alive -= 1;
            return Some(instance);
        }
        self.ready.push(Idle { instance, until: Instant::now() + self.idle, _permit: permit });
        None
    }

    /// Counts an instance that did not return.
    pub(crate) fn lose(&mut self) {
        self.alive -= 1;
    }

    /// Adds a new instance.
    pub(crate) fn add(&mut self, instance: I, cost: Duration) {
        (self.making, self.failed, self.cost) = (false, false, cost);
        self.alive += 1;
        self.put_back(instance);
    }

    /// Records that making an instance failed.
    pub(crate) fn making_failed(&mut self) {
        (self.making, self.failed) = (false, true);
    }

    /// Returns how long to wait before making another instance, which is then the caller's task; `None` if
    /// none is needed. `waits`: whether a call waits for an instance.
    pub(crate) fn wants(&mut self, waits: bool) -> Option<Duration> {
        if self.making || !self.lacks(waits) {
            return None;
        }
        self.making = true;
        let (least, most) = INSTANCE_WAIT;
        Some(if self.alive == 0 { Duration::ZERO } else { self.cost.clamp(least, most) })
    }

    /// Returns whether the instance is still needed. If not, the caller must not make it.
    pub(crate) fn still_wanted(&mut self, waits: bool) -> bool {
        self.making = self.lacks(waits);
        self.making
    }

    fn lacks(&self, waits: bool) -> bool {
        // After a failure, the next call that needs an instance tries again.
        let keeps_one = self.alive == 0 && !self.failed;
        self.alive < self.most && (waits || keeps_one)
    }

    /// Removes expired instances. Returns them, and the time of the next sweep.
    pub(crate) fn sweep(&mut self, now: Instant) -> (Vec<I>, Option<Instant>) {
        let over = self.ready.iter().take_while(|idle| idle.until <= now).count();
        // An instance in use also preserves the result of `configure`.
        let keep = usize::from(self.alive as usize == self.ready.len());
        let over = over.min(self.ready.len().saturating_sub(keep));
        let gone: Vec<I> = self.ready.drain(..over).map(|idle| idle.instance).collect();
        self.alive -= over as u32;
        let next = self.ready.first().filter(|_| self.ready.len() > 1).map(|idle| idle.until);
        self.swept = next.is_some();
        (gone, next)
    }

    /// Returns when to sweep, if a sweep is needed and no task waits for it.
    pub(crate) fn begins_sweeping(&mut self) -> Option<Instant> {
        if self.swept || self.ready.len() < 2 {
            return None;
        }
        self.swept = true;
        self.ready.first().map(|idle| idle.until)
    }

    /// The number of idle instances.
    pub(crate) fn idle(&self) -> usize {
        self.ready.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_bounded() {
        let idle_permits = Arc::new(Semaphore::new(2));
        let mut pool = Pool::new(32, Duration::from_secs(600), Arc::clone(&idle_permits));
        for instance in 0..3 {
            pool.add(instance, Duration::ZERO);
        }
        let taken: Vec<u8> = std::iter::from_fn(|| pool.take()).collect();
        assert_eq!(taken, [2, 1, 0]);
        let gone: Vec<Option<u8>> = taken
            .into_iter()
            .map(|instance| pool.give_back(instance, InstanceCondition::Reusable, false))
            .collect();
        assert_eq!(gone, [None, None, Some(0)]);
        assert_eq!((pool.idle(), idle_permits.available_permits()), (2, 0));
        assert!(pool.take().is_some());
        assert_eq!((pool.idle(), idle_permits.available_permits()), (1, 1));
        drop(pool);
        assert_eq!(idle_permits.available_permits(), 2, "a generation that is gone leaves its room");
    }
}
