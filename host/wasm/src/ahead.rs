//! Fresh instances that are configured ahead of the calls that use them.
//!
//! A plugin without reuse gets a new instance for each call. Most of what such a call costs is making the instance, and
//! nothing of that depends on the request. So one or two instances wait, configured and unused; a call takes one, and
//! the next is made beside it, where the used one is taken apart as well. Where calls are faster than that, they make
//! their own.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::code::Code;
use super::instance::Instance;
use super::make::Within;

/// Instances that wait, for each plugin. They cost memory for as long as the plugin is loaded.
const MOST: usize = 2;

/// Used instances that wait to be taken apart, for each plugin. Where calls are faster than that, they do it themselves.
const MOST_USED: usize = 2;

/// The unused instances of one plugin.
pub(super) struct Ahead {
    state: Mutex<State>,
    /// Permits for idle instances of all plugins.
    room: Arc<Semaphore>,
}

#[derive(Default)]
struct State {
    ready: Vec<(Box<Instance>, OwnedSemaphorePermit)>,
    #[expect(clippy::vec_box, reason = "calls hand over boxes, and an instance is large")]
    used: Vec<Box<Instance>>,
    making: bool,
}

impl Ahead {
    pub fn new(room: Arc<Semaphore>) -> Arc<Ahead> {
        Arc::new(Ahead { state: Mutex::default(), room })
    }

    /// Takes an instance that no call has used.
    pub fn take(&self) -> Option<Box<Instance>> {
        self.lock().ready.pop().map(|(instance, _)| instance)
    }

    /// Adds an instance that no call has used. It is dropped if there is no room.
    pub fn add(&self, instance: Box<Instance>) -> bool {
        let Ok(room) = Arc::clone(&self.room).try_acquire_owned() else { return false };
        let mut state = self.lock();
        if state.ready.len() >= MOST {
            return false;
        }
        state.ready.push((instance, room));
        true
    }

    /// Takes an instance that has served its call, to be dropped by [`Ahead::replenish`].
    pub fn leave(&self, instance: Box<Instance>) {
        let mut state = self.lock();
        if state.used.len() < MOST_USED {
            state.used.push(instance);
        }
    }

    /// Drops used instances and makes further ones beside the calls, if there is anything to do and nothing does it yet.
    pub fn replenish(self: &Arc<Self>, code: &Arc<Code>) {
        let Ok(runtime) = Handle::try_current() else { return };
        let mut state = self.lock();
        if state.making || !self.has_work(&state) {
            return;
        }
        state.making = true;
        drop(state);
        let (ahead, code) = (Arc::clone(self), Arc::clone(code));
        runtime.spawn(async move {
            let _making = Making(&ahead);
            loop {
                let used = std::mem::take(&mut ahead.lock().used);
                drop(used);
                if !ahead.lacks() {
                    break;
                }
                // If it fails, so does the next call, which reports the failure.
                let Ok(instance) = code.configured(Within::Call, false).await else { break };
                if !ahead.add(instance) {
                    break;
                }
            }
        });
    }

    fn has_work(&self, state: &State) -> bool {
        !state.used.is_empty() || (state.ready.len() < MOST && self.room.available_permits() > 0)
    }

    fn lacks(&self) -> bool {
        self.lock().ready.len() < MOST
    }

    #[cfg(test)]
    pub fn ready(&self) -> usize {
        self.lock().ready.len()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the making, also if it panics.
struct Making<'a>(&'a Ahead);

impl Drop for Making<'_> {
    fn drop(&mut self) {
        self.0.lock().making = false;
    }
}
