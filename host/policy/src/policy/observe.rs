//! Delivers events to observers.

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
        self.observe.iter().fold(Kinds::default(), |all, plugin| all.or(plugin.wants))
    }

    /// Delivers events to all observers concurrently. Returns when each has received them or failed for good.
    pub async fn observe(&self, events: &[Event]) {
        let texts: Vec<Texts> = events.iter().map(Texts::of).collect();
        let facts = Fact::all(events, &texts);
        join_all(self.observe.iter().map(async |plugin| {
            let events = wanted(plugin, &facts);
            if !events.is_empty() {
                tell(plugin, &events).await;
            }
        }))
        .await;
    }

    /// Whether any plugin waits for a call without events.
    pub fn has_unsent(&self) -> bool {
        self.observe.iter().any(|plugin| plugin.access.unsent.as_ref().is_some_and(Unsent::waits))
    }

    /// Calls observers without events, if they want that and a sink had no room in their last call: it may
    /// have room now.
    pub async fn observe_nothing(&self) {
        let unsent = self.observe.iter().filter_map(|plugin| Some((plugin, plugin.access.unsent.as_ref()?)));
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
    plugin.observe(&wanted(plugin, &facts), Asker::SERVER).await
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

/// The events that the plugin subscribes to, as its grants permit it to see them.
fn wanted<'a>(plugin: &Plugin, facts: &'a [Fact<'a>]) -> Vec<WitEvent<'a>> {
    let wanted = facts.iter().filter(|fact| plugin.wants.include(&fact.event.what));
    wanted.map(|fact| fact.to_wit(&plugin.access)).collect()
}
