//! Loads a policy: its plugins and chains.

use std::sync::Arc;

use futures_util::future::join_all;

use super::code_cache::CodeCache;
use super::engine::PolicyRuntime;
use super::load::load;
use super::load_problems::missing_hook;
use super::member::member;
use super::plugin::Plugin;
use super::spec::PolicySpec;
use tuffet_config::ListenerChains;
use tuffet_policy::{Chains, Hooks, LoadProblem, LoadProblemKind, Member, Policy, PolicyParts};

impl PolicyRuntime {
    /// Loads every plugin of the specification and lets it check its settings.
    ///
    /// # Errors
    /// All problems of all plugins.
    pub async fn load(&self, spec: &PolicySpec) -> Result<Policy, Vec<LoadProblem>> {
        Ok(assemble(self, spec).await?.0)
    }
}

/// Returns the policy, and its plugins with their members.
pub(super) async fn assemble(
    runtime: &PolicyRuntime,
    spec: &PolicySpec,
) -> Result<(Policy, Vec<Loaded>), Vec<LoadProblem>> {
    let config = &spec.config;
    let mut plugins = Vec::new();
    let mut problems = Vec::new();
    runtime.with_code_cache(CodeCache::verify).await;
    let loaded = join_all(
        config
            .plugins
            .iter()
            .map(async |config| load(runtime, spec, config).await.map(|plugin| (plugin, config))),
    )
    .await;
    runtime.with_code_cache(CodeCache::seal).await;
    for loaded in loaded {
        match loaded {
            Ok((plugin, config)) => {
                let plugin = Arc::new(plugin);
                let member = Arc::new(member(runtime, config, spec.ipv6_prefix, &plugin));
                plugins.push((plugin, member));
            }
            Err(more) => problems.extend(more),
        }
    }
    let mut chain = |hook, names: &[String], has_hook: fn(&Hooks) -> bool| {
        let mut chain = Vec::new();
        for name in names {
            match plugins.iter().find(|(plugin, _)| *plugin.name == **name) {
                Some((_, member)) if has_hook(&member.hooks) => chain.push(Arc::clone(member)),
                Some((plugin, _)) => problems.push(missing_hook(plugin, hook)),
                None if config.plugins.iter().any(|plugin| plugin.name == *name) => {} // reported above
                None => problems.push(LoadProblem {
                    plugin: name.clone(),
                    kind: LoadProblemKind::UnknownPlugin,
                    pointer: None,
                    message: format!("policy.{hook} names it, and plugins does not have it: add it there"),
                }),
            }
        }
        chain
    };
    let mut chains = |[authorize, resolve, accept_upload, observe]: [Vec<String>; 4]| Chains {
        authorize: chain("authorize", &authorize, |hooks| hooks.authorize.is_some()),
        resolve: chain("resolve", &resolve, |hooks| hooks.resolve.is_some()),
        accept_upload: chain("accept-upload", &accept_upload, |hooks| hooks.accept_upload.is_some()),
        observe: chain("observe", &observe, |hooks| hooks.observe.is_some()),
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
    let warnings = plugins.iter().flat_map(|(plugin, _)| plugin.warnings()).collect();
    let identities = plugins.iter().map(|(plugin, _)| plugin.identity.clone()).collect();
    let policy = Policy::new(PolicyParts {
        default: config.default,
        of_all,
        of_listeners,
        time_limit: config.time_limit,
        warnings,
        identities,
    });
    Ok((policy, plugins))
}

/// A plugin, and its member in chains.
pub(super) type Loaded = (Arc<Plugin>, Arc<Member>);
