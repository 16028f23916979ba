//! Decisions without a transfer, and why.

use crate::generation::Generation;
use tuffet_engine::worker::{Decision, outcome_of_store_error};
use tuffet_policy::{NoAnswer, Verdict};
use tuffet_request::events::{Ending, Outcome};
use tuffet_request::names::NameError;
use tuffet_request::{Denial, ErrorCode, SessionProfile};
use tuffet_store::{StoreError, Undone};

/// Why a candidate was not opened.
pub(super) enum NotOpened {
    /// Its root says so. If it does not have the file, the next candidate is tried.
    Store(StoreError),
    /// This decides the request.
    Decided(Decision),
    /// The request was decided meanwhile, because the disk hangs.
    GivenUp,
}

impl NotOpened {
    /// The reason, for people.
    pub(super) fn reason(&self) -> String {
        match self {
            NotOpened::Store(error) => error.to_string(),
            NotOpened::Decided(Decision::Refuse { ending, .. } | Decision::Drop { ending }) => {
                ending.detail.as_deref().unwrap_or_default().to_owned()
            }
            NotOpened::Decided(Decision::Grant { .. }) | NotOpened::GivenUp => String::new(),
        }
    }
}

impl From<StoreError> for NotOpened {
    fn from(error: StoreError) -> NotOpened {
        NotOpened::Store(error)
    }
}

/// The profile of an allowed request, or the decision.
pub(super) fn allowed(verdict: Result<Verdict, NoAnswer>) -> Result<SessionProfile, Decision> {
    match verdict {
        Ok(Verdict::Allow(profile)) => Ok(profile),
        Ok(Verdict::Deny(denial)) => Err(denied(denial)),
        Ok(Verdict::Drop(reason)) => Err(dropped(&reason)),
        // Never: the default decides.
        Ok(Verdict::Abstain) => Err(internal_error()),
        Err(no_answer) => Err(overloaded(no_answer.reason())),
    }
}

pub(super) fn denied(denial: Denial) -> Decision {
    let Denial { code, message, reason } = denial;
    let outcome = if code == ErrorCode::FileNotFound { Outcome::NotFound } else { Outcome::Denied };
    Decision::Refuse { code, message, ending: Ending::new(outcome, reason) }
}

pub(super) fn dropped(reason: &str) -> Decision {
    let detail =
        if reason.is_empty() { "dropped by policy".into() } else { format!("dropped by policy: {reason}") };
    Decision::Drop { ending: Ending::new(Outcome::Denied, detail) }
}

/// Drops the request: the plugin may answer when the client repeats it.
pub(super) fn overloaded(reason: String) -> Decision {
    Decision::Drop { ending: Ending::new(Outcome::Failed, reason) }
}

/// Returns the decision for an error. If a later attempt or another server may succeed, the request is dropped, so that
/// the client repeats it.
pub(super) fn refused(error: &StoreError) -> Decision {
    if let StoreError::Exhausted(_)
    | StoreError::Unopened
    | StoreError::Uncounted
    | StoreError::Busy { .. }
    | StoreError::Unreachable { .. } = error
    {
        return Decision::Drop { ending: Ending::new(outcome_of_store_error(error), error.to_string()) };
    }
    let Denial { code, message, reason } = error.denial();
    Decision::Refuse { code, message, ending: Ending::new(outcome_of_store_error(error), reason) }
}

pub(super) fn refuse_name(error: &NameError) -> Decision {
    let ending = Ending::new(Outcome::Denied, format!("the name is refused: {error}"));
    Decision::Refuse { code: error.code(), message: error.to_string(), ending }
}

pub(super) fn internal_error() -> Decision {
    failed("a bug: deciding the request panicked".into())
}

/// Refuses a request that another attempt would not serve either, for this reason.
pub(super) fn failed(reason: String) -> Decision {
    let ending = Ending::new(Outcome::Failed, reason);
    Decision::Refuse { code: ErrorCode::NotDefined, message: "server error".into(), ending }
}

/// Drops a request whose file a root did not open.
pub(super) fn undone(generation: &Generation, root: &str, why: Undone) -> Decision {
    let detail = match why {
        Undone::Panicked => return internal_error(),
        Undone::Late => format!("root `{root}` did not open the file {}", generation.within_open_time()),
        Undone::NoThread => format!("the system has no thread to open a file of root `{root}`"),
        Undone::Full => format!("too many requests wait for root `{root}`"),
    };
    Decision::Drop { ending: Ending::new(Outcome::Failed, detail) }
}

pub(super) fn not_begun(why: Undone) -> Decision {
    let detail = match why {
        Undone::NoThread => "the system has no thread to decide the request (`TasksMax=`, `ulimit -u`)",
        _ => "no thread was free to decide the request in time",
    };
    Decision::Drop { ending: Ending::new(Outcome::Failed, detail) }
}
