//! Fresh instances that are configured before the calls that use them.
//!
//! A plugin without reuse gets a new instance for each call. Creating it is most of the cost of such a call, and does
//! not depend on the request. So up to two configured, unused instances wait. A call takes one; a background task
//! makes the next one, and drops the used one. If calls are faster than that, they make their own.

use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::code::Code;
use super::instance::Instance;
use super::make_instance::ConfigureLimit;

/// The maximum number of ready instances per plugin. They cost memory as long as the plugin is loaded.
const MAX_READY: usize = 2;

/// The maximum number of used instances that wait to be dropped, per plugin. If calls are faster than that, they drop
/// them themselves.
const MAX_USED: usize = 2;

/// The prepared instances of one plugin.
pub(super) struct PreparedInstances {
    state: Mutex<Instances>,
    /// Permits for idle instances of all plugins.
    room: Arc<Semaphore>,
}

#[derive(Default)]
struct Instances {
    ready: Vec<(Box<Instance>, OwnedSemaphorePermit)>,
    #[expect(clippy::vec_box, reason = "calls hand over boxes, and an instance is large")]
    used: Vec<Box<Instance>>,
    making: bool,
}

impl PreparedInstances {
    pub fn new(room: Arc<Semaphore>) -> Arc<PreparedInstances> {
        Arc::new(PreparedInstances { state: Mutex::default(), room })
    }

    /// Takes an unused instance.
    pub fn take(&self) -> Option<Box<Instance>> {
        self.lock().ready.pop().map(|(instance, _)| instance)
    }

    /// Adds an unused instance. Drops it and returns `false` if there is no room.
    pub fn add(&self, instance: Box<Instance>) -> bool {
        let Ok(room) = Arc::clone(&self.room).try_acquire_owned() else { return false };
        let mut state = self.lock();
        if state.ready.len() >= MAX_READY {
            return false;
        }
        state.ready.push((instance, room));
        true
    }

    /// Takes back a used instance, for [`PreparedInstances::replenish`] to drop.
    pub fn return_used(&self, instance: Box<Instance>) {
        let mut state = self.lock();
        if state.used.len() < MAX_USED {
            state.used.push(instance);
        }
    }

    /// Drops used instances and makes further ones in the background, unless there is nothing to do or a task does so
    /// already.
    pub fn replenish(self: &Arc<Self>, code: &Arc<Code>) {
        let Ok(runtime) = Handle::try_current() else { return };
        let mut state = self.lock();
        if state.making || !self.has_work(&state) {
            return;
        }
        state.making = true;
        drop(state);
        let (prepared, code) = (Arc::clone(self), Arc::clone(code));
        runtime.spawn(async move {
            let _making = Making(&prepared);
            loop {
                let used = std::mem::take(&mut prepared.lock().used);
                drop(used);
                if !prepared.needs_more() {
                    break;
                }
                // If this fails, so does the next call, which reports it.
                let Ok(instance) = code.configured(ConfigureLimit::Call, false).await else { break };
                if !prepared.add(instance) {
                    break;
                }
            }
        });
    }

    fn has_work(&self, state: &Instances) -> bool {
        !state.used.is_empty() || (state.ready.len() < MAX_READY && self.room.available_permits() > 0)
    }

    fn needs_more(&self) -> bool {
        self.lock().ready.len() < MAX_READY
    }

    #[cfg(test)]
    pub fn ready(&self) -> usize {
        self.lock().ready.len()
    }

    fn lock(&self) -> MutexGuard<'_, Instances> {
        self.state.lock()
    }
}

/// Marks the end of the task, also if it panics.
struct Making<'a>(&'a PreparedInstances);

impl Drop for Making<'_> {
    fn drop(&mut self) {
        self.0.lock().making = false;
    }
}
