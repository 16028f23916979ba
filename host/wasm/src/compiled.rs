//! Compiled components in memory, so that a reload compiles only what has changed.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use wasmtime::component::Component;

/// The most components kept. Beyond that, all are forgotten: with more plugins than this, a reload waits for
/// the compiler again.
const MAX_KEPT: usize = 32;

/// Compiled components by their bytes. For the threads that load plugins, never while a request waits.
#[derive(Default)]
pub(super) struct Compiled(Mutex<HashMap<Box<[u8]>, Component>>);

impl Compiled {
    /// Returns the component of these bytes, from the cache or from `compile`. Two threads with the same
    /// bytes may both compile; that is only extra work.
    pub fn get(
        &self,
        bytes: &[u8],
        compile: impl FnOnce() -> wasmtime::Result<Component>,
    ) -> wasmtime::Result<Component> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(bytes).cloned();
        if let Some(component) = kept {
            return Ok(component);
        }
        let component = compile()?;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert(bytes.into(), component.clone());
        Ok(component)
    }
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled").finish_non_exhaustive()
    }
}
