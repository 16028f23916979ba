//! Explains why a plugin cannot be loaded, with the remedy.

use wasmtime::Engine;
use wasmtime::component::{Component, InstancePre};

use super::bindings::{self, PROVIDED};
use super::plugin::Plugin;
use super::sandbox::Sandbox;
use super::type_check;
use tuffet_config::PluginConfig;
use tuffet_policy::{Cause, Failure, LoadProblem, LoadProblemKind, text};

/// Explains why a loaded plugin cannot be in the chain of this hook.
pub(super) fn missing_hook(plugin: &Plugin, hook: &'static str) -> LoadProblem {
    LoadProblem {
        plugin: plugin.name.to_string(),
        kind: LoadProblemKind::Hook(hook),
        pointer: None,
        message: explain_exports(&plugin.code.component, hook),
    }
}

/// Explains why a component cannot be linked.
pub(super) fn explain_imports(engine: &Engine, component: &Component, error: &wasmtime::Error) -> String {
    let ty = component.component_type();
    let provided = format!("tuffet:policy@{PROVIDED} and WASI 0.2");
    for (name, _) in ty.imports(engine) {
        if let Some(version) = name.strip_prefix("tuffet:policy/").and_then(|name| name.split('@').nth(1))
            && !bindings::is_compatible(version)
        {
            return of_another_version(version);
        }
        if let Some(version) = name.strip_prefix("wasi:").and_then(|name| name.split('@').nth(1))
            && !version.starts_with("0.2.")
        {
            return format!(
                "it was built for WASI {version} ({name}) and this server provides WASI 0.2: build it for wasm32-wasip2"
            );
        }
        if !name.starts_with("wasi:") && !name.starts_with("tuffet:policy/") {
            return format!(
                "it imports {name}, and this server provides {provided} alone: rebuild it without, or link \
                 what it needs into it"
            );
        }
    }
    if let Some(why) = explain_types(engine, component) {
        return why;
    }
    let error = text::reason(&format!("{error:#}"));
    format!("it imports what this server does not provide ({provided}): {error}")
}

/// Names the type that differs in a component of the right version, if one does.
pub(super) fn explain_types(engine: &Engine, component: &Component) -> Option<String> {
    let (interface, name) = type_check::differing(engine, component)?;
    Some(format!(
        "its type `{name}` of tuffet:policy/{interface} is not that of this server, though both call themselves \
         tuffet:policy@{PROVIDED}: build it with the sdk/wit of this server, as it is"
    ))
}

/// Explains that a component was built for another version of the interface.
fn of_another_version(version: &str) -> String {
    format!(
        "it was built for tuffet:policy@{version}, and this server has {PROVIDED}: build it again with the SDK of this \
         server (docs/plugins.md, \"Another version\")"
    )
}

/// Explains why a component lacks the exports of a hook.
pub(super) fn explain_exports(pre: &InstancePre<Sandbox>, hook: &str) -> String {
    let component = pre.component();
    let ty = component.component_type();
    let exports: Vec<&str> = ty.exports(component.engine()).map(|(name, _)| name).collect();
    let wanted = format!("tuffet:policy/{hook}@");
    if let Some(version) = exports.iter().find_map(|name| name.strip_prefix(&wanted)) {
        if let Some(built) =
            bindings::version_of(component.engine(), component).filter(|built| built != version)
        {
            return format!(
                "it exports tuffet:policy/{hook}@{version} beside tuffet:policy/lifecycle@{built}: build all of it for one \
                 version"
            );
        }
        return of_another_version(version);
    }
    if hook == "lifecycle" {
        let exports = if exports.is_empty() { "nothing".into() } else { exports.join(", ") };
        return format!(
            "it does not export tuffet:policy/{hook}@{PROVIDED} but {exports}: every plugin exports it, the SDK does it for \
             you"
        );
    }
    let hooks = exports.iter().filter_map(|name| name.strip_prefix("tuffet:policy/")?.split('@').next());
    let hooks = hooks.filter(|hook| *hook != "lifecycle");
    let hooks: Vec<String> = hooks.map(|hook| format!("`{hook}`")).collect();
    let hooks = if hooks.is_empty() { "none".into() } else { hooks.join(", ") };
    format!(
        "it does not have the hook `{hook}`, which the chain policy.{hook} calls; its hooks: {hooks}. Take it out of \
         policy.{hook}, or implement the hook"
    )
}

/// Returns the problems of a plugin that could not be configured.
pub(super) fn explain(spec: &PluginConfig, failure: Failure) -> Vec<LoadProblem> {
    let settings = |pointer, message| LoadProblem {
        plugin: spec.name.clone(),
        kind: LoadProblemKind::Settings,
        pointer: Some(pointer),
        message,
    };
    match failure.cause {
        Cause::Settings if failure.problems.is_empty() => {
            vec![settings(String::new(), "it refuses them and does not say why".into())]
        }
        Cause::Settings => failure
            .problems
            .into_iter()
            .map(|problem| settings(problem.pointer, text::reason(&problem.message)))
            .collect(),
        _ => vec![problem(
            spec,
            LoadProblemKind::Failed,
            format!("it failed while it was configured: {failure}"),
        )],
    }
}

/// Creates a problem of the plugin as a whole.
pub(super) fn problem(spec: &PluginConfig, kind: LoadProblemKind, message: String) -> LoadProblem {
    LoadProblem { plugin: spec.name.clone(), kind, pointer: None, message }
}
