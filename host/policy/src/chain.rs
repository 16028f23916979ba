//! Calls the chains `authorize` and `resolve`, and combines the verdicts of their plugins.

use std::sync::Arc;

use super::answer::{Answer, Authorization, ChainPosition, Made, Resolution, Verdict};
use super::ask::Overloaded;
use super::member::Member;
use super::memo::Memo;
use super::monitor;
use super::opinion::{Found, Opinion, Otherwise, Selection};
use super::patience::Patience;
use super::policy::{DefaultVerdict, Policy};
use tuffet_request::{Denial, ErrorCode, Request, SessionProfile};

impl Policy {
    /// Calls the `authorize` chain: the first deny or drop ends it, the ceilings of several allows combine to
    /// the lowest, and if all abstain the default decides.
    pub async fn authorize(&self, request: &Request, patience: Patience) -> Authorization {
        let mut memo = Memo::default();
        let mut allowed: Option<(SessionProfile, Arc<str>)> = None;
        let mut calls = 0;
        for plugin in &self.of(&request.listener).authorize {
            if plugin.monitors {
                if let Some(call) = monitor::authorize(plugin, request) {
                    call.await;
                }
                continue;
            }
            calls += 1;
            let by = Arc::clone(&plugin.name);
            let verdict = match plugin.verdict(request, &mut memo, patience).await {
                Ok(None) => continue,
                Ok(Some(Opinion::Allow(profile))) => {
                    let (both, _) = allowed.get_or_insert((profile, by));
                    *both = both.and(profile);
                    continue;
                }
                Ok(Some(Opinion::Deny(denial))) => Verdict::Deny(denial),
                Ok(Some(Opinion::Drop(reason))) => Verdict::Drop(reason),
                Err(Overloaded(reason)) => Verdict::Overloaded(reason),
            };
            return Authorization { verdict, by: Some(by), calls };
        }
        match (allowed, self.parts.default) {
            (Some((profile, by)), _) => {
                Authorization { verdict: Verdict::Allow(profile), by: Some(by), calls }
            }
            (None, DefaultVerdict::Allow) => {
                Authorization { verdict: Verdict::Allow(SessionProfile::default()), by: None, calls }
            }
            (None, DefaultVerdict::Deny) => Authorization {
                verdict: Verdict::Deny(Denial {
                    code: ErrorCode::AccessViolation,
                    message: "access denied".into(),
                    reason: "no plugin allowed it (policy.default: deny)".into(),
                }),
                by: None,
                calls,
            },
        }
    }

    /// Calls the `resolve` chain: the first plugin that does not abstain answers.
    pub async fn resolve(&self, request: &Request, patience: Patience) -> Resolution {
        self.resolve_from(request, ChainPosition::START, patience).await
    }

    /// Calls the `resolve` chain from this plugin on: the first one that does not abstain answers.
    pub async fn resolve_from(
        &self,
        request: &Request,
        from: ChainPosition,
        patience: Patience,
    ) -> Resolution {
        let chain = &self.of(&request.listener).resolve;
        let mut memo = Memo::default();
        let mut calls = 0;
        let mut profile: Option<SessionProfile> = None;
        let ChainPosition { plugin: mut place, made } = from;
        if let Some((made, plugin)) = made.zip(chain.get(place)) {
            if let Some(answer) = answer_with(made, plugin, request, patience).await {
                let by = Some(Arc::clone(&plugin.name));
                return Resolution { answer, by, calls, next: None, profile };
            }
            place += 1;
        }
        for (place, plugin) in chain.iter().enumerate().skip(place) {
            if plugin.monitors {
                if let Some(call) = monitor::resolve(plugin, request) {
                    call.await;
                }
                continue;
            }
            calls += 1;
            let (mut next, mut made) = (None, None);
            let answer = match plugin.resolution(request, &mut memo, patience).await {
                Ok(None) => continue,
                Ok(Some(Found::Serve(Selection { files, otherwise, profile: its }))) => {
                    profile = match (profile, its) {
                        (Some(before), Some(its)) => Some(before.and(its)),
                        (before, its) => before.or(its),
                    };
                    match otherwise {
                        Otherwise::NotFound => {}
                        Otherwise::Next => next = Some(ChainPosition { plugin: place + 1, made: None }),
                        Otherwise::Content(content) => made = Some(Made::Content(content)),
                        Otherwise::Rendering(key) => made = Some(Made::Rendering(key)),
                    }
                    if !files.is_empty() {
                        next = next.or_else(|| Some(ChainPosition { plugin: place, made: Some(made?) }));
                        Answer::Files(files)
                    } else {
                        // Without a file and without content, the chain goes on.
                        let Some(made) = made else { continue };
                        match answer_with(made, plugin, request, patience).await {
                            Some(answer) => answer,
                            None => continue,
                        }
                    }
                }
                Ok(Some(Found::Deny(denial))) => Answer::Deny(denial),
                Ok(Some(Found::Drop(reason))) => Answer::Drop(reason),
                Err(Overloaded(reason)) => Answer::Overloaded(reason),
            };
            return Resolution { answer, by: Some(Arc::clone(&plugin.name)), calls, next, profile };
        }
        Resolution { answer: Answer::Abstain, by: None, calls, next: None, profile }
    }
}

/// Returns the content, which the plugin may have to make; `None` if it failed, and that counts as abstaining.
async fn answer_with(
    made: Made,
    plugin: &Arc<Member>,
    request: &Request,
    patience: Patience,
) -> Option<Answer> {
    let key = match made {
        Made::Content(content) => return Some(Answer::Content(content)),
        Made::Rendering(key) => key,
    };
    match Box::pin(plugin.rendering(request, &key, patience)).await {
        Ok(None) => None,
        Ok(Some(Ok(content))) => Some(Answer::Content(content)),
        Ok(Some(Err(denial))) => Some(Answer::Deny(denial)),
        Err(Overloaded(reason)) => Some(Answer::Overloaded(reason)),
    }
}
