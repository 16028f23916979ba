//! One request to the origin, shared by all callers that wait for the same answer.

use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::time::Instant;

use crate::failure::Failure;

/// A running request, and its outcome.
#[derive(Debug)]
pub(crate) struct Flight<T> {
    outcome: Mutex<Option<Result<T, Failure>>>,
    news: Condvar,
}

impl<T: Clone> Flight<T> {
    pub fn new() -> Arc<Self> {
        Arc::new(Self { outcome: Mutex::new(None), news: Condvar::new() })
    }

    /// Waits for the outcome; `None` if there is none by `until`.
    pub fn wait(&self, until: Instant) -> Option<Result<T, Failure>> {
        let mut outcome = self.outcome.lock();
        loop {
            if let Some(outcome) = &*outcome {
                return Some(outcome.clone());
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            self.news.wait_for(&mut outcome, left);
        }
    }

    fn land(&self, result: Result<T, Failure>) {
        self.outcome.lock().get_or_insert(result);
        self.news.notify_all();
    }
}

/// Held by the task that makes the request. Lands the flight regardless of how the task ends.
pub(crate) struct Pilot<T: Clone> {
    flight: Arc<Flight<T>>,
    /// Called before the waiting callers wake.
    landing: Option<Box<dyn FnOnce() + Send>>,
}

impl<T: Clone> Pilot<T> {
    pub fn new(flight: &Arc<Flight<T>>, landing: impl FnOnce() + Send + 'static) -> Self {
        Self { flight: Arc::clone(flight), landing: Some(Box::new(landing)) }
    }

    pub fn land(mut self, result: Result<T, Failure>) {
        self.end(result);
    }

    fn end(&mut self, result: Result<T, Failure>) {
        if let Some(landing) = self.landing.take() {
            landing();
            self.flight.land(result);
        }
    }
}

impl<T: Clone> Drop for Pilot<T> {
    fn drop(&mut self) {
        self.end(Err(Failure::Away("the request was abandoned".into())));
    }
}
