//! Chains: plugins in order, and the combination of their verdicts.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;

use super::ask::{Overloaded, Patience};
use super::code_cache::CodeCache;
use super::convert::{self, Found, Opinion, Otherwise, Selection, Target};
use super::engine::PolicyRuntime;
use super::identity::PluginIdentity;
use super::load::load;
use super::load_problems::missing_hook;
use super::monitor;
use super::plugin::Plugin;
use super::renderings::PluginContent;
use super::spec::{LoadProblem, LoadProblemKind, PolicySpec};
use tuffet_config::{DefaultVerdict, ListenerChains};
use tuffet_request::{Denial, ErrorCode, Request, SessionProfile};

/// A loaded policy. All requests of one generation are judged by the same one.
pub struct Policy {
    default: DefaultVerdict,
    /// The chains of the section `policy`.
    pub(super) of_all: Chains,
    /// Those of listeners with a chain of their own, by name.
    pub(super) of_listeners: HashMap<String, Chains>,
    roots: Arc<[String]>,
    pub(super) time_limit: Duration,
    /// Whether any plugin wants to know where requests arrive.
    wants_local: bool,
    warnings: Vec<LoadProblem>,
    identities: Vec<PluginIdentity>,
}

/// The chains of a listener. Plugins are loaded once, whatever chains they are in.
pub(super) struct Chains {
    pub(super) authorize: Vec<Arc<Plugin>>,
    pub(super) resolve: Vec<Arc<Plugin>>,
    pub(super) accept_upload: Vec<Arc<Plugin>>,
    pub(super) observe: Vec<Arc<Plugin>>,
}

impl Chains {
    fn plugins(&self) -> impl Iterator<Item = &Arc<Plugin>> {
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
    /// Loads every plugin of the specification and lets it check its settings.
    ///
    /// # Errors
    /// All problems of all plugins.
    pub async fn load(runtime: &PolicyRuntime, spec: &PolicySpec) -> Result<Policy, Vec<LoadProblem>> {
        let config = &spec.config;
        let mut plugins = Vec::new();
        let mut problems = Vec::new();
        runtime.with_code_cache(CodeCache::verify).await;
        let loaded = join_all(config.plugins.iter().map(|plugin| load(runtime, spec, plugin))).await;
        runtime.with_code_cache(CodeCache::seal).await;
        for loaded in loaded {
            match loaded {
                Ok(plugin) => plugins.push(Arc::new(plugin)),
                Err(its) => problems.extend(its),
            }
        }
        let mut chain = |hook, names: &[String], has_hook: fn(&Plugin) -> bool| {
            let mut chain = Vec::new();
            for name in names {
                match plugins.iter().find(|plugin| *plugin.name == **name) {
                    Some(plugin) if has_hook(plugin) => chain.push(Arc::clone(plugin)),
                    Some(plugin) => problems.push(missing_hook(plugin, hook)),
                    None if config.plugins.iter().any(|plugin| plugin.name == *name) => {} // reported above
                    None => problems.push(LoadProblem {
                        plugin: name.clone(),
                        kind: LoadProblemKind::UnknownPlugin,
                        pointer: None,
                        message: format!(
                            "policy.{hook} names it, and plugins does not have it: add it there"
                        ),
                    }),
                }
            }
            chain
        };
        let mut chains = |[authorize, resolve, accept_upload, observe]: [Vec<String>; 4]| Chains {
            authorize: chain("authorize", &authorize, |plugin| plugin.authorize.is_some()),
            resolve: chain("resolve", &resolve, |plugin| plugin.resolve.is_some()),
            accept_upload: chain("accept-upload", &accept_upload, |plugin| plugin.accept_upload.is_some()),
            observe: chain("observe", &observe, |plugin| plugin.observe.is_some()),
        };
        let of_all = chains(config.chains_of(&ListenerChains::default()));
        let of_listeners =
            config.listeners.iter().map(|(name, own)| (name.clone(), chains(config.chains_of(own))));
        let of_listeners = of_listeners.collect();
        problems.dedup();
        if !problems.is_empty() {
            problems.iter().for_each(|problem| runtime.counters_of(&problem.plugin).unloadable(problem));
            return Err(problems);
        }
        let warnings = plugins.iter().flat_map(|plugin| warnings_of(plugin)).collect();
        let identities = plugins.iter().map(|plugin| plugin.identity.clone()).collect();
        let wants_local = plugins.iter().any(|plugin| plugin.access.facts.any_of_arrival());
        let (roots, time_limit) = (spec.served_roots().into(), config.time_limit);
        Ok(Policy {
            default: config.default,
            of_all,
            of_listeners,
            roots,
            time_limit,
            wants_local,
            warnings,
            identities,
        })
    }

    /// Returns the first plugin of the `authorize` chain.
    #[cfg(test)]
    pub(super) fn first(&self) -> &Plugin {
        &self.of_all.authorize[0]
    }

    /// Returns the warnings for the operator, which do not prevent the policy from running.
    pub fn warnings(&self) -> &[LoadProblem] {
        &self.warnings
    }

    /// Returns its plugins and their components, in the order of the configuration.
    pub fn plugins(&self) -> &[PluginIdentity] {
        &self.identities
    }

    /// Returns whether policy cannot affect a request at this listener: no plugin is in a chain, and the default
    /// allows.
    pub fn is_empty(&self, listener: &str) -> bool {
        let chains = self.of(listener);
        chains.authorize.is_empty() && chains.resolve.is_empty() && self.default == DefaultVerdict::Allow
    }

    /// Returns whether a plugin wants to know where the requests of a listener arrive: the address, the interface, the
    /// VLAN.
    pub fn wants_local(&self, listener: &str) -> bool {
        self.wants_local && self.of(listener).plugins().any(|plugin| plugin.access.facts.any_of_arrival())
    }

    /// The chains of a listener.
    pub(super) fn of(&self, listener: &str) -> &Chains {
        self.of_listeners.get(listener).unwrap_or(&self.of_all)
    }

    /// All chains: first those of `policy`.
    pub(super) fn all(&self) -> impl Iterator<Item = &Chains> {
        std::iter::once(&self.of_all).chain(self.of_listeners.values())
    }

    /// Returns what holds where every plugin of `authorize` abstains, in a word.
    pub fn default_word(&self) -> &'static str {
        match self.default {
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
        Patience::of(self.time_limit)
    }

    /// Calls the `authorize` chain: the first deny or drop ends it, the ceilings of several allows combine to
    /// the lowest, and if all abstain the default decides.
    pub async fn authorize(&self, request: &Request, patience: Patience) -> Authorization {
        let mut inputs = convert::Inputs::new(request);
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
            let verdict = match plugin.verdict(request, &mut inputs, patience).await {
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
        match (allowed, self.default) {
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
    #[cfg(test)]
    pub(super) async fn resolve(&self, request: &Request, patience: Patience) -> Resolution {
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
        let mut inputs = convert::Inputs::new(request);
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
                if let Some(call) = monitor::resolve(plugin, request, &self.roots) {
                    call.await;
                }
                continue;
            }
            calls += 1;
            let (mut next, mut made) = (None, None);
            let answer = match plugin.resolution(request, &mut inputs, &self.roots, patience).await {
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
    plugin: &Arc<Plugin>,
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

/// Returns the warnings about a plugin for the operator.
pub(super) fn warnings_of(plugin: &Plugin) -> impl Iterator<Item = LoadProblem> + '_ {
    plugin.warnings.iter().map(|(kind, warning)| LoadProblem {
        plugin: plugin.name.to_string(),
        kind: *kind,
        pointer: None,
        message: warning.clone(),
    })
}
