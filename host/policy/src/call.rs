//! One call of a plugin for a request, including the decision cache, the breaker, the counters, and the
//! handling of failures.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::time::{Instant, timeout};
use tracing::Level;

use super::answers::{Answer, Labelled, Resolution, UploadVerdict, Verdict};
use super::breaker::BreakerChange;
use super::chain_deadline::ChainDeadline;
use super::chain_results::NoAnswer;
use super::content::{PluginContent, Rendered, Rendering};
use super::decision_cache::DecisionCache;
use super::failure::{Cause, Failure};
use super::freshness::Freshness;
use super::hook_call::{HookCall, Lines};
use super::make_parts;
use super::member::Member;
use super::memo::Memo;
use super::upload::ReceivedUpload;
use tuffet_request::settings::OnError;
use tuffet_request::{Call, ClientKey, Denial, ErrorCode, Request, Traced, Trail, What, catch_panic_async};

/// A question to a hook.
#[derive(Clone, Copy)]
struct Question<'a> {
    hook: &'static str,
    request: &'a Request,
    deadline: ChainDeadline,
}

/// How an answer came about.
struct Provenance {
    began: Instant,
    /// Whether the answer came from a cache.
    cached: bool,
    /// Log lines of a rehearsal.
    rehearsal: Option<Lines>,
}

impl Member {
    /// Calls the hook `authorize`.
    pub(super) async fn authorize(
        &self,
        request: &Request,
        memo: &Memo,
        deadline: ChainDeadline,
    ) -> Result<Verdict, NoAnswer> {
        let Some(hook) = &self.hooks.authorize else { return Ok(Verdict::Abstain) };
        let ask = async |call: HookCall| hook.authorize(request, &call).await;
        self.ask(Question { hook: "authorize", request, deadline }, memo, self.verdicts.as_ref(), ask).await
    }

    /// Calls the hook `resolve`.
    pub(super) async fn resolve(
        &self,
        request: &Request,
        memo: &Memo,
        deadline: ChainDeadline,
    ) -> Result<Resolution, NoAnswer> {
        let Some(hook) = &self.hooks.resolve else { return Ok(Resolution::Abstain) };
        let ask = async |call: HookCall| hook.resolve(request, &call).await;
        self.ask(Question { hook: "resolve", request, deadline }, memo, self.resolutions.as_ref(), ask).await
    }

    /// Calls the hook `accept-upload`.
    pub(super) async fn accept_upload(
        &self,
        request: &Request,
        upload: &ReceivedUpload,
        memo: &Memo,
        deadline: ChainDeadline,
    ) -> Result<UploadVerdict, NoAnswer> {
        let Some(hook) = &self.hooks.accept_upload else { return Ok(UploadVerdict::Abstain) };
        let ask = async |call: HookCall| hook.accept_upload(request, upload, &call).await;
        self.ask(Question { hook: "accept-upload", request, deadline }, memo, None, ask).await
    }

    /// Returns the answer of a hook, or the effect of its failure.
    async fn ask<A: Answer>(
        &self,
        question: Question<'_>,
        memo: &Memo,
        decisions: Option<&DecisionCache<A>>,
        ask: impl AsyncFnOnce(HookCall) -> Result<A, Failure>,
    ) -> Result<A, NoAnswer> {
        let Question { hook, request, deadline } = question;
        let (began, called) = (Instant::now(), AtomicBool::new(false));
        let call = HookCall { wanted: Some(began), memo: memo.clone(), ..self.call_for(question) };
        let rehearsal = call.rehearsal.clone();
        let ask = async |call: HookCall| {
            let label = Arc::clone(&call.label);
            let answer = self.guarded(ask(call)).await.and_then(Answer::checked)?;
            let label = label.lock().take();
            Ok(Labelled { answer, label })
        };
        let answer = if rehearsal.is_some() {
            Box::pin(self.rehearsed(request, call, &called, decisions, ask)).await
        } else {
            // Boxed: the future of a call is kilobytes, and each future around it would hold and move them twice.
            let counted = |call| Box::pin(self.counted(hook, call, Some(&called), ask));
            match decisions.map(|decisions| (decisions, decisions.key(request))) {
                None => counted(call).await,
                Some((decisions, key)) => match decisions.get(&key) {
                    Some(answer) => {
                        self.counters.hit();
                        Ok(answer)
                    }
                    None => {
                        let freshness = Freshness::default();
                        let call = HookCall { freshness: Some(freshness.clone()), ..call };
                        let decide = counted(call);
                        decisions.decide(key, &self.counters, deadline.until(), freshness, decide).await
                    }
                },
            }
        };
        let cached = answer.is_ok() && !called.load(Ordering::Relaxed);
        self.record(question, Provenance { began, cached, rehearsal }, answer)
    }

    /// Waits for an answer. A hook of the program is ended at its time limit, and a panic is a failure of its call.
    async fn guarded<T>(&self, answer: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        if !self.is_guarded {
            return answer.await;
        }
        match timeout(self.wall, catch_panic_async(answer)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(panicked)) => Err(Failure::new(Cause::Trap, panicked.to_string())),
            Err(_) => {
                let limit = humantime::format_duration(self.wall);
                Err(Failure::new(Cause::Time, format!("it did not answer within {limit}")))
            }
        }
    }

    /// Returns the content for this key, or the plugin's denial; `None` if the plugin failed and failures count as
    /// abstaining. One call serves all requests with this key.
    pub(super) async fn rendering(
        self: &Arc<Self>,
        request: &Request,
        key: &Arc<str>,
        deadline: ChainDeadline,
    ) -> Result<Option<Result<Arc<PluginContent>, Denial>>, NoAnswer> {
        let question = Question { hook: "render", request, deadline };
        let (began, mut called) = (Instant::now(), false);
        let mut call = self.call_for(question);
        let rehearsal = call.rehearsal.clone();
        let rendered = match (self.renderings.cached(key), &rehearsal) {
            (Some(content), _) => Ok(Ok(content)),
            (None, Some(_)) => {
                called = true;
                let rendered = match self.breaker.refusal(began.into_std()) {
                    Some(refusal) => Err(refusal.into()),
                    None => Box::pin(self.make(key, call)).await,
                };
                rendered.map(|rendered| rendered.map(|rendering| rendering.content))
            }
            (None, None) => {
                // The call continues for other requests after this one has timed out.
                call.deadline = None;
                call.freshness = Some(Freshness::default());
                let (member, its) = (Arc::clone(self), Arc::clone(key));
                let render = async move {
                    let make = async |call| member.make(&its, call).await;
                    member.counted("render", call, None, make).await
                };
                self.renderings.get(key, deadline.until(), &mut called, render).await
            }
        };
        let provenance = Provenance { began, cached: rendered.is_ok() && !called, rehearsal };
        self.record(
            question,
            provenance,
            rendered.map(|rendered| Labelled { answer: Some(rendered), label: None }),
        )
    }

    /// Has the plugin render the content for a key, or begin it if the plugin produces it in parts.
    async fn make(self: &Arc<Self>, key: &Arc<str>, call: HookCall) -> Rendered {
        let Some(render) = &self.hooks.render else {
            let detail = "it answered with a rendering, and cannot make one";
            return Err(Failure::new(Cause::BadAnswer, detail));
        };
        let freshness = call.freshness.clone().unwrap_or_default();
        let rendered = match render.begin(key, &call).await? {
            Ok(Some(announced)) => {
                let content = Arc::new(make_parts::begin(self, render, key, &announced, call)?);
                Ok(Rendering { content, ttl: announced.ttl })
            }
            Ok(None) => render.render(key, &call).await?,
            Err(denial) => Err(denial),
        };
        Ok(rendered.map(|rendering| Rendering { ttl: freshness.bound(rendering.ttl), ..rendering }))
    }

    fn call_for(&self, question: Question<'_>) -> HookCall {
        let Question { request, deadline, .. } = question;
        HookCall {
            client: ClientKey::of(&request.client, self.ipv6_prefix),
            traced: traced(request),
            deadline: Some(deadline),
            wanted: None,
            probes: false,
            rehearsal: request.is_rehearsal().then(Lines::default),
            freshness: None,
            memo: Memo::default(),
            label: Arc::default(),
        }
    }

    /// Records the call. Returns the answer, or the effect of the failure.
    fn record<A: Answer>(
        &self,
        question: Question<'_>,
        provenance: Provenance,
        answer: Result<Labelled<A>, Failure>,
    ) -> Result<A, NoAnswer> {
        let Question { hook, request, .. } = question;
        let Provenance { began, cached, rehearsal } = provenance;
        let cause = answer.as_ref().err().map(|failure| failure.cause.as_str());
        let detail = |failure: &Failure| failure.detail.clone();
        let traced = request.trail.as_deref().map(|trail| (trail, answer.as_ref().err().map(detail)));
        let mut label = None;
        let effect = match answer {
            Ok(Labelled { answer, label: its }) => {
                label = its;
                Ok(answer)
            }
            Err(failure) if failure.cause == Cause::Busy => {
                // A request that is only monitored gets its answer all the same.
                if rehearsal.is_none() && !self.monitors {
                    self.overload.note(&self.name, hook, &failure.detail);
                }
                let why = format!("plugin {} is overloaded in {hook}: {}", self.name, failure.detail);
                Err(NoAnswer::Overloaded(why))
            }
            Err(failure) => self.on_failure(question, &failure),
        };
        let verdict = match &effect {
            Ok(effect) => effect.word(),
            // A complete upload waits, or fails.
            Err(_) if hook == "accept-upload" || self.monitors => "none",
            Err(_) => "drop",
        };
        request.calls.note(Call {
            plugin: Arc::clone(&self.name),
            hook,
            verdict,
            failure: cause,
            cached,
            monitored: self.monitors,
            label: label.clone(),
            took: began.elapsed(),
        });
        if let Some((trail, detail)) = traced {
            let step = What::Plugin {
                plugin: Arc::clone(&self.name),
                hook,
                verdict,
                detail: match &effect {
                    Ok(effect) if rehearsal.is_some() && verdict != "abstain" => Some(effect.detail()),
                    _ => None,
                },
                lines: rehearsal.map(|lines| std::mem::take(&mut *lines.lock())).unwrap_or_default(),
                remembered: cached,
                failure: cause.zip(detail),
                label,
                monitored: self.monitors,
            };
            trail.step(began.into_std(), step);
        }
        effect
    }

    /// Returns the answer for a rehearsal: consults the cache and the breaker, and changes neither them nor counters.
    async fn rehearsed<A: Answer>(
        &self,
        request: &Request,
        call: HookCall,
        called: &AtomicBool,
        decisions: Option<&DecisionCache<A>>,
        ask: impl AsyncFnOnce(HookCall) -> Result<Labelled<A>, Failure>,
    ) -> Result<Labelled<A>, Failure> {
        if let Some(answer) = decisions.and_then(|decisions| decisions.peek(request)) {
            return Ok(answer);
        }
        called.store(true, Ordering::Relaxed);
        match self.breaker.refusal(std::time::Instant::now()) {
            Some(refusal) => Err(refusal.into()),
            None => ask(call).await,
        }
    }

    /// Calls through the breaker, and counts. Sets `called`.
    pub(super) async fn counted<T>(
        &self,
        hook: &'static str,
        call: HookCall,
        called: Option<&AtomicBool>,
        ask: impl AsyncFnOnce(HookCall) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if let Some(called) = called {
            called.store(true, Ordering::Relaxed);
        }
        self.counters.call();
        let begun = Instant::now();
        let permit = match self.breaker.permit(begun.into_std(), call.client) {
            Ok(permit) => permit,
            Err(refusal) => {
                self.counters.failure(Cause::Repeated);
                return Err(refusal.into());
            }
        };
        let result = ask(HookCall { probes: permit.probe, ..call }).await;
        let took = begun.elapsed();
        self.counters.took(hook, took);
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
    fn on_failure<A: Answer>(&self, question: Question<'_>, failure: &Failure) -> Result<A, NoAnswer> {
        let hook = question.hook;
        // An open breaker was logged when it opened.
        if failure.cause != Cause::Repeated && !question.request.is_rehearsal() {
            self.log_failure(question, failure);
        }
        match self.on_error {
            // Its failure changes nothing.
            _ if self.monitors => Err(NoAnswer::Failed(failure.detail.clone())),
            OnError::Abstain => Ok(A::ABSTAIN),
            OnError::Drop => {
                Err(NoAnswer::Failed(format!("{} {} failed in {hook}: {failure}", self.noun, self.name)))
            }
            OnError::Deny => Ok(A::deny(Denial {
                code: ErrorCode::NotDefined,
                message: "policy failure".into(),
                reason: format!("{} {} failed in {hook}: {failure}", self.noun, self.name),
            })),
        }
    }

    /// Logs a failure. If it ends the request, the line of that is the warning.
    fn log_failure(&self, question: Question<'_>, failure: &Failure) {
        let Question { hook, request, .. } = question;
        macro_rules! line {
            ($level:ident) => {
                tracing::$level!(
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
                )
            };
        }
        let ends_request = !self.monitors && self.on_error != OnError::Abstain;
        match self.log_rate.level_of_failure(ends_request) {
            Some(Level::WARN) => line!(warn),
            Some(_) => line!(debug),
            None => {}
        }
    }
}

/// The trace of a request, if it has one, for log lines.
fn traced(request: &Request) -> Option<Traced> {
    request.trail.as_deref().map(Trail::traced)
}
