//! From the configuration to a loaded policy; its problems shown at their place in the YAML file.

use super::ServeError;
use crate::config::{Config, Grant, PluginConfig};
use crate::policy::{
    CallLimits, Grants, LoadProblem, LoadProblemKind, PluginSpec, Policy, PolicyRuntime, PolicySpec, Reuse,
};
use std::io;

/// Compiles all plugins and lets them check their settings.
///
/// # Errors
/// All problems of all plugins, as errors of the configuration.
pub(crate) async fn load_policy(config: &Config) -> Result<Policy, ServeError> {
    let runtime = PolicyRuntime::new().map_err(|error| {
        ServeError::System("the plugin runtime cannot start", io::Error::other(format!("{error:#}")))
    })?;
    Policy::load(&runtime, &spec(config)).await.map_err(|problems| {
        ServeError::Config(config.error(problems.iter().map(|problem| place(config, problem))))
    })
}

fn spec(config: &Config) -> PolicySpec {
    PolicySpec {
        default: config.policy.default,
        authorize: config.policy.authorize.clone(),
        resolve: config.policy.resolve.clone(),
        plugins: config.policy.plugins.iter().map(plugin).collect(),
        roots: config.roots.iter().map(|root| root.name.clone()).collect(),
    }
}

fn plugin(config: &PluginConfig) -> PluginSpec {
    PluginSpec {
        name: config.name.clone(),
        component: config.component.clone(),
        settings: config.settings.clone(),
        on_error: config.on_error,
        grants: Grants { client_mac: config.grants.contains(&Grant::ClientMac) },
        limits: CallLimits {
            cpu: config.limits.time,
            wall: config.limits.wall,
            memory: config.limits.memory,
            content: config.limits.content,
        },
        reuse: config.reuse.map(|reuse| Reuse { calls: reuse.calls, idle: reuse.idle }),
    }
}

/// Where in the file a problem lies, and what it is.
fn place(config: &Config, problem: &LoadProblem) -> (String, String) {
    let plugin = format!("/plugins/{}", problem.plugin.replace('~', "~0").replace('/', "~1"));
    let pointer = match problem.kind {
        LoadProblemKind::Settings => {
            let settings = format!("{plugin}/settings");
            if config.position(&settings).is_some() {
                settings + problem.pointer.as_deref().unwrap_or_default()
            } else {
                plugin
            }
        }
        _ => format!("{plugin}/component"),
    };
    (pointer, format!("plugin `{}`: {}", problem.plugin, problem.message))
}
