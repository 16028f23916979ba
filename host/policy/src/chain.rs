//! Chains: plugins in order, and the combination of their verdicts.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::ask::Overloaded;
use super::content::PluginContent;
use super::identity::PluginIdentity;
use super::load_problem::LoadProblem;
use super::member::Member;
use super::memo::Memo;
use super::monitor;
use super::opinion::{Found, Opinion, Otherwise, Selection, Target};
use super::patience::Patience;
use tuffet_request::{Denial, ErrorCode, Request, SessionProfile};

/// A loaded policy. All requests of one generation are judged by the same one.
pub struct Policy {
    parts: PolicyParts,
    /// Whether any plugin wants to know where requests arrive.
    wants_local: bool,
}

/// What a policy is made of.
pub struct PolicyParts {
    /// What holds where every plugin of `authorize` abstains.
    pub default: DefaultVerdict,
    /// The chains of all listeners without chains of their own.
    pub of_all: Chains,
    /// Those of listeners with a chain of their own, by name.
    pub of_listeners: HashMap<String, Chains>,
    /// The time limit of the chains for one request.
    pub time_limit: Duration,
    /// The warnings for the operator, which do not prevent the policy from running.
    pub warnings: Vec<LoadProblem>,
    /// The plugins and their components, in the order of the configuration.
    pub identities: Vec<PluginIdentity>,
}

/// What holds where every plugin of `authorize` abstains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultVerdict {
    /// The request is allowed.
    Allow,
    /// The request is denied.
    Deny,
}

/// The chains of a listener. A plugin may be in several of them.
#[derive(Default)]
pub struct Chains {
    /// The chain `authorize`.
    pub authorize: Vec<Arc<Member>>,
    /// The chain `resolve`.
    pub resolve: Vec<Arc<Member>>,
    /// The chain `accept-upload`.
    pub accept_upload: Vec<Arc<Member>>,
    /// The observers, in no order.
    pub observe: Vec<Arc<Member>>,
}

impl Chains {
    fn plugins(&self) -> impl Iterator<Item = &Arc<Member>> {
        [&self.authorize, &self.resolve, &self.accept_upload, &self.observe].into_iter().flatten()
    }
}

/// A plugin in a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chained {
    /// The hook of the chain.
    pub hook: &'static str,
    /// Its name.
    pub plugin: Arc<str>,
    /// Whether its verdicts are only recorded.
    pub monitored: bool,
}

/// The result of the `authorize` chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorization {
    /// The verdict.
    pub verdict: Verdict,
    /// The plugin that decided; of several that allowed, the first. `None` if the default decided.
    pub by: Option<Arc<str>>,
    /// The number of plugin calls.
    pub calls: u32,
}

/// The verdict on a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is allowed, with this profile.
    Allow(SessionProfile),
    /// It is refused with an ERROR.
    Deny(Denial),
    /// It is dropped, for this reason.
    Drop(String),
    /// Dropped, because a plugin is overloaded, for this reason. The client repeats the request.
    Overloaded(String),
}

/// The result of the `resolve` chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    /// The answer.
    pub answer: Answer,
    /// The plugin that answered; `None` if all abstained.
    pub by: Option<Arc<str>>,
    /// The number of plugin calls.
    pub calls: u32,
    /// Where the chain goes on if none of the files exists.
    pub next: Option<ChainPosition>,
    /// What the plugins so far say about how it is sent.
    pub profile: Option<SessionProfile>,
}

/// Where the `resolve` chain of a listener goes on. Holds for the policy that it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainPosition {
    /// The place of a plugin.
    plugin: usize,
    /// What that plugin answered already, for the case that none of its files exists.
    made: Option<Made>,
}

/// Content in place of files.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Made {
    Content(Arc<PluginContent>),
    /// The content that the plugin makes for this key.
    Rendering(Arc<str>),
}

impl ChainPosition {
    /// The first plugin.
    pub const START: ChainPosition = ChainPosition { plugin: 0, made: None };
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The requested path, looked up in the roots in order.
    Abstain,
    /// The first of these that exists; for a write request, the first. Never empty; every root is a
    /// configured one, every path relative and without empty parts, `.` and `..`.
    Files(Vec<Target>),
    /// The content itself. Never for a write request.
    Content(Arc<PluginContent>),
    /// A denial.
    Deny(Denial),
    /// It is dropped, for this reason.
    Drop(String),
    /// Dropped, because a plugin is overloaded, for this reason. The client repeats the request.
    Overloaded(String),
}

impl Policy {
    /// Returns the policy of these parts.
    pub fn new(parts: PolicyParts) -> Policy {
        let mut all = std::iter::once(&parts.of_all).chain(parts.of_listeners.values());
        let wants_local = all.any(|chains| chains.plugins().any(|plugin| plugin.wants_local));
        Policy { parts, wants_local }
    }

    /// Returns the warnings for the operator, which do not prevent the policy from running.
    pub fn warnings(&self) -> &[LoadProblem] {
        &self.parts.warnings
    }

    /// Returns its plugins and their components, in the order of the configuration.
    pub fn plugins(&self) -> &[PluginIdentity] {
        &self.parts.identities
    }

    /// Returns whether policy cannot affect a request at this listener: no plugin is in a chain, and the default
    /// allows.
    pub fn is_empty(&self, listener: &str) -> bool {
        let chains = self.of(listener);
        chains.authorize.is_empty()
            && chains.resolve.is_empty()
            && self.parts.default == DefaultVerdict::Allow
    }

    /// Returns whether a plugin wants to know where the requests of a listener arrive: the address, the interface, the
    /// VLAN.
    pub fn wants_local(&self, listener: &str) -> bool {
        self.wants_local && self.of(listener).plugins().any(|plugin| plugin.wants_local)
    }

    /// The chains of a listener.
    pub(super) fn of(&self, listener: &str) -> &Chains {
        self.parts.of_listeners.get(listener).unwrap_or(&self.parts.of_all)
    }

    /// All chains: first those of `policy`.
    pub(super) fn all(&self) -> impl Iterator<Item = &Chains> {
        std::iter::once(&self.parts.of_all).chain(self.parts.of_listeners.values())
    }

    /// Returns what holds where every plugin of `authorize` abstains, in a word.
    pub fn default_word(&self) -> &'static str {
        match self.parts.default {
            DefaultVerdict::Allow => "allow",
            DefaultVerdict::Deny => "deny",
        }
    }

    /// Returns the plugins of all chains of a listener but `observe`, in the order in which requests meet them.
    pub fn chained(&self, listener: &str) -> impl Iterator<Item = Chained> + '_ {
        let its = self.of(listener);
        let chains =
            [("authorize", &its.authorize), ("resolve", &its.resolve), ("accept-upload", &its.accept_upload)];
        chains.into_iter().flat_map(|(hook, chain)| {
            chain.iter().map(move |plugin| Chained {
                hook,
                plugin: Arc::clone(&plugin.name),
                monitored: plugin.monitors,
            })
        })
    }

    /// Returns the time limit of a request, from now on.
    pub fn patience(&self) -> Patience {
        Patience::of(self.parts.time_limit)
    }

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
