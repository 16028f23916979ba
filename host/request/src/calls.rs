//! The plugin calls of a request, for its inspection by an operator, and the labels that they gave it.

use parking_lot::Mutex;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::label::Label;

/// The limit of recorded calls per request.
const MAX_CALLS: usize = 64;

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
    /// The label that it gave the request.
    pub label: Option<Label>,
    /// Its duration, including the wait for an instance.
    pub took: Duration,
}

impl Call {
    /// A call that only gave the request a label, for tests of plugins.
    pub fn labelling(plugin: &str, label: Label) -> Call {
        Call {
            plugin: plugin.into(),
            hook: "authorize",
            verdict: "abstain",
            failure: None,
            cached: false,
            monitored: false,
            label: Some(label),
            took: Duration::ZERO,
        }
    }
}

/// Calls shared by the clones of a request.
pub(crate) type SharedCalls = Arc<Mutex<Vec<Call>>>;

/// The plugin calls of a request so far, in the order of their ends. Clones share them, because a monitored plugin gets
/// a clone of the request. Allocates only for the first call or clone.
#[derive(Debug, Default)]
pub struct Calls(OnceLock<SharedCalls>);

impl Calls {
    /// Records a call that has just ended.
    pub fn note(&self, call: Call) {
        let mut calls = self.shared().lock();
        if calls.len() < MAX_CALLS {
            // Most requests have one or two, and keep them until their transfer ends: no room for more.
            calls.reserve_exact(1);
            calls.push(call);
        }
    }

    /// Returns a copy of all calls so far.
    pub fn list(&self) -> Vec<Call> {
        let Some(calls) = self.0.get() else { return Vec::new() };
        calls.lock().clone()
    }

    /// Returns the labels that plugins gave the request, with their names, in the order of the calls; of each plugin the
    /// last. A plugin whose verdicts are only recorded gives none.
    pub fn labels(&self) -> Vec<(Arc<str>, Label)> {
        let mut labels: Vec<(Arc<str>, Label)> = Vec::new();
        let Some(calls) = self.0.get() else { return labels };
        for call in calls.lock().iter().filter(|call| !call.monitored) {
            if let Some(label) = &call.label {
                labels.retain(|(plugin, _)| *plugin != call.plugin);
                labels.push((Arc::clone(&call.plugin), label.clone()));
            }
        }
        labels
    }

    /// Returns whether a plugin gave the request a label.
    pub(crate) fn has_label(&self) -> bool {
        self.any(|call| call.label.is_some() && !call.monitored)
    }

    /// Returns whether this is true of any call so far.
    pub fn any(&self, is: impl Fn(&Call) -> bool) -> bool {
        self.0.get().is_some_and(|calls| calls.lock().iter().any(is))
    }

    /// Returns how many of them the decision cache answered.
    pub fn count_cached(&self) -> usize {
        self.0.get().map_or(0, |calls| calls.lock().iter().filter(|call| call.cached).count())
    }

    /// Returns the calls shared by clones; `None` before the first call or clone.
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
            label: None,
            took: Duration::from_micros(9),
        };
        for _ in 0..MAX_CALLS + 1 {
            clone.note(call.clone());
        }
        assert_eq!(calls.list(), vec![call.clone(); MAX_CALLS]);
        assert_eq!(calls.count_cached(), 0);
        let cached = Calls::default();
        [true, false, true]
            .into_iter()
            .for_each(|of_cache| cached.note(Call { cached: of_cache, ..call.clone() }));
        assert_eq!(cached.count_cached(), 2);
    }

    #[test]
    fn of_each_plugin_the_last_label_counts() {
        let calls = Calls::default();
        let note = |plugin: &str, label: Option<&str>, monitored| {
            calls.note(Call {
                plugin: plugin.into(),
                hook: "authorize",
                verdict: "abstain",
                failure: None,
                cached: false,
                monitored,
                label: label.map(|label| label.parse().unwrap()),
                took: Duration::ZERO,
            });
        };
        note("c", Some("trial"), true);
        assert!(calls.labels().is_empty() && !calls.has_label());
        note("a", Some("one"), false);
        note("b", Some("two"), false);
        note("a", Some("three"), false);
        note("a", None, false);
        let labels = calls.clone().labels();
        let labels: Vec<_> = labels.iter().map(|(plugin, label)| (&**plugin, label.as_str())).collect();
        assert_eq!(labels, [("b", "two"), ("a", "three")]);
    }
}
