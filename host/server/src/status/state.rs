//! The state of a server: whether it serves everything that is configured, and otherwise why not. `tuffet status`,
//! `/readyz`, `tuffet top`, the page and the metrics all show this one.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// All checks, by the name in [`Reason::check`].
pub const CHECKS: [&str; 10] =
    ["starting", "draining", "reload", "plugin", "sink", "root", "origin", "leases", "interface", "address"];

/// A reason why the server is not ready, or something else that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// One of [`CHECKS`]; of [`ServerState::degraded`], another word.
    pub check: Cow<'static, str>,
    /// The problem, for people.
    pub detail: String,
}

/// Whether the server serves everything that is configured, as configured.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerState {
    /// `ready`, `starting`, `draining` or `not ready`.
    #[serde(default, rename = "state")]
    word: Cow<'static, str>,
    /// Whether there is no reason against it.
    pub ready: bool,
    /// Why it is not ready.
    #[serde(default)]
    pub reasons: Vec<Reason>,
    /// What else is wrong and does not affect readiness: all servers share the failed service, so that sending clients to
    /// another one would not help, or clients do not notice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub degraded: Vec<Reason>,
}

impl ServerState {
    /// The state with these reasons and failures.
    pub fn of(reasons: Vec<Reason>, degraded: Vec<Reason>) -> ServerState {
        let has = |check: &str| reasons.iter().any(|reason| reason.check == check);
        let word = if reasons.is_empty() {
            "ready"
        } else if has("draining") {
            "draining"
        } else if has("starting") {
            "starting"
        } else {
            "not ready"
        };
        ServerState { word: word.into(), ready: reasons.is_empty(), reasons, degraded }
    }

    /// The state of several servers together, with the reasons of all: one that drains does not make them drain.
    pub fn of_many(reasons: Vec<Reason>) -> ServerState {
        let ready = reasons.is_empty();
        let word = if ready { "ready" } else { "not ready" };
        ServerState { word: word.into(), ready, reasons, degraded: Vec::new() }
    }

    /// The state without these checks, for a reader whom they do not concern.
    pub fn without(self, is_excluded: impl Fn(&str) -> bool) -> ServerState {
        let reasons = self.reasons.into_iter().filter(|reason| !is_excluded(&reason.check)).collect();
        ServerState::of(reasons, self.degraded)
    }

    /// The state in a word or two, for people. A server of an older version sends none.
    pub fn word(&self) -> &str {
        match (&*self.word, self.ready) {
            ("", true) => "ready",
            ("", false) => "not ready",
            (word, _) => word,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(check: &'static str) -> Reason {
        Reason { check: check.into(), detail: format!("{check} is wrong") }
    }

    #[test]
    fn the_word_follows_from_the_reasons() {
        let word = |checks: &[&'static str]| {
            let state = ServerState::of(checks.iter().copied().map(reason).collect(), Vec::new());
            assert_eq!(state.ready, checks.is_empty());
            state.word().to_owned()
        };
        assert_eq!(word(&[]), "ready");
        assert_eq!(word(&["root"]), "not ready");
        assert_eq!(word(&["starting", "root"]), "starting");
        assert_eq!(word(&["starting", "draining"]), "draining");
        let state = ServerState::of(vec![reason("root"), reason("draining")], vec![reason("kv")]);
        assert_eq!(state.clone().without(|check| check == "draining").word(), "not ready");
        let rest = state.without(|check| CHECKS.contains(&check));
        assert_eq!((rest.word(), rest.ready, rest.degraded.len()), ("ready", true, 1));
        assert_eq!(ServerState::default().word(), "not ready", "as of an older server");
    }
}
