//! Delivers events to observers.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;

use super::backlog::Place;
use super::delivery::{Batch, Delivery};
use super::failure::Cause;
use super::hook_call::HookCall;
use super::hooks::Deliver;
use super::member::Member;
use super::policy::Policy;
use super::unsent::Unsent;
use tuffet_request::events::{Event, Kinds};

/// Pauses before repeating a failed call. Few and short: the queue of events is bounded, and new requests wait for it.
const PAUSES: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(250)];

impl Policy {
    /// The events to which any observer subscribes.
    pub fn observed(&self) -> Kinds {
        self.observers().iter().fold(Kinds::default(), |all, (_, hook)| all.or(hook.wants()))
    }

    /// The plugins that observe any listener, each once.
    fn observers(&self) -> Vec<(&Arc<Member>, &dyn Deliver)> {
        let mut observers: Vec<(&Arc<Member>, &dyn Deliver)> = Vec::new();
        for member in self.all().flat_map(|chains| &chains.observe) {
            if let Some(hook) = &member.hooks.observe
                && !observers.iter().any(|(known, _)| Arc::ptr_eq(known, member))
            {
                observers.push((member, &**hook));
            }
        }
        observers
    }

    /// Whether a plugin observes this listener.
    fn is_observed_by(&self, listener: &str, plugin: &Arc<Member>) -> bool {
        self.of(listener).observe.iter().any(|its| Arc::ptr_eq(its, plugin))
    }

    /// Delivers events to all observers concurrently. Returns when each has received them, has them with their places, or
    /// failed for good. `places`: that of each event; empty outside of a server.
    pub async fn observe(&self, events: &[Event], places: &[Arc<Place>]) {
        let batch = Batch::of(events).with_places(places);
        join_all(self.observers().into_iter().map(async |(member, hook)| {
            let delivery = batch.select(|event| {
                hook.wants().include(&event.what) && self.is_observed_by(event.what.listener(), member)
            });
            if !delivery.is_empty() {
                tell(member, hook, &delivery).await;
            }
        }))
        .await;
    }

    /// Whether any plugin has unsent lines.
    pub fn has_unsent(&self) -> bool {
        self.observers().iter().any(|(_, hook)| hook.unsent().is_some_and(Unsent::waits))
    }

    /// Calls observers with unsent lines without events: a sink that was full may have room now.
    pub async fn observe_nothing(&self) {
        let observers = self.observers().into_iter();
        let unsent = observers.filter_map(|(member, hook)| Some((member, hook, hook.unsent()?)));
        let due = unsent.filter(|(_, _, unsent)| unsent.is_due());
        let batch = Batch::of(&[]);
        let nothing = batch.select(|_| true);
        join_all(due.map(async |(member, hook, unsent)| {
            tell(member, hook, &nothing).await;
            unsent.called();
        }))
        .await;
    }
}

async fn tell(plugin: &Member, hook: &dyn Deliver, events: &Delivery<'_>) {
    for pause in PAUSES.map(Some).into_iter().chain([None]) {
        let deliver = async |call: HookCall| hook.deliver(events, &call).await;
        let Err(failure) = plugin.counted("observe", HookCall::of_server(), None, deliver).await else {
            return;
        };
        // Another instance may succeed, but repeats the effects of the failed call.
        let again = matches!(failure.cause, Cause::Trap | Cause::Time | Cause::Memory | Cause::Busy);
        let pause = pause.filter(|_| again && !events.is_empty());
        if pause.is_none() {
            plugin.counters.lose(events.len());
        }
        tracing::warn!(
            target: "tuffet::policy",
            plugin = %plugin.name,
            hook = "observe",
            events = events.len(),
            cause = failure.cause.as_str(),
            "a {} failed, and its events are {}: {}",
            plugin.noun,
            if pause.is_some() { "delivered again" } else { "lost" },
            failure.detail
        );
        match pause {
            Some(pause) => tokio::time::sleep(pause).await,
            None => return,
        }
    }
}
