//! Calls the chains `authorize` and `resolve`, and combines the verdicts of their plugins.

use std::sync::Arc;

use super::chain_deadline::ChainDeadline;
use super::chain_results::{
    Authorization, ChainPosition, FallbackContent, Resolution, ResolveAnswer, Verdict,
};
use super::member::Member;
use super::memo::Memo;
use super::monitor;
use super::opinion::{Fallback, Opinion, ResolveOpinion, Selection};
use super::policy::Policy;
use tuffet_request::settings::DefaultVerdict;
use tuffet_request::{Denial, ErrorCode, Request, SessionProfile};

impl Policy {
    /// Calls the `authorize` chain: the first deny or drop ends it, the ceilings of several allows combine to
    /// the lowest, and if all abstain the default decides.
    pub async fn authorize(&self, request: &Request, deadline: ChainDeadline) -> Authorization {
        self.authorize_by(|_| true, self.parts.default, request, deadline).await
    }

    /// Has the plugins of the `authorize` chain that [judge paths](Member::judges_paths) judge a request that the chain has
    /// allowed, with the path of a file that `resolve` named for it. The default does not matter.
    pub async fn judge_file(&self, request: &Request, deadline: ChainDeadline) -> Authorization {
        self.authorize_by(|plugin| plugin.judges_paths, DefaultVerdict::Allow, request, deadline).await
    }

    async fn authorize_by(
        &self,
        asks: fn(&Member) -> bool,
        default: DefaultVerdict,
        request: &Request,
        deadline: ChainDeadline,
    ) -> Authorization {
        let mut memo = Memo::default();
        let mut allowed: Option<(SessionProfile, Arc<str>)> = None;
        let mut calls = 0;
        for plugin in self.of(&request.listener).authorize.iter().filter(|plugin| asks(plugin)) {
            if plugin.monitors {
                if let Some(call) = monitor::authorize(plugin, request) {
                    call.await;
                }
                continue;
            }
            calls += 1;
            let by = Arc::clone(&plugin.name);
            let verdict = match plugin.verdict(request, &mut memo, deadline).await {
                Ok(None) => continue,
                Ok(Some(Opinion::Allow(profile))) => {
                    let (both, _) = allowed.get_or_insert((profile, by));
                    *both = both.and(profile);
                    continue;
                }
                Ok(Some(Opinion::Deny(denial))) => Verdict::Deny(denial),
                Ok(Some(Opinion::Drop(reason))) => Verdict::Drop(reason),
                Err(no_answer) => Verdict::Overloaded(no_answer.reason()),
            };
            return Authorization { verdict, by: Some(by), calls };
        }
        match (allowed, default) {
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
                    reason: "nothing allowed it, and the default is to deny".into(),
                }),
                by: None,
                calls,
            },
        }
    }

    /// Calls the `resolve` chain: the first plugin that does not abstain answers.
    pub async fn resolve(&self, request: &Request, deadline: ChainDeadline) -> Resolution {
        self.resolve_from(request, ChainPosition::START, deadline).await
    }

    /// Calls the `resolve` chain from this position on: the first plugin that does not abstain answers.
    pub async fn resolve_from(
        &self,
        request: &Request,
        from: ChainPosition,
        deadline: ChainDeadline,
    ) -> Resolution {
        let chain = &self.of(&request.listener).resolve;
        let mut memo = Memo::default();
        let mut calls = 0;
        let mut profile: Option<SessionProfile> = None;
        let ChainPosition { plugin: mut position, fallback } = from;
        if let Some((fallback, plugin)) = fallback.zip(chain.get(position)) {
            if let Some(answer) = answer_with(fallback, plugin, request, deadline).await {
                let by = Some(Arc::clone(&plugin.name));
                return Resolution { answer, by, calls, next: None, profile };
            }
            position += 1;
        }
        for (position, plugin) in chain.iter().enumerate().skip(position) {
            if plugin.monitors {
                if let Some(call) = monitor::resolve(plugin, request) {
                    call.await;
                }
                continue;
            }
            calls += 1;
            let (mut next, mut replacement) = (None, None);
            let answer = match plugin.resolution(request, &mut memo, deadline).await {
                Ok(None) => continue,
                Ok(Some(ResolveOpinion::Serve(Selection { files, fallback, profile: its }))) => {
                    profile = match (profile, its) {
                        (Some(before), Some(its)) => Some(before.and(its)),
                        (before, its) => before.or(its),
                    };
                    match fallback {
                        Fallback::NotFound => {}
                        Fallback::Next => next = Some(ChainPosition { plugin: position + 1, fallback: None }),
                        Fallback::Content(content) => replacement = Some(FallbackContent::Content(content)),
                        Fallback::Rendering(key) => replacement = Some(FallbackContent::Rendering(key)),
                    }
                    if !files.is_empty() {
                        next = next.or_else(|| {
                            Some(ChainPosition { plugin: position, fallback: Some(replacement?) })
                        });
                        ResolveAnswer::Files(files)
                    } else {
                        // Without files and content, the chain continues.
                        let Some(replacement) = replacement else { continue };
                        match answer_with(replacement, plugin, request, deadline).await {
                            Some(answer) => answer,
                            None => continue,
                        }
                    }
                }
                Ok(Some(ResolveOpinion::Deny(denial))) => ResolveAnswer::Deny(denial),
                Ok(Some(ResolveOpinion::Drop(reason))) => ResolveAnswer::Drop(reason),
                Err(no_answer) => ResolveAnswer::Overloaded(no_answer.reason()),
            };
            return Resolution { answer, by: Some(Arc::clone(&plugin.name)), calls, next, profile };
        }
        Resolution { answer: ResolveAnswer::Abstain, by: None, calls, next: None, profile }
    }
}

/// Returns the content, rendered if necessary; `None` if the plugin failed and failures count as abstaining.
async fn answer_with(
    fallback: FallbackContent,
    plugin: &Arc<Member>,
    request: &Request,
    deadline: ChainDeadline,
) -> Option<ResolveAnswer> {
    let key = match fallback {
        FallbackContent::Content(content) => return Some(ResolveAnswer::Content(content)),
        FallbackContent::Rendering(key) => key,
    };
    match Box::pin(plugin.rendering(request, &key, deadline)).await {
        Ok(None) => None,
        Ok(Some(Ok(content))) => Some(ResolveAnswer::Content(content)),
        Ok(Some(Err(denial))) => Some(ResolveAnswer::Deny(denial)),
        Err(no_answer) => Some(ResolveAnswer::Overloaded(no_answer.reason())),
    }
}
