//! Derives the state of the server from the states of its parts.

use super::Watch;
use super::snapshot::PluginTotals;
use crate::interfaces::{AddressState, InterfaceState};
use crate::origins::OriginReport;
use crate::status::{Reason, Report, ServerState};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use tuffet_request::KvState;

/// The phase of the process's life.
#[derive(Debug, Default)]
pub(super) struct Phase(AtomicU8);

const STARTING: u8 = 0;
const SERVING: u8 = 1;
const LEAVING: u8 = 2;
const DRAINING: u8 = 3;

impl Watch {
    /// Records that all listeners are bound and their workers run.
    pub fn serving(&self) {
        let _ = self.0.phase.0.compare_exchange(STARTING, SERVING, Relaxed, Relaxed);
    }

    /// Records that the server stops after a delay, during which requests are still answered.
    pub fn leaving(&self) {
        self.0.phase.0.store(LEAVING, Relaxed);
    }

    /// Records that new requests are no longer answered.
    pub fn draining(&self) {
        self.0.phase.0.store(DRAINING, Relaxed);
    }

    /// Returns whether the server is draining.
    pub fn is_draining(&self) -> bool {
        self.0.phase.0.load(Relaxed) == DRAINING
    }

    /// Returns the state of the server.
    pub fn state(&self) -> ServerState {
        self.state_of(&self.0.status.parts(), &self.plugins())
    }

    /// Returns the state that follows from these parts and plugins.
    pub(super) fn state_of(&self, parts: &Report, plugins: &[PluginTotals]) -> ServerState {
        ServerState::of(self.reasons_of(parts, plugins), degraded(parts))
    }

    fn reasons_of(&self, report: &Report, plugins: &[PluginTotals]) -> Vec<Reason> {
        let mut reasons = Vec::new();
        let mut because = |check: &'static str, detail: String| {
            reasons.push(Reason { check: check.into(), detail });
        };
        match self.0.phase.0.load(Relaxed) {
            STARTING => because("starting", "the listeners are bound; workers are starting".into()),
            LEAVING => because("draining", "the server stops soon; requests are still answered".into()),
            DRAINING => because("draining", "the server stops; new requests are not answered".into()),
            _ => {}
        }
        for refused in &report.refused {
            because("reload", format!("the last reload was refused: {refused}"));
        }
        for plugin in plugins.iter().filter(|plugin| plugin.breaker_open) {
            because(
                "plugin",
                format!("`{}` keeps failing and is not called; its `on-error` applies", plugin.plugin),
            );
        }
        for sink in report.sinks.iter().filter(|sink| sink.broken) {
            because("sink", format!("`{}` accepts no lines; {} are waiting", sink.sink, sink.waiting));
        }
        for root in report.roots.iter().filter(|root| root.hung) {
            let waits = root.waits_for.as_deref().unwrap_or("operation");
            let detail = format!(
                "`{}` does not answer: its oldest {waits} has waited for {} s",
                root.root, root.hung_seconds
            );
            because("root", detail);
        }
        for root in report.roots.iter().filter(|root| root.replaced) {
            let detail = format!(
                "the folder of `{}` was replaced, mounted over or removed; the old one is served until a reload (in a program, `replace`)",
                root.root
            );
            because("root", detail);
        }
        for root in report.roots.iter().filter(|root| root.missing) {
            because("root", format!("the folder of `{}` does not exist yet", root.root));
        }
        for origin in &report.origins {
            let OriginReport { root, origin, away_seconds, why, cache_error, .. } = origin;
            if let Some(seconds) = away_seconds {
                let why = why.as_deref().unwrap_or("no answer");
                because("origin", format!("`{root}`: {origin} has not answered for {seconds} s: {why}"));
            }
            if let Some(error) = cache_error {
                because("origin", format!("`{root}`: {error}"));
            }
        }
        for file in self.0.generation.get().leases.unreadable() {
            because("leases", file);
        }
        for problem in report.interfaces.iter().filter_map(InterfaceState::problem) {
            because("interface", problem);
        }
        for problem in report.addresses.iter().filter_map(AddressState::problem) {
            because("address", problem);
        }
        reasons
    }
}

/// Returns failures that do not affect readiness.
fn degraded(parts: &Report) -> Vec<Reason> {
    let mut degraded = Vec::new();
    if let Some(KvState { bucket, away_seconds: Some(seconds), error, .. }) = &parts.kv {
        let error = error.as_deref().unwrap_or("no reason is known");
        let detail = format!(
            "the NATS servers of the bucket `{bucket}` have been unreachable for {seconds} s: {error}"
        );
        degraded.push(Reason { check: "kv".into(), detail });
    }
    for certificate in parts.certificates.iter().filter(|its| its.has_ended()) {
        let listener = &certificate.listener;
        let detail =
            format!("the certificate of listener `{listener}` has ended; renew it, and run `tuffet reload`");
        degraded.push(Reason { check: "certificate".into(), detail });
    }
    if parts.compilers == Some(false) {
        let detail = "the process that starts compilers has ended: plugins that were not compiled before cannot be \
                      loaded until a restart";
        degraded.push(Reason { check: "compilers".into(), detail: detail.into() });
    }
    degraded
}
