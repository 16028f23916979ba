//! Compiled components in memory, so that a reload compiles only changed ones.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::fmt;

use wasmtime::component::Component;

/// The maximum number of components. Beyond it, all are dropped: with more plugins, a reload waits for the compiler
/// again.
const MAX_COMPONENTS: usize = 32;

/// Compiled components by their bytes. Used only by threads that load plugins, never while a request waits.
#[derive(Default)]
pub(super) struct ComponentCache(Mutex<HashMap<Box<[u8]>, Component>>);

impl ComponentCache {
    /// Returns the component of these bytes, from the cache or from `compile`. Two threads may both compile the same
    /// bytes, which is only extra work.
    pub fn get(
        &self,
        bytes: &[u8],
        compile: impl FnOnce() -> wasmtime::Result<Component>,
    ) -> wasmtime::Result<Component> {
        let cached = self.0.lock().get(bytes).cloned();
        if let Some(component) = cached {
            return Ok(component);
        }
        let component = compile()?;
        let mut cached = self.0.lock();
        if cached.len() >= MAX_COMPONENTS {
            cached.clear();
        }
        cached.insert(bytes.into(), component.clone());
        Ok(component)
    }
}

impl fmt::Debug for ComponentCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComponentCache").finish_non_exhaustive()
    }
}
