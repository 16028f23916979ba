//! Hooks that no chain calls.

use super::hook::Hook;
use tuffet_config::{ListenerChains, PolicyConfig};
use tuffet_policy::{LoadProblem, LoadProblemKind};

/// Returns a warning for each of these hooks of a plugin that is in no chain, with the remedy.
pub fn unused_hooks(policy: &PolicyConfig, plugin: &str, hooks: &[Hook]) -> Vec<LoadProblem> {
    let unused = hooks.iter().filter(|hook| !is_called(policy, plugin, **hook));
    unused
        .map(|hook| {
            let word = hook.word();
            LoadProblem {
                plugin: plugin.to_owned(),
                kind: LoadProblemKind::Hook(word),
                pointer: None,
                message: format!("its hook `{word}` never runs; add the plugin to `policy.{word}`"),
            }
        })
        .collect()
}

fn is_called(policy: &PolicyConfig, plugin: &str, hook: Hook) -> bool {
    let own = |chains: &'_ ListenerChains| -> Option<Vec<String>> {
        match hook {
            Hook::Authorize => chains.authorize.clone(),
            Hook::Resolve => chains.resolve.clone(),
            Hook::AcceptUpload => chains.accept_upload.clone(),
            Hook::Observe => chains.observe.clone(),
        }
    };
    let common = match hook {
        Hook::Authorize => &policy.authorize,
        Hook::Resolve => &policy.resolve,
        Hook::AcceptUpload => &policy.accept_upload,
        Hook::Observe => &policy.observe,
    };
    let has = |chain: &[String]| chain.iter().any(|name| name == plugin);
    has(common) || policy.listeners.iter().filter_map(|(_, chains)| own(chains)).any(|chain| has(&chain))
}
