//! Locates the problem of a plugin in the configuration.

use tuffet_config::{Config, Finding, join_pointer};
use tuffet_policy::{LoadProblem, LoadProblemKind};

/// Returns the problem with its JSON pointer in this configuration.
pub fn locate_in_config(problem: &LoadProblem, config: &Config) -> Finding {
    let message = format!("plugin `{}`: {}", problem.plugin, problem.message);
    if problem.kind == LoadProblemKind::UnknownSetting {
        return Finding::key(pointer(problem, config), message);
    }
    Finding::value(pointer(problem, config), message)
}

fn pointer(problem: &LoadProblem, config: &Config) -> String {
    let plugin = join_pointer("/plugins", &problem.plugin);
    match problem.kind {
        LoadProblemKind::Settings | LoadProblemKind::UnknownSetting => {
            pointer_of_settings(problem, config, plugin)
        }
        LoadProblemKind::Grant | LoadProblemKind::Sink
            if config.position(&format!("{plugin}/grants")).is_some() =>
        {
            format!("{plugin}/grants")
        }
        LoadProblemKind::Digest => format!("{plugin}/sha256"),
        LoadProblemKind::Hook(hook) => {
            pointer_in_chain(problem, config, hook).unwrap_or_else(|| format!("{plugin}/component"))
        }
        _ => format!("{plugin}/component"),
    }
}

/// Returns the pointer into the settings, or to the secret whose value is there.
fn pointer_of_settings(problem: &LoadProblem, config: &Config, plugin: String) -> String {
    let settings = format!("{plugin}/settings");
    let spec = config.policy.plugins.iter().find(|spec| spec.name == problem.plugin);
    let secret = spec.and_then(|spec| spec.secrets.name_of(problem.pointer.as_deref()?));
    if let Some(name) = secret {
        join_pointer(&format!("{plugin}/secrets"), name)
    } else if config.position(&settings).is_some() {
        settings + problem.pointer.as_deref().unwrap_or_default()
    } else {
        plugin
    }
}

/// Returns the pointer into the chain of a hook: the server's chain, else that of a listener.
fn pointer_in_chain(problem: &LoadProblem, config: &Config, hook: &str) -> Option<String> {
    let policy = &config.policy;
    let chain = match hook {
        "authorize" => &policy.authorize,
        "resolve" => &policy.resolve,
        "accept-upload" => &policy.accept_upload,
        _ => &policy.observe,
    };
    let index_in = |chain: &[String]| chain.iter().position(|name| *name == problem.plugin);
    if let Some(index) = index_in(chain) {
        return Some(format!("/policy/{hook}/{index}"));
    }
    config.settings.listeners.iter().enumerate().find_map(|(number, listener)| {
        let (_, chain) = policy.own_chains(&listener.name)?.written().find(|(key, _)| *key == hook)?;
        Some(format!("/listeners/{number}/policy/{hook}/{}", index_in(chain)?))
    })
}
