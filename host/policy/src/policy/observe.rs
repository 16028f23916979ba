//! Delivers events to observers.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;

use super::call::Asker;
use super::chain::Policy;
use super::failure::{Cause, Failure};
use super::imports::Unsent;
use super::plugin::Plugin;
use super::report::{Fact, Texts};
use super::wit_events::Event as WitEvent;
use tuffet_request::events::{Event, Kinds};

/// Pauses before repeating a failed call. They are limited because the queue of events is bounded, and new
/// requests wait for it.
const PAUSES: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(250)];

impl Policy {
    /// The events that all observers together subscribe to.
    pub fn observed(&self) -> Kinds {
        self.observers().iter().fold(Kinds::default(), |all, plugin| all.or(plugin.wants))
    }

    /// The plugins that observe any listener, each once.
    fn observers(&self) -> Vec<&Arc<Plugin>> {
        let mut observers: Vec<&Arc<Plugin>> = Vec::new();
        for plugin in self.all().flat_map(|chains| &chains.observe) {
            if !observers.iter().any(|known| Arc::ptr_eq(known, plugin)) {
                observers.push(plugin);
            }
        }
        observers
    }

    /// Whether a plugin observes this listener.
    fn is_observed_by(&self, listener: &str, plugin: &Arc<Plugin>) -> bool {
        self.of(listener).observe.iter().any(|its| Arc::ptr_eq(its, plugin))
    }

    /// Delivers events to all observers concurrently. Returns when each has received them or failed for good.
    pub async fn observe(&self, events: &[Event]) {
        let texts: Vec<Texts> = events.iter().map(Texts::of).collect();
        let facts = Fact::all(events, &texts);
        join_all(self.observers().into_iter().map(async |plugin| {
            let events = wanted(plugin, &facts, |listener| self.is_observed_by(listener, plugin));
            if !events.is_empty() {
                tell(plugin, &events).await;
            }
        }))
        .await;
    }

    /// Whether any plugin waits for a call without events.
    pub fn has_unsent(&self) -> bool {
        self.observers().iter().any(|plugin| plugin.access.unsent.as_ref().is_some_and(Unsent::waits))
    }

    /// Calls observers without events, if they want that and a sink had no room in their last call: it may
    /// have room now.
    pub async fn observe_nothing(&self) {
        let observers = self.observers().into_iter();
        let unsent = observers.filter_map(|plugin| Some((plugin, plugin.access.unsent.as_ref()?)));
        let due = unsent.filter(|(_, unsent)| unsent.is_due());
        join_all(due.map(async |(plugin, unsent)| {
            tell(plugin, &[]).await;
            unsent.called();
        }))
        .await;
    }
}

/// Delivers events to a plugin in a trial.
pub(super) async fn try_out(plugin: &Plugin, events: &[Event]) -> Result<(), Failure> {
    let texts: Vec<Texts> = events.iter().map(Texts::of).collect();
    let facts = Fact::all(events, &texts);
    plugin.observe(&wanted(plugin, &facts, |_| true), Asker::SERVER).await
}

async fn tell(plugin: &Plugin, events: &[WitEvent<'_>]) {
    for pause in PAUSES.map(Some).into_iter().chain([None]) {
        let call = async |asker| plugin.observe(events, asker).await;
        let Err(failure) = plugin.guarded("observe", Asker::SERVER, None, call).await else { return };
        // Another instance may succeed. It repeats the effects of the failed call.
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
            "a plugin failed, and what it was told is {}: {}",
            if pause.is_some() { "told once more" } else { "lost on it" },
            failure.detail
        );
        match pause {
            Some(pause) => tokio::time::sleep(pause).await,
            None => return,
        }
    }
}

/// The events that the plugin subscribes to, of the listeners that it observes, as its grants permit it to see them.
fn wanted<'a>(plugin: &Plugin, facts: &'a [Fact<'a>], observes: impl Fn(&str) -> bool) -> Vec<WitEvent<'a>> {
    let fits =
        |fact: &&Fact<'_>| plugin.wants.include(&fact.event.what) && observes(fact.event.what.listener());
    let wanted = facts.iter().filter(fits);
    wanted.map(|fact| fact.to_wit(&plugin.access)).collect()
}
