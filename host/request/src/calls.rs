//! The plugin calls of a request, for people who look at it.

use parking_lot::Mutex;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Calls kept per request.
const MOST: usize = 64;

/// A plugin call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The plugin's name.
    pub plugin: Arc<str>,
    /// The hook.
    pub hook: &'static str,
    /// Its verdict, including `abstain`; after a failure, the verdict that `on-error` implies.
    pub verdict: &'static str,
    /// The cause of a failure.
    pub failure: Option<&'static str>,
    /// Whether the decision cache answered.
    pub cached: bool,
    /// Whether the request did not wait for it: `mode: monitor`.
    pub monitored: bool,
    /// Its duration, including the wait for an instance.
    pub took: Duration,
}

/// The calls that the clones of a request share.
pub(crate) type SharedCalls = Arc<Mutex<Vec<Call>>>;

/// The plugin calls of a request so far, in the order of their ends. Clones share them: a monitored plugin is called
/// with a clone of the request. A request that no plugin affects allocates nothing.
#[derive(Debug, Default)]
pub struct Calls(OnceLock<SharedCalls>);

impl Calls {
    /// Records a call that has just ended.
    pub fn note(&self, call: Call) {
        let mut calls = self.shared().lock();
        if calls.len() < MOST {
            calls.push(call);
        }
    }

    /// Returns a copy of all calls so far.
    pub fn list(&self) -> Vec<Call> {
        let Some(calls) = self.0.get() else { return Vec::new() };
        calls.lock().clone()
    }

    /// Returns what clones share; `None` if there has been neither a call nor a clone.
    pub(crate) fn handle(&self) -> Option<SharedCalls> {
        self.0.get().cloned()
    }

    fn shared(&self) -> &SharedCalls {
        self.0.get_or_init(Arc::default)
    }
}

impl From<Option<SharedCalls>> for Calls {
    fn from(shared: Option<SharedCalls>) -> Calls {
        Calls(shared.map_or_else(OnceLock::new, OnceLock::from))
    }
}

impl Clone for Calls {
    fn clone(&self) -> Calls {
        Calls(OnceLock::from(Arc::clone(self.shared())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_a_bounded_number_of_calls() {
        let calls = Calls::default();
        assert_eq!(calls.list(), []);
        let clone = calls.clone();
        let call = Call {
            plugin: "acl".into(),
            hook: "authorize",
            verdict: "allow",
            failure: None,
            cached: false,
            monitored: true,
            took: Duration::from_micros(9),
        };
        for _ in 0..MOST + 1 {
            clone.note(call.clone());
        }
        assert_eq!(calls.list(), vec![call; MOST]);
    }
}
