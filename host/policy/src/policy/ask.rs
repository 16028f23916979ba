//! One call of a plugin for a request, with everything around it: the decision cache, the breaker, the
//! counters, and the handling of failures.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use super::bindings::exports::tuffet::policy::accept_upload::Upload;
use super::bindings::tuffet::policy::types;
use super::breaker::Change;
use super::convert::{self, Found, Opinion, UploadOpinion};
use super::counters::plugin_took;
use super::decisions::{Decisions, Weighty};
use super::failure::{Cause, Failure};
use super::plugin::Plugin;
use tuffet_config::OnError;
use tuffet_request::{Denial, ErrorCode, Request};
use tuffet_request::{Traced, Trail, What};

/// The time that the chains have for one request.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    limit: Duration,
    until: Instant,
}

impl Patience {
    /// From now on.
    pub fn of(limit: Duration) -> Patience {
        Patience { limit, until: Instant::now() + limit }
    }

    /// When the time is over.
    pub(super) fn until(&self) -> Instant {
        self.until
    }

    /// How much there was.
    pub(super) fn limit(&self) -> Duration {
        self.limit
    }
}

/// What is asked, for the log.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    pub hook: &'static str,
    pub request: &'a Request,
    pub patience: Patience,
}

impl Plugin {
    /// Its opinion in the hook `authorize`.
    pub async fn verdict(
        &self,
        request: &Request,
        asked: &types::Request,
        patience: Patience,
    ) -> Option<Opinion> {
        let call =
            async { self.authorize(asked, traced(request), patience).await.and_then(convert::verdict) };
        let question = Question { hook: "authorize", request, patience };
        self.opinion(question, self.verdicts.as_ref(), call, Opinion::Deny).await
    }

    /// Its opinion in the hook `resolve`.
    pub async fn resolution(
        &self,
        request: &Request,
        asked: &types::Request,
        roots: &[String],
        patience: Patience,
    ) -> Option<Found> {
        let content = self.limits.content;
        let call = async {
            let answer = self.resolve(asked, traced(request), patience).await?;
            convert::resolution(answer, request.operation, content, roots)
        };
        let question = Question { hook: "resolve", request, patience };
        self.opinion(question, self.resolutions.as_ref(), call, Found::Deny).await
    }

    /// Its opinion in the hook `accept-upload`.
    pub async fn acceptance(
        &self,
        request: &Request,
        asked: &types::Request,
        upload: &Upload,
        patience: Patience,
    ) -> Option<UploadOpinion> {
        let call = async {
            self.accept_upload(asked, upload, traced(request), patience).await.and_then(convert::acceptance)
        };
        let question = Question { hook: "accept-upload", request, patience };
        self.opinion(question, None, call, UploadOpinion::Deny).await
    }

    /// The plugin's opinion; what its failure counts as where it has failed. `None` is none.
    async fn opinion<O: Weighty + Clone>(
        &self,
        question: Question<'_>,
        decisions: Option<&Decisions<O>>,
        call: impl Future<Output = Result<Option<O>, Failure>>,
        deny: fn(Denial) -> O,
    ) -> Option<O> {
        let (began, called) = (Instant::now(), AtomicBool::new(false));
        let guarded = self.guarded(question.hook, Some(question.patience), Some(&called), call);
        let opinion = match decisions {
            None => guarded.await,
            Some(decisions) => {
                let until = question.patience.until;
                decisions.get(question.request, &self.counters, until, guarded).await
            }
        };
        let failed = |failure: &Failure| (failure.cause.as_str(), failure.detail.clone());
        let noted =
            question.request.trail.as_deref().map(|trail| (trail, opinion.as_ref().err().map(failed)));
        let said = opinion.unwrap_or_else(|failure| self.stand_in(question, &failure, deny));
        if let Some((trail, failure)) = noted {
            let step = What::Plugin {
                plugin: Arc::clone(&self.name),
                hook: question.hook,
                verdict: said.as_ref().map_or("abstain", Weighty::word),
                remembered: failure.is_none() && !called.load(Ordering::Relaxed),
                failure,
                monitored: self.monitors,
            };
            trail.step(began.into_std(), step);
        }
        said
    }

    /// Calls through the breaker, and counts. `called` is told, unless a decision of before makes it needless.
    pub async fn guarded<T>(
        &self,
        hook: &'static str,
        patience: Option<Patience>,
        called: Option<&AtomicBool>,
        call: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        if let Some(called) = called {
            called.store(true, Ordering::Relaxed);
        }
        self.counters.call();
        let begun = Instant::now();
        let leave = match self.breaker.ask(begun.into_std()) {
            Ok(leave) => leave,
            Err(shut) => {
                self.counters.failure(Cause::Repeated);
                return Err(Failure::new(Cause::Repeated, shut.to_string()));
            }
        };
        let result = call.await;
        let took = begun.elapsed();
        self.counters.took(hook, took);
        plugin_took(&self.name, hook, took);
        let change = match &result {
            Ok(_) => leave.good(),
            Err(failure) => {
                self.counters.failure(failure.cause);
                let to_blame = match failure.cause {
                    Cause::Busy | Cause::Repeated => false,
                    // Not where those before it took the time.
                    Cause::Chain => patience.is_none_or(|patience| begun.elapsed() >= patience.limit / 2),
                    _ => true,
                };
                if to_blame { leave.failed(Instant::now().into_std()) } else { None }
            }
        };
        match change {
            Some(Change::Opened(back_off)) => {
                self.counters.open();
                let on_error = match self.on_error {
                    OnError::Deny => "deny",
                    OnError::Abstain => "abstain",
                };
                tracing::error!(
                    target: "tuffet::policy", plugin = %self.name, hook, failure = "repeated", on_error,
                    "a plugin failed too often in a row: it is not called for {back_off:?}, then tried with \
                     single calls"
                );
            }
            Some(Change::Closed) => tracing::info!(
                target: "tuffet::policy", plugin = %self.name, hook,
                "a plugin works again and is asked as before"
            ),
            None => {}
        }
        result
    }

    /// What a failure comes to, by `on-error`; and the log is told.
    fn stand_in<O>(&self, question: Question<'_>, failure: &Failure, deny: fn(Denial) -> O) -> Option<O> {
        let Question { hook, request, .. } = question;
        // That it is not asked was said when that began.
        if failure.cause != Cause::Repeated {
            tracing::warn!(
                target: "tuffet::policy",
                plugin = %self.name,
                hook,
                request = %request.id,
                trace_id = traced(request).map(|traced| traced.trace.to_string()),
                span_id = traced(request).map(|traced| traced.span.to_string()),
                failure = "call",
                cause = failure.cause.as_str(),
                "a plugin failed: {}",
                failure.detail
            );
        }
        match self.on_error {
            OnError::Abstain => None,
            OnError::Deny => Some(deny(Denial {
                code: ErrorCode::NotDefined,
                message: "policy failure".into(),
                reason: format!("plugin {} failed in {hook}: {failure}", self.name),
            })),
        }
    }
}

/// The trace of a request, if it has one, for what is logged about it.
fn traced(request: &Request) -> Option<Traced> {
    request.trail.as_deref().map(Trail::traced)
}
