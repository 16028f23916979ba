//! Creates the chain member of a loaded plugin.

use std::sync::Arc;

use super::engine::PolicyRuntime;
use super::plugin::Plugin;
use tuffet_config::{PluginConfig, PluginMode};
use tuffet_policy::{Answer, DecisionCache, Hooks, Member, Renderings};

/// Returns the plugin as a member of chains, with the configured guards.
pub(super) fn member(
    runtime: &PolicyRuntime,
    spec: &PluginConfig,
    ipv6_prefix: u8,
    plugin: &Arc<Plugin>,
) -> Member {
    Member {
        name: Arc::clone(&plugin.name),
        noun: "plugin",
        hooks: hooks(plugin),
        on_error: spec.on_error,
        monitors: spec.mode == PluginMode::Monitor,
        wall: spec.limits.wall,
        is_guarded: false,
        sources: None,
        ipv6_prefix,
        wants_local: plugin.access.facts.any_of_arrival(),
        judges_paths: plugin.judges_paths,
        breaker: Arc::clone(&plugin.breaker),
        turns: Some(Arc::clone(&plugin.turns) as _),
        overload: Arc::default(),
        counters: runtime.counters_of(&spec.name),
        log_rate: Arc::clone(&plugin.access.notes),
        verdicts: decisions(spec, plugin),
        resolutions: decisions(spec, plugin),
        renderings: Renderings::new(spec.limits.renderings, spec.limits.parts),
    }
}

fn hooks(plugin: &Arc<Plugin>) -> Hooks {
    let its = || Arc::clone(plugin);
    Hooks {
        authorize: plugin.authorize.as_ref().map(|_| its() as _),
        resolve: plugin.resolve.as_ref().map(|_| its() as _),
        // A plugin that cannot make a rendering reports that itself.
        render: Some(its() as _),
        accept_upload: plugin.accept_upload.as_ref().map(|_| its() as _),
        observe: plugin.observe.as_ref().map(|_| its() as _),
    }
}

/// Returns the decision cache of a hook: the configured one, or one for decisions that depend only on declared facts.
fn decisions<A: Answer>(spec: &PluginConfig, plugin: &Plugin) -> Option<DecisionCache<A>> {
    let configured =
        spec.cache.as_ref().map(|cache| DecisionCache::configured(&cache.key, cache.ttl, cache.entries));
    configured.or_else(|| plugin.depends_on.as_deref().map(DecisionCache::declared))
}
