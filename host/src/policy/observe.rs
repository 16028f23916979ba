//! Telling observers what happened.

use std::time::{Duration, SystemTime};

use futures_util::future::join_all;

use super::bindings::exports::tuffet::policy::observe::{
    Decision, Event as Told, Happening as What, Outcome as Ended, Progress, Start, Summary as Sum,
};
use super::bindings::tuffet::policy::types;
use super::chain::Policy;
use super::convert;
use super::failure::Cause;
use super::imports::Access;
use super::plugin::Plugin;
use crate::events::{Answered, Event, Happening, Outcome, Summary};

/// Before an observer whose call failed is told the same once more. The queue of events is bounded, and new
/// requests wait for it: so must this be.
const PAUSES: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(250)];

impl Policy {
    /// Whether any plugin wants to be told what happened.
    pub fn is_observed(&self) -> bool {
        !self.observe.is_empty()
    }

    /// Tells every observer, all at once; ends when all have taken it or failed for good.
    pub async fn observe(&self, events: &[Event]) {
        let told: Vec<Told> = events.iter().map(convert_event).collect();
        join_all(self.observe.iter().map(|plugin| tell(plugin, &told))).await;
    }

    /// Calls those without events that want it, and whose sinks had no room for something when they were
    /// called the last time: there may be room now.
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

/// Events as a plugin with this access sees them: MAC addresses are for those that may see them.
pub(super) fn told(events: &[Event], access: &Access) -> Vec<Told> {
    let events = events.iter().map(convert_event);
    if access.client_mac { events.collect() } else { events.map(without_mac).collect() }
}

async fn tell(plugin: &Plugin, events: &[Told]) {
    let without_macs: Vec<Told>;
    let events = if plugin.access.client_mac {
        events
    } else {
        without_macs = events.iter().cloned().map(without_mac).collect();
        &without_macs
    };
    for pause in PAUSES.map(Some).into_iter().chain([None]) {
        let Err(failure) = plugin.guarded("observe", None, None, plugin.observe(events)).await else {
            return;
        };
        // Another instance may do; what it has done of these, it does again.
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

fn without_mac(mut event: Told) -> Told {
    match &mut event.what {
        What::Started(start) => start.request.client.macs.clear(),
        What::Finished(summary) => summary.request.client.macs.clear(),
        What::Progressed(_) => {}
    }
    event
}

fn convert_event(event: &Event) -> Told {
    let since = event.at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let what = match &event.what {
        Happening::Started { request, resolved, verdict_by, size, decided_after, .. } => {
            What::Started(Start {
                request: convert::request(request),
                resolved: resolved.as_deref().map(str::to_owned),
                verdict_by: verdict_by.as_deref().map(str::to_owned),
                size: *size,
                decision_us: us(*decided_after),
            })
        }
        Happening::Progressed { id, bytes, size } => {
            What::Progressed(Progress { id: id.to_string(), bytes: *bytes, size: *size })
        }
        Happening::Finished(summary) => What::Finished(sum(summary)),
    };
    Told { unix_ms: u64::try_from(since.as_millis()).unwrap_or(u64::MAX), what }
}

fn us(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

fn sum(summary: &Summary) -> Sum {
    let request: types::Request = convert::request(&summary.request);
    Sum {
        request,
        outcome: match summary.ending.outcome {
            Outcome::Served => Ended::Served,
            Outcome::Stored => Ended::Stored,
            Outcome::Probed => Ended::Probed,
            Outcome::Aborted => Ended::Aborted,
            Outcome::Denied => Ended::Denied,
            Outcome::NotFound => Ended::NotFound,
            Outcome::TimedOut => Ended::TimedOut,
            Outcome::Failed => Ended::Failed,
        },
        detail: summary.ending.detail.as_deref().map(str::to_owned),
        decision: match summary.decision {
            Answered::Granted => Decision::Granted,
            Answered::Refused => Decision::Refused,
            Answered::Dropped => Decision::Dropped,
            Answered::Undecided => Decision::Undecided,
        },
        verdict_by: summary.verdict_by.as_deref().map(str::to_owned),
        plugin_calls: summary.plugin_calls,
        resolved: summary.resolved.as_deref().map(str::to_owned),
        size: summary.size,
        blksize: summary.options.block_size(),
        windowsize: summary.options.window_size(),
        timeout_option: summary.options.timeout,
        tsize: summary.options.tsize,
        bytes: summary.bytes,
        blocks: summary.blocks,
        retransmissions: summary.stats.retransmissions.into(),
        duplicates: summary.stats.duplicates.into(),
        timeouts: summary.stats.timeouts.into(),
        rtt_us: summary.rtt.map(us),
        decision_us: summary.decided_after.map(us),
        first_block_us: summary.first_block_after.map(us),
        duration_us: us(summary.duration),
        attributes: Vec::new(),
    }
}
