//! Instances that are kept between calls (`reuse`).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

use super::instance::Instance;
use super::spec::Reuse;

/// The instances of one plugin that wait, the last used last. Taken from the end, so that a quiet hour lets
/// the rest go.
pub(super) struct Kept {
    reuse: Reuse,
    waiting: Arc<Mutex<Waiting>>,
    /// Room that all plugins share.
    room: Arc<Semaphore>,
}

#[derive(Default)]
struct Waiting {
    instances: Vec<Idle>,
    /// Whether a task waits for the oldest to be idle for too long.
    swept: bool,
}

struct Idle {
    instance: Box<Instance>,
    until: Instant,
    _room: OwnedSemaphorePermit,
}

impl Kept {
    pub fn new(reuse: Reuse, room: Arc<Semaphore>) -> Kept {
        Kept { reuse, waiting: Arc::default(), room }
    }

    /// The instance that was used last, if there is one.
    pub fn take(&self) -> Option<Box<Instance>> {
        let idle = lock(&self.waiting).instances.pop()?;
        // Where the sweeper has not come yet, those below it are older still.
        (idle.until > Instant::now()).then_some(idle.instance)
    }

    /// How many wait.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        lock(&self.waiting).instances.len()
    }

    /// Keeps an instance whose call went well, unless it has served its time, has grown too much or there is
    /// no room.
    pub fn put(&self, instance: Box<Instance>) {
        if instance.calls >= self.reuse.calls || instance.store.data().is_worn() {
            return;
        }
        let Ok(room) = Arc::clone(&self.room).try_acquire_owned() else { return };
        let until = Instant::now() + self.reuse.idle;
        let mut waiting = lock(&self.waiting);
        waiting.instances.push(Idle { instance, until, _room: room });
        if !waiting.swept {
            waiting.swept = true;
            tokio::spawn(sweep(Arc::downgrade(&self.waiting), until));
        }
    }
}

/// Lets instances go that were not used for too long, until none is left.
async fn sweep(waiting: Weak<Mutex<Waiting>>, mut next: Instant) {
    loop {
        sleep_until(next).await;
        let Some(waiting) = waiting.upgrade() else { return };
        let mut waiting = lock(&waiting);
        let now = Instant::now();
        let over = waiting.instances.iter().take_while(|idle| idle.until <= now).count();
        let gone: Vec<Idle> = waiting.instances.drain(..over).collect();
        match waiting.instances.first() {
            Some(oldest) => next = oldest.until,
            None => waiting.swept = false,
        }
        let over = !waiting.swept;
        drop(waiting);
        drop(gone);
        if over {
            return;
        }
    }
}

fn lock(waiting: &Mutex<Waiting>) -> MutexGuard<'_, Waiting> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}
