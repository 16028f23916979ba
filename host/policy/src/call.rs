//! One call of a plugin for a request, including the decision cache, the breaker, the counters, and the
//! handling of failures.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::time::Instant;

use super::breaker::BreakerChange;
use super::call_context::{CallContext, Lines};
use super::chain_deadline::ChainDeadline;
use super::content::{PluginContent, Rendered, Rendering};
use super::decision_cache::DecisionCache;
use super::failure::{Cause, Failure};
use super::freshness::Freshness;
use super::hook_answer::HookAnswer;
use super::make_parts;
use super::member::Member;
use super::memo::Memo;
use super::opinion::{Opinion, ResolveOpinion, UploadOpinion};
use super::upload::ReceivedUpload;
use tuffet_request::settings::OnError;
use tuffet_request::{Call, ClientKey, Denial, ErrorCode, Request, Traced, Trail, What};

/// A call of a hook for a request.
#[derive(Clone, Copy)]
pub(super) struct HookCall<'a> {
    pub hook: &'static str,
    pub request: &'a Request,
    pub deadline: ChainDeadline,
}

/// How an opinion came about.
struct Provenance {
    began: Instant,
    /// Whether the answer came from a cache.
    cached: bool,
    /// Log lines of a rehearsal.
    rehearsal: Option<Lines>,
}

/// No answer, for this reason. A request is dropped, so that its client repeats it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// The plugin is overloaded, and may answer later; neither `on-error` nor the breaker applies.
    Overloaded(String),
    /// The hook failed, and [`OnError::Drop`] applies.
    Failed(String),
}

impl NoAnswer {
    /// The reason.
    pub(super) fn reason(self) -> String {
        match self {
            NoAnswer::Overloaded(reason) | NoAnswer::Failed(reason) => reason,
        }
    }
}

/// The plugin's opinion; `None` if it abstains.
pub(super) type OpinionResult<O> = Result<Option<O>, NoAnswer>;

impl Member {
    /// Calls the hook `authorize`.
    pub(super) async fn verdict(
        &self,
        request: &Request,
        memo: &mut Memo,
        deadline: ChainDeadline,
    ) -> OpinionResult<Opinion> {
        let Some(hook) = &self.hooks.authorize else { return Ok(None) };
        let call = async |context| hook.authorize(request, memo, context).await;
        let hook_call = HookCall { hook: "authorize", request, deadline };
        self.opinion(hook_call, self.verdicts.as_ref(), call, Opinion::Deny).await
    }

    /// Calls the hook `resolve`.
    pub(super) async fn resolution(
        &self,
        request: &Request,
        memo: &mut Memo,
        deadline: ChainDeadline,
    ) -> OpinionResult<ResolveOpinion> {
        let Some(hook) = &self.hooks.resolve else { return Ok(None) };
        let call = async |context| hook.resolve(request, memo, context).await;
        let hook_call = HookCall { hook: "resolve", request, deadline };
        self.opinion(hook_call, self.resolutions.as_ref(), call, ResolveOpinion::Deny).await
    }

    /// Calls the hook `accept-upload`.
    pub(super) async fn acceptance(
        &self,
        request: &Request,
        memo: &mut Memo,
        upload: &ReceivedUpload,
        deadline: ChainDeadline,
    ) -> OpinionResult<UploadOpinion> {
        let Some(hook) = &self.hooks.accept_upload else { return Ok(None) };
        let call = async |context| hook.accept_upload(request, memo, upload, context).await;
        let hook_call = HookCall { hook: "accept-upload", request, deadline };
        self.opinion(hook_call, None, call, UploadOpinion::Deny).await
    }

    /// Returns the plugin's opinion, or the effect of its failure.
    async fn opinion<O: HookAnswer + Clone>(
        &self,
        hook_call: HookCall<'_>,
        decisions: Option<&DecisionCache<O>>,
        call: impl AsyncFnOnce(CallContext) -> Result<Option<O>, Failure>,
        deny: fn(Denial) -> O,
    ) -> OpinionResult<O> {
        let HookCall { hook, request, deadline } = hook_call;
        let (began, called) = (Instant::now(), AtomicBool::new(false));
        let context = CallContext { wanted: Some(began), ..self.context(hook_call) };
        let rehearsal = context.rehearsal.clone();
        let opinion = if rehearsal.is_some() {
            Box::pin(self.rehearsed(request, context, &called, decisions, call)).await
        } else {
            // Boxed: the future of a call is kilobytes, and each future around it would hold and move them twice.
            let guarded = |context| Box::pin(self.guarded(hook, context, Some(&called), call));
            match decisions.map(|decisions| (decisions, decisions.key(request))) {
                None => guarded(context).await,
                Some((decisions, key)) => match decisions.get(&key) {
                    Some(opinion) => {
                        self.counters.hit();
                        Ok(opinion)
                    }
                    None => {
                        let freshness = Freshness::default();
                        let context = CallContext { freshness: Some(freshness.clone()), ..context };
                        let decide = guarded(context);
                        decisions.decide(key, &self.counters, deadline.until(), freshness, decide).await
                    }
                },
            }
        };
        let cached = opinion.is_ok() && !called.load(Ordering::Relaxed);
        self.record(hook_call, Provenance { began, cached, rehearsal }, opinion, deny)
    }

    /// Returns the content for this key, or the plugin's denial; `None` if the plugin failed and failures count as
    /// abstaining. One call serves all requests with this key.
    pub(super) async fn rendering(
        self: &Arc<Self>,
        request: &Request,
        key: &Arc<str>,
        deadline: ChainDeadline,
    ) -> OpinionResult<Result<Arc<PluginContent>, Denial>> {
        let hook_call = HookCall { hook: "render", request, deadline };
        let (began, mut called) = (Instant::now(), false);
        let mut context = self.context(hook_call);
        let rehearsal = context.rehearsal.clone();
        let rendered = match (self.renderings.cached(key), &rehearsal) {
            (Some(content), _) => Ok(Ok(content)),
            (None, Some(_)) => {
                called = true;
                let rendered = match self.breaker.refusal(began.into_std()) {
                    Some(refusal) => Err(refusal.into()),
                    None => Box::pin(self.make(key, context)).await,
                };
                rendered.map(|rendered| rendered.map(|rendering| rendering.content))
            }
            (None, None) => {
                // The call continues for other requests after this one has timed out.
                context.deadline = None;
                context.freshness = Some(Freshness::default());
                let (member, its) = (Arc::clone(self), Arc::clone(key));
                let render = async move {
                    let call = async |context| member.make(&its, context).await;
                    member.guarded("render", context, None, call).await
                };
                self.renderings.get(key, deadline.until(), &mut called, render).await
            }
        };
        let provenance = Provenance { began, cached: rendered.is_ok() && !called, rehearsal };
        self.record(hook_call, provenance, rendered.map(Some), Err)
    }

    /// Has the plugin render the content for a key, or begin it if the plugin produces it in parts.
    async fn make(self: &Arc<Self>, key: &Arc<str>, context: CallContext) -> Rendered {
        let Some(render) = &self.hooks.render else {
            let detail = "it answered with a rendering, and cannot make one";
            return Err(Failure::new(Cause::BadAnswer, detail));
        };
        let freshness = context.freshness.clone().unwrap_or_default();
        let rendered = match render.begin(key, context.clone()).await? {
            Ok(Some(announced)) => {
                let content = Arc::new(make_parts::begin(self, render, key, &announced, context)?);
                Ok(Rendering { content, ttl: announced.ttl })
            }
            Ok(None) => render.render(key, context).await?,
            Err(denial) => Err(denial),
        };
        Ok(rendered.map(|rendering| Rendering { ttl: freshness.bound(rendering.ttl), ..rendering }))
    }

    fn context(&self, hook_call: HookCall<'_>) -> CallContext {
        let HookCall { request, deadline, .. } = hook_call;
        CallContext {
            client: ClientKey::of(&request.client, self.ipv6_prefix),
            traced: traced(request),
            deadline: Some(deadline),
            wanted: None,
            probes: false,
            rehearsal: request.is_rehearsal().then(Lines::default),
            freshness: None,
        }
    }

    /// Records the call. Returns the opinion, or the effect of the plugin's failure.
    fn record<O: HookAnswer>(
        &self,
        hook_call: HookCall<'_>,
        provenance: Provenance,
        opinion: Result<Option<O>, Failure>,
        deny: fn(Denial) -> O,
    ) -> OpinionResult<O> {
        let HookCall { hook, request, .. } = hook_call;
        let Provenance { began, cached, rehearsal } = provenance;
        let cause = opinion.as_ref().err().map(|failure| failure.cause.as_str());
        let detail = |failure: &Failure| failure.detail.clone();
        let traced = request.trail.as_deref().map(|trail| (trail, opinion.as_ref().err().map(detail)));
        let effect = match opinion {
            Ok(opinion) => Ok(opinion),
            Err(failure) if failure.cause == Cause::Busy => {
                if rehearsal.is_none() {
                    self.overload.note(&self.name, hook, &failure.detail);
                }
                let why = format!("plugin {} is overloaded in {hook}: {}", self.name, failure.detail);
                Err(NoAnswer::Overloaded(why))
            }
            Err(failure) => self.on_failure(hook_call, &failure, deny),
        };
        let verdict = match &effect {
            Ok(effect) => effect.as_ref().map_or("abstain", HookAnswer::word),
            // A complete upload waits, or fails.
            Err(_) if hook == "accept-upload" => "none",
            Err(_) => "drop",
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
                detail: match &effect {
                    Ok(Some(effect)) if rehearsal.is_some() => Some(effect.detail()),
                    _ => None,
                },
                lines: rehearsal.map(|lines| std::mem::take(&mut *lines.lock())).unwrap_or_default(),
                remembered: cached,
                failure: cause.zip(detail),
                monitored: self.monitors,
            };
            trail.step(began.into_std(), step);
        }
        effect
    }

    /// Returns the opinion for a rehearsal: consults the cache and the breaker, and changes neither them nor counters.
    async fn rehearsed<O: HookAnswer + Clone>(
        &self,
        request: &Request,
        context: CallContext,
        called: &AtomicBool,
        decisions: Option<&DecisionCache<O>>,
        call: impl AsyncFnOnce(CallContext) -> Result<Option<O>, Failure>,
    ) -> Result<Option<O>, Failure> {
        if let Some(opinion) = decisions.and_then(|decisions| decisions.peek(request)) {
            return Ok(opinion);
        }
        called.store(true, Ordering::Relaxed);
        match self.breaker.refusal(std::time::Instant::now()) {
            Some(refusal) => Err(refusal.into()),
            None => call(context).await,
        }
    }

    /// Calls through the breaker, and counts. Sets `called`.
    pub(super) async fn guarded<T>(
        &self,
        hook: &'static str,
        context: CallContext,
        called: Option<&AtomicBool>,
        call: impl AsyncFnOnce(CallContext) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if let Some(called) = called {
            called.store(true, Ordering::Relaxed);
        }
        self.counters.call();
        let begun = Instant::now();
        let permit = match self.breaker.permit(begun.into_std(), context.client) {
            Ok(permit) => permit,
            Err(refusal) => {
                self.counters.failure(Cause::Repeated);
                return Err(refusal.into());
            }
        };
        let result = call(CallContext { probes: permit.probe, ..context }).await;
        let took = begun.elapsed();
        self.counters.took(&self.name, hook, took);
        let change = match &result {
            Ok(_) => permit.succeeded(),
            Err(failure) => {
                self.counters.failure(failure.cause);
                if failure.blamed { permit.failed(Instant::now().into_std()) } else { None }
            }
        };
        match change {
            Some(BreakerChange::Opened(back_off)) => {
                self.counters.open();
                let on_error = match self.on_error {
                    OnError::Deny => "deny",
                    OnError::Abstain => "abstain",
                    OnError::Drop => "drop",
                };
                tracing::error!(
                    target: "tuffet::policy", plugin = %self.name, hook, failure = "repeated", on_error,
                    "a {} failed for too many clients in a row: it is not called for {back_off:?}, then tried with \
                     single calls",
                    self.noun
                );
            }
            Some(BreakerChange::Closed) => tracing::info!(
                target: "tuffet::policy", plugin = %self.name, hook,
                "a plugin works again and is called as before"
            ),
            None => {}
        }
        result
    }

    /// Logs a failure and returns its effect according to `on-error`.
    fn on_failure<O>(
        &self,
        hook_call: HookCall<'_>,
        failure: &Failure,
        deny: fn(Denial) -> O,
    ) -> OpinionResult<O> {
        let HookCall { hook, request, .. } = hook_call;
        // An open breaker was logged when it opened.
        if failure.cause != Cause::Repeated && !request.is_rehearsal() && self.log_rate.take() {
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
                "a {} failed: {}",
                self.noun,
                failure.detail
            );
        }
        match self.on_error {
            OnError::Abstain => Ok(None),
            OnError::Drop => {
                Err(NoAnswer::Failed(format!("{} {} failed in {hook}: {failure}", self.noun, self.name)))
            }
            OnError::Deny => Ok(Some(deny(Denial {
                code: ErrorCode::NotDefined,
                message: "policy failure".into(),
                reason: format!("{} {} failed in {hook}: {failure}", self.noun, self.name),
            }))),
        }
    }
}

/// The trace of a request, if it has one, for log lines.
fn traced(request: &Request) -> Option<Traced> {
    request.trail.as_deref().map(Trail::traced)
}
