//! Calls the chains `authorize` and `resolve`, and combines the answers of their members.

use std::sync::Arc;

use super::answers::{Fallback, Resolution, Verdict};
use super::chain_deadline::ChainDeadline;
use super::chain_results::{Authorization, ChainAnswer, ChainPosition, Resolved};
use super::made_content::answer_with;
use super::member::Member;
use super::memo::Memo;
use super::monitor::{Asked, Authorizes, MemberAnswers, Resolves};
use super::policy::Policy;
use tuffet_request::settings::DefaultVerdict;
use tuffet_request::{Denial, ErrorCode, Operation, Request, SessionProfile};

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
        let asked = Asked { chain: &self.of(&request.listener).authorize, asks };
        let mut said = MemberAnswers::of(asked);
        let decided = verdict_of(asked, default, request, deadline, &mut said).await;
        let happened = (&decided.answer, decided.by.as_ref());
        if let Some(calls) = said.compare_with(asked, happened, request, Authorizes) {
            calls.await;
        }
        decided
    }

    /// Calls the `resolve` chain from this position on: the first member that does not abstain answers.
    pub async fn resolve_from(
        &self,
        request: &Request,
        from: ChainPosition,
        deadline: ChainDeadline,
    ) -> Resolved {
        let chain = &self.of(&request.listener).resolve[..];
        // When the chain goes on, its monitored members have been asked.
        let mut said = MemberAnswers::of(Asked::all(if from.is_start() { chain } else { &[] }));
        let resolved = resolution_of(chain, request, from, deadline, &mut said).await;
        // What the chain returns of an answer with files and content is the files.
        let whole = said.last().cloned().map(Ok);
        let happened = (whole.as_ref().unwrap_or(&resolved.chain.answer), resolved.chain.by.as_ref());
        if let Some(calls) = said.compare_with(Asked::all(chain), happened, request, Resolves) {
            calls.await;
        }
        resolved
    }
}

async fn verdict_of(
    asked: Asked<'_>,
    default: DefaultVerdict,
    request: &Request,
    deadline: ChainDeadline,
    said: &mut MemberAnswers<Verdict>,
) -> Authorization {
    let memo = Memo::default();
    let mut allowed: Option<(SessionProfile, Arc<str>)> = None;
    let mut calls = 0;
    for (place, member) in asked.counting() {
        calls += 1;
        let by = Arc::clone(&member.name);
        let answer = member.authorize(request, &memo, deadline).await;
        if let Ok(answer) = &answer {
            said.keep(place, answer);
        }
        let answer = match answer {
            Ok(Verdict::Abstain) => continue,
            Ok(Verdict::Allow(profile)) => {
                let (both, _) = allowed.get_or_insert((profile, by));
                *both = both.and(profile);
                continue;
            }
            decided => decided,
        };
        return Authorization { answer, by: Some(by), calls };
    }
    let (verdict, by) = match (allowed, default) {
        (Some((profile, by)), _) => (Verdict::Allow(profile), Some(by)),
        (None, DefaultVerdict::Allow) => (Verdict::allow(), None),
        (None, DefaultVerdict::Deny) => {
            let reason = "nothing allowed it, and the default is to deny".into();
            let (code, message) = (ErrorCode::AccessViolation, "access denied".into());
            (Verdict::Deny(Denial { code, message, reason }), None)
        }
    };
    Authorization { answer: Ok(verdict), by, calls }
}

async fn resolution_of(
    chain: &[Arc<Member>],
    request: &Request,
    from: ChainPosition,
    deadline: ChainDeadline,
    said: &mut MemberAnswers<Resolution>,
) -> Resolved {
    let memo = Memo::default();
    let mut calls = 0;
    let mut profile: Option<SessionProfile> = None;
    let ChainPosition { member: mut position, fallback } = from;
    if let Some((fallback, member)) = fallback.zip(chain.get(position)) {
        if let Some(answer) = answer_with(fallback, member, request, deadline).await {
            let chain = ChainAnswer { answer, by: Some(Arc::clone(&member.name)), calls };
            return Resolved { chain, next: None, profile };
        }
        position += 1;
    }
    for (position, member) in Asked::all(chain).counting().skip_while(|(place, _)| *place < position) {
        calls += 1;
        let mut next = None;
        let answer = member.resolve(request, &memo, deadline).await;
        // Content without files is compared when it is made.
        if let Ok(answer) = &answer
            && !matches!(answer, Resolution::Serve(selection) if selection.targets().is_empty())
        {
            said.keep(position, answer);
        }
        let answer = match answer {
            Ok(Resolution::Abstain) => continue,
            Ok(Resolution::Serve(selection)) => {
                let (files, fallback, its) = selection.into_parts();
                profile = match (profile, its) {
                    (Some(before), Some(its)) => Some(before.and(its)),
                    (before, its) => before.or(its),
                };
                let content = match fallback {
                    Fallback::NotFound => None,
                    Fallback::Next => {
                        next = Some(ChainPosition { member: position + 1, fallback: None });
                        None
                    }
                    // An upload whose folder does not exist is refused for that.
                    _ if request.operation == Operation::Write && !files.is_empty() => None,
                    content => Some(content),
                };
                match content {
                    content if !files.is_empty() => {
                        let here = |fallback| ChainPosition { member: position, fallback: Some(fallback) };
                        next = next.or_else(|| content.map(here));
                        Ok(Resolution::files(files))
                    }
                    Some(content) => match answer_with(content, member, request, deadline).await {
                        Some(answer) => {
                            if let Ok(answer) = &answer {
                                said.keep(position, answer);
                            }
                            answer
                        }
                        None => continue,
                    },
                    // Without files and content, the chain continues.
                    None => continue,
                }
            }
            decided => decided,
        };
        let chain = ChainAnswer { answer, by: Some(Arc::clone(&member.name)), calls };
        return Resolved { chain, next, profile };
    }
    let chain = ChainAnswer { answer: Ok(Resolution::Abstain), by: None, calls };
    Resolved { chain, next: None, profile }
}
