//! authorize → resolve: policy's part of a decision.

use super::undecided::Undecided;
use std::sync::Arc;
use tuffet_engine::worker::Decision;
use tuffet_policy::{Answer, Target, Verdict};
use tuffet_request::events::{Ending, Outcome};
use tuffet_request::{Ceilings, Denial, ErrorCode};

/// What remains to be done for a request once policy has answered.
pub(super) enum Plan {
    /// Open the first of these files that exists; without any, the requested path in the roots.
    Open { targets: Vec<Target>, ceilings: Ceilings },
    /// Send content that a plugin made.
    Content { bytes: Arc<[u8]>, ceilings: Ceilings },
    /// Nothing: the request is decided.
    Answer(Decision),
}

impl Plan {
    /// What policy cannot affect.
    pub(super) fn without_policy() -> Plan {
        Plan::Open { targets: Vec::new(), ceilings: Ceilings::default() }
    }

    /// Whether carrying it out blocks.
    pub(super) fn needs_disk(&self) -> bool {
        matches!(self, Plan::Open { .. })
    }
}

impl Undecided {
    pub(super) async fn ask_policy(&mut self) -> Plan {
        let Undecided { generation, record, .. } = self;
        let (policy, request) = (&generation.policy, &record.request);
        let patience = policy.patience();
        let authorization = policy.authorize(request, patience).await;
        record.verdict_by = authorization.by;
        record.plugin_calls = authorization.calls;
        let ceilings = match authorization.verdict {
            Verdict::Allow(ceilings) => ceilings,
            Verdict::Deny(denial) => return Plan::Answer(denied(denial)),
            Verdict::Drop => {
                let ending = Ending::new(Outcome::Denied, "dropped by policy");
                return Plan::Answer(Decision::Drop { ending });
            }
            Verdict::Overloaded(reason) => return Plan::Answer(overloaded(reason)),
        };
        let resolution = policy.resolve(request, patience).await;
        record.plugin_calls += resolution.calls;
        if resolution.by.is_some() {
            record.verdict_by = resolution.by;
        }
        match resolution.answer {
            Answer::Deny(denial) => Plan::Answer(denied(denial)),
            Answer::Overloaded(reason) => Plan::Answer(overloaded(reason)),
            Answer::Content(bytes) => Plan::Content { bytes, ceilings },
            Answer::Files(targets) => Plan::Open { targets, ceilings },
            Answer::Abstain => Plan::Open { targets: Vec::new(), ceilings },
        }
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
