//! authorize → resolve: policy's part of a decision.

use super::{netboot, stored};
use crate::generation::Generation;
use std::sync::Arc;
use tuffet_engine::worker::Decision;
use tuffet_policy::{Answer, Target, Verdict};
use tuffet_request::events::{DecisionRecord, Ending, Outcome};
use tuffet_request::{Denial, ErrorCode, SessionProfile};

/// What remains to be done for a request once policy has answered.
pub(super) enum Plan {
    /// Open the first of these files that exists; without any, the requested path in the roots.
    Open { targets: Vec<Target>, by: Option<Arc<str>>, profile: SessionProfile },
    /// Send content that a plugin made.
    Content { bytes: Arc<[u8]>, profile: SessionProfile },
    /// Nothing: the request is decided.
    Answer(Decision),
}

impl Plan {
    /// What policy cannot affect.
    pub(super) fn without_policy() -> Plan {
        Plan::Open { targets: Vec::new(), by: None, profile: SessionProfile::default() }
    }

    /// Whether the roots are searched for the requested path.
    fn is_search(&self) -> bool {
        matches!(self, Plan::Open { targets, .. } if targets.is_empty())
    }

    /// Whether carrying it out blocks.
    pub(super) fn needs_disk(&self) -> bool {
        matches!(self, Plan::Open { .. })
    }
}

/// Asks the chains of a generation. The record gets to know who decided, and the request the path that was judged.
pub(super) async fn ask_policy(generation: &Generation, record: &mut DecisionRecord) -> Plan {
    let plan = ask_once(generation, record).await;
    if generation.netboot.shim_folders.is_none() || !plan.is_search() {
        return plan;
    }
    match Box::pin(netboot::moved(generation, record)).await {
        Ok(false) => plan,
        Ok(true) => Box::pin(ask_once(generation, record)).await,
        Err(decision) => Plan::Answer(decision),
    }
}

async fn ask_once(generation: &Generation, record: &mut DecisionRecord) -> Plan {
    let any_case = generation.files.roots.any_case();
    if any_case && let Err(decision) = Box::pin(stored::requested(generation, record)).await {
        return Plan::Answer(decision);
    }
    let (policy, request) = (&generation.policy, &record.request);
    let patience = policy.patience();
    let authorization = policy.authorize(request, patience).await;
    record.verdict_by = authorization.by;
    record.plugin_calls += authorization.calls;
    let profile = match allowed(authorization.verdict) {
        Ok(profile) => profile,
        Err(decision) => return Plan::Answer(decision),
    };
    let resolution = policy.resolve(request, patience).await;
    record.plugin_calls += resolution.calls;
    if resolution.by.is_some() {
        record.verdict_by.clone_from(&resolution.by);
    }
    match resolution.answer {
        Answer::Deny(denial) => Plan::Answer(denied(denial)),
        Answer::Overloaded(reason) => Plan::Answer(overloaded(reason)),
        Answer::Content(bytes) => Plan::Content { bytes, profile },
        Answer::Files(targets) if any_case => {
            match Box::pin(stored::named(generation, record, targets, profile)).await {
                Ok((targets, profile)) => Plan::Open { targets, by: resolution.by, profile },
                Err(decision) => Plan::Answer(decision),
            }
        }
        Answer::Files(targets) => Plan::Open { targets, by: resolution.by, profile },
        Answer::Abstain => Plan::Open { targets: Vec::new(), by: None, profile },
    }
}

/// The profile of a request that is allowed, or the decision.
pub(super) fn allowed(verdict: Verdict) -> Result<SessionProfile, Decision> {
    match verdict {
        Verdict::Allow(profile) => Ok(profile),
        Verdict::Deny(denial) => Err(denied(denial)),
        Verdict::Drop => Err(Decision::Drop { ending: Ending::new(Outcome::Denied, "dropped by policy") }),
        Verdict::Overloaded(reason) => Err(overloaded(reason)),
    }
}

pub(super) fn denied(denial: Denial) -> Decision {
    let Denial { code, message, reason } = denial;
    let outcome = if code == ErrorCode::FileNotFound { Outcome::NotFound } else { Outcome::Denied };
    Decision::Refuse { code, message, ending: Ending::new(outcome, reason) }
}

/// An overloaded plugin may answer when the client asks again.
fn overloaded(reason: String) -> Decision {
    Decision::Drop { ending: Ending::new(Outcome::Failed, reason) }
}
