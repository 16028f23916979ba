//! A value that is taken once.

use parking_lot::Mutex;
use std::sync::Arc;

/// A value for whoever takes it first: the thread that does the work, or its deadline. Clones share the value, so a thread
/// that hangs keeps it alive only until the deadline.
pub(super) struct OnceSlot<T>(Arc<Mutex<Option<T>>>);

impl<T> OnceSlot<T> {
    pub(super) fn new(value: T) -> OnceSlot<T> {
        OnceSlot(Arc::new(Mutex::new(Some(value))))
    }

    /// Takes the value; `None` if it was taken before.
    pub(super) fn take(&self) -> Option<T> {
        self.0.lock().take()
    }

    /// Looks at the value without taking it.
    pub(super) fn look<R>(&self, look: impl FnOnce(&T) -> R) -> Option<R> {
        self.0.lock().as_ref().map(look)
    }
}

impl<T> Clone for OnceSlot<T> {
    fn clone(&self) -> OnceSlot<T> {
        OnceSlot(Arc::clone(&self.0))
    }
}
