//! One call of a plugin for a request, including the decision cache, the breaker, the counters, and the
//! handling of failures.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard, PoisonError};

use tokio::time::Instant;

use super::asker::{Asker, Lines};
use super::breaker::Change;
use super::content::{PluginContent, Rendered, Rendering};
use super::counters::plugin_took;
use super::decisions::Decisions;
use super::failure::{Cause, Failure};
use super::member::{Member, OnError};
use super::memo::Memo;
use super::opinion::{Found, Opinion, UploadOpinion};
use super::parts;
use super::patience::Patience;
use super::upload::ReceivedUpload;
use super::weighty::Weighty;
use tuffet_request::{Call, ClientKey, Denial, ErrorCode, Request, Traced, Trail, What};

/// The context of a call, for the log.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    pub hook: &'static str,
    pub request: &'a Request,
    pub patience: Patience,
}

/// How an opinion came about.
struct Asked {
    began: Instant,
    /// Whether it needed no call.
    cached: bool,
    /// Log lines of a request that is only explained.
    rehearsal: Option<Lines>,
}

/// The plugin could not be called because of overload. The request is dropped, so that its client repeats it;
/// neither `on-error` nor the breaker applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Overloaded(pub String);

/// The plugin's opinion; `None` if it abstains.
pub(super) type Heard<O> = Result<Option<O>, Overloaded>;

impl Member {
    /// Calls the hook `authorize`.
    pub(super) async fn verdict(
        &self,
        request: &Request,
        memo: &mut Memo,
        patience: Patience,
    ) -> Heard<Opinion> {
        let Some(hook) = &self.hooks.authorize else { return Ok(None) };
        let call = async |asker| hook.authorize(request, memo, asker).await;
        let question = Question { hook: "authorize", request, patience };
        self.opinion(question, self.verdicts.as_ref(), call, Opinion::Deny).await
    }

    /// Calls the hook `resolve`.
    pub(super) async fn resolution(
        &self,
        request: &Request,
        memo: &mut Memo,
        patience: Patience,
    ) -> Heard<Found> {
        let Some(hook) = &self.hooks.resolve else { return Ok(None) };
        let call = async |asker| hook.resolve(request, memo, asker).await;
        let question = Question { hook: "resolve", request, patience };
        self.opinion(question, self.resolutions.as_ref(), call, Found::Deny).await
    }

    /// Calls the hook `accept-upload`.
    pub(super) async fn acceptance(
        &self,
        request: &Request,
        memo: &mut Memo,
        upload: &ReceivedUpload,
        patience: Patience,
    ) -> Heard<UploadOpinion> {
        let Some(hook) = &self.hooks.accept_upload else { return Ok(None) };
        let call = async |asker| hook.accept_upload(request, memo, upload, asker).await;
        let question = Question { hook: "accept-upload", request, patience };
        self.opinion(question, None, call, UploadOpinion::Deny).await
    }

    /// Returns the plugin's opinion, or the effect of its failure.
    async fn opinion<O: Weighty + Clone>(
        &self,
        question: Question<'_>,
        decisions: Option<&Decisions<O>>,
        call: impl AsyncFnOnce(Asker) -> Result<Option<O>, Failure>,
        deny: fn(Denial) -> O,
    ) -> Heard<O> {
        let Question { hook, request, patience } = question;
        let (began, called) = (Instant::now(), AtomicBool::new(false));
        let asker = self.asker(question);
        let rehearsal = asker.rehearsal.clone();
        let opinion = if rehearsal.is_some() {
            Box::pin(self.rehearsed(request, asker, &called, decisions, call)).await
        } else {
            // Boxed: the future of a call is kilobytes, and each future around it would hold and move them twice.
            let guarded = |asker| Box::pin(self.guarded(hook, asker, Some(&called), call));
            match decisions.map(|decisions| (decisions, decisions.key(request))) {
                None => guarded(asker).await,
                Some((decisions, key)) => match decisions.known(&key) {
                    Some(opinion) => {
                        self.counters.hit();
                        Ok(opinion)
                    }
                    None => decisions.decide(key, &self.counters, patience.until(), guarded(asker)).await,
                },
            }
        };
        let cached = opinion.is_ok() && !called.load(Ordering::Relaxed);
        self.heard(question, Asked { began, cached, rehearsal }, opinion, deny)
    }

    /// Returns the content that the plugin renders for this key, or its denial; `None` if the plugin failed, and that
    /// counts as abstaining. One call serves all requests with this key.
    pub(super) async fn rendering(
        self: &Arc<Self>,
        request: &Request,
        key: &Arc<str>,
        patience: Patience,
    ) -> Heard<Result<Arc<PluginContent>, Denial>> {
        let question = Question { hook: "render", request, patience };
        let (began, mut called) = (Instant::now(), false);
        let mut asker = self.asker(question);
        let rehearsal = asker.rehearsal.clone();
        let rendered = match (self.renderings.known(key), &rehearsal) {
            (Some(content), _) => Ok(Ok(content)),
            (None, Some(_)) => {
                called = true;
                let rendered = match self.breaker.shut(began.into_std()) {
                    Some(shut) => Err(shut.into()),
                    None => Box::pin(self.make(key, asker)).await,
                };
                rendered.map(|rendered| rendered.map(|rendering| rendering.content))
            }
            (None, None) => {
                // The call goes on for others when the time of this request is over.
                asker.patience = None;
                let (member, its) = (Arc::clone(self), Arc::clone(key));
                let render = async move {
                    let call = async |asker| member.make(&its, asker).await;
                    member.guarded("render", asker, None, call).await
                };
                self.renderings.get(key, patience.until(), &mut called, render).await
            }
        };
        let asked = Asked { began, cached: rendered.is_ok() && !called, rehearsal };
        self.heard(question, asked, rendered.map(Some), Err)
    }

    /// Has the content for a key made: begun, if the plugin makes it in parts.
    async fn make(self: &Arc<Self>, key: &Arc<str>, asker: Asker) -> Rendered {
        let Some(render) = &self.hooks.render else {
            let detail = "it answered with a rendering, and cannot make one";
            return Err(Failure::new(Cause::BadAnswer, detail));
        };
        match render.begin(key, asker.clone()).await? {
            Ok(Some(announced)) => {
                let content = Arc::new(parts::begin(self, render, key, &announced, asker)?);
                Ok(Ok(Rendering { content, ttl: announced.ttl }))
            }
            Ok(None) => render.render(key, asker).await,
            Err(denial) => Ok(Err(denial)),
        }
    }

    fn asker(&self, question: Question<'_>) -> Asker {
        let Question { request, patience, .. } = question;
        Asker {
            client: ClientKey::of(&request.client, self.ipv6_prefix),
            traced: traced(request),
            patience: Some(patience),
            probes: false,
            rehearsal: request.is_rehearsal().then(Lines::default),
        }
    }

    /// Notes the opinion, and returns it, or the effect of the plugin's failure.
    fn heard<O: Weighty>(
        &self,
        question: Question<'_>,
        asked: Asked,
        opinion: Result<Option<O>, Failure>,
        deny: fn(Denial) -> O,
    ) -> Heard<O> {
        let Question { hook, request, .. } = question;
        let Asked { began, cached, rehearsal } = asked;
        let cause = opinion.as_ref().err().map(|failure| failure.cause.as_str());
        let detail = |failure: &Failure| failure.detail.clone();
        let traced = request.trail.as_deref().map(|trail| (trail, opinion.as_ref().err().map(detail)));
        let said = match opinion {
            Ok(opinion) => Ok(opinion),
            Err(failure) if failure.cause == Cause::Busy => {
                if rehearsal.is_none() {
                    self.overload.note(&self.name, hook, &failure.detail);
                }
                Err(Overloaded(format!("plugin {} is overloaded in {hook}: {}", self.name, failure.detail)))
            }
            Err(failure) => Ok(self.stand_in(question, &failure, deny)),
        };
        let verdict = match &said {
            Ok(said) => said.as_ref().map_or("abstain", Weighty::word),
            Err(Overloaded(_)) => "drop",
        };
        request.calls.note(Call {
            plugin: Arc::clone(&self.name),
            hook,
            verdict,
            failure: cause,
            cached,
            monitored: self.monitors,
            took: began.elapsed(),
        });
        if let Some((trail, detail)) = traced {
            let step = What::Plugin {
                plugin: Arc::clone(&self.name),
                hook,
                verdict,
                detail: match &said {
                    Ok(Some(said)) if rehearsal.is_some() => Some(said.detail()),
                    _ => None,
                },
                lines: rehearsal.map(|lines| std::mem::take(&mut *lock(&lines))).unwrap_or_default(),
                remembered: cached,
                failure: cause.zip(detail),
                monitored: self.monitors,
            };
            trail.step(began.into_std(), step);
        }
        said
    }

    /// The opinion on a request that is only explained. What is remembered and the breaker are looked at, and neither
    /// they nor counters learn of the call.
    async fn rehearsed<O: Weighty + Clone>(
        &self,
        request: &Request,
        asker: Asker,
        called: &AtomicBool,
        decisions: Option<&Decisions<O>>,
        call: impl AsyncFnOnce(Asker) -> Result<Option<O>, Failure>,
    ) -> Result<Option<O>, Failure> {
        if let Some(opinion) = decisions.and_then(|decisions| decisions.peek(request)) {
            return Ok(opinion);
        }
        called.store(true, Ordering::Relaxed);
        match self.breaker.shut(std::time::Instant::now()) {
            Some(shut) => Err(shut.into()),
            None => call(asker).await,
        }
    }

    /// Calls through the breaker, and counts. `called` is told, unless a decision of before makes it needless.
    pub(super) async fn guarded<T>(
        &self,
        hook: &'static str,
        asker: Asker,
        called: Option<&AtomicBool>,
        call: impl AsyncFnOnce(Asker) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if let Some(called) = called {
            called.store(true, Ordering::Relaxed);
        }
        self.counters.call();
        let begun = Instant::now();
        let leave = match self.breaker.ask(begun.into_std(), asker.client) {
            Ok(leave) => leave,
            Err(shut) => {
                self.counters.failure(Cause::Repeated);
                return Err(shut.into());
            }
        };
        let result = call(Asker { probes: leave.probe, ..asker }).await;
        let took = begun.elapsed();
        self.counters.took(hook, took);
        plugin_took(&self.name, hook, took);
        let change = match &result {
            Ok(_) => leave.good(),
            Err(failure) => {
                self.counters.failure(failure.cause);
                if failure.blamed { leave.failed(Instant::now().into_std()) } else { None }
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
                    "a plugin failed for too many clients in a row: it is not called for {back_off:?}, then tried with \
                     single calls"
                );
            }
            Some(Change::Closed) => tracing::info!(
                target: "tuffet::policy", plugin = %self.name, hook,
                "a plugin works again and is called as before"
            ),
            None => {}
        }
        result
    }

    /// Logs a failure and returns its effect according to `on-error`.
    fn stand_in<O>(&self, question: Question<'_>, failure: &Failure, deny: fn(Denial) -> O) -> Option<O> {
        let Question { hook, request, .. } = question;
        // That it is not asked was said when that began.
        if failure.cause != Cause::Repeated && !request.is_rehearsal() && self.notes.take() {
            tracing::warn!(
                target: "tuffet::policy",
                plugin = %self.name,
                hook,
                request = %request.id,
                client = %request.client,
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

fn lock(lines: &Lines) -> MutexGuard<'_, Vec<String>> {
    lines.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The trace of a request, if it has one, for log lines.
fn traced(request: &Request) -> Option<Traced> {
    request.trail.as_deref().map(Trail::traced)
}
