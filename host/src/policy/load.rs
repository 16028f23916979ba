//! From a plugin's specification to a plugin that can be called.

use std::borrow::Cow;
use std::fs;
use std::sync::Arc;

use tokio::sync::Semaphore;
use wasmtime::Engine;
use wasmtime::component::{Component, InstancePre};

use super::bindings::VERSION;
use super::bindings::exports::tuffet::policy::{accept_upload, authorize, lifecycle, observe, resolve};
use super::builtin;
use super::engine::PolicyRuntime;
use super::failure::{Cause, Failure};
use super::kept::Kept;
use super::plugin::{MAX_CALLS, Plugin};
use super::sandbox::Sandbox;
use super::spec::{LoadProblem, LoadProblemKind, PluginSpec};
use super::text;
use crate::config::ComponentSource;

/// Reads, compiles and links a plugin and lets it check its settings. Compiling takes milliseconds to
/// seconds and is done off the async threads.
pub(super) async fn load(runtime: &PolicyRuntime, spec: &PluginSpec) -> Result<Plugin, Vec<LoadProblem>> {
    let (its_runtime, its_spec) = (runtime.clone(), spec.clone());
    let compiled = tokio::task::spawn_blocking(move || compile(&its_runtime, &its_spec)).await;
    let plugin = compiled.unwrap_or_else(|panicked| {
        let message = format!("the compiler failed, please report it with the component: {panicked}");
        Err(problem(spec, LoadProblemKind::NotAComponent, message))
    });
    let plugin = plugin.map_err(|problem| vec![problem])?;
    match plugin.check().await {
        Ok(()) => Ok(plugin),
        Err(failure) => Err(explain(spec, failure)),
    }
}

fn compile(runtime: &PolicyRuntime, spec: &PluginSpec) -> Result<Plugin, LoadProblem> {
    let shared = runtime.shared();
    let component = match &spec.component {
        ComponentSource::Builtin(name) => Cow::Borrowed(builtin::component(name).ok_or_else(|| {
            let known = builtin::names().map(|name| format!("builtin:{name}")).collect::<Vec<_>>().join(", ");
            problem(
                spec,
                LoadProblemKind::Unreadable,
                format!("there is no builtin:{name}: there are {known}"),
            )
        })?),
        ComponentSource::Path(path) => Cow::Owned(fs::read(path).map_err(|error| {
            problem(spec, LoadProblemKind::Unreadable, format!("cannot read {}: {error}", path.display()))
        })?),
    };
    check_kind(&component).map_err(|message| problem(spec, LoadProblemKind::NotAComponent, message))?;
    let compile = || Component::from_binary(&shared.engine, &component);
    let component = shared.compiled.get(&component, compile).map_err(|error| {
        let message = format!("the component cannot be compiled: {}", text::reason(&format!("{error:#}")));
        problem(spec, LoadProblemKind::NotAComponent, message)
    })?;
    let pre = shared.linker.instantiate_pre(&component).map_err(|error| {
        problem(spec, LoadProblemKind::Import, explain_imports(&shared.engine, &component, &error))
    })?;
    let Ok(lifecycle) = lifecycle::GuestIndices::new(&pre) else {
        return Err(problem(spec, LoadProblemKind::Export, explain_exports(&pre, "lifecycle")));
    };
    Ok(Plugin {
        name: Arc::from(spec.name.as_str()),
        on_error: spec.on_error,
        grants: spec.grants,
        limits: spec.limits,
        calls: Semaphore::new(MAX_CALLS),
        kept: spec.reuse.map(|reuse| Kept::new(reuse, Arc::clone(&shared.kept))),
        runtime: runtime.clone(),
        settings: spec.settings.to_string(),
        lifecycle,
        authorize: authorize::GuestIndices::new(&pre).ok(),
        resolve: resolve::GuestIndices::new(&pre).ok(),
        accept_upload: accept_upload::GuestIndices::new(&pre).ok(),
        observe: observe::GuestIndices::new(&pre).ok(),
        component: pre,
    })
}

/// Why a plugin that loaded cannot be in the chain of this hook.
pub(super) fn missing_hook(plugin: &Plugin, hook: &str) -> LoadProblem {
    LoadProblem {
        plugin: plugin.name.to_string(),
        kind: LoadProblemKind::Export,
        pointer: None,
        message: explain_exports(&plugin.component, hook),
    }
}

/// The first eight bytes of a binary tell a component from a core module.
fn check_kind(binary: &[u8]) -> Result<(), String> {
    match binary {
        [0, b'a', b's', b'm', 0x0d, 0, 1, 0, ..] => Ok(()),
        [0, b'a', b's', b'm', 1, 0, 0, 0, ..] => Err(
            "it is a core WebAssembly module, not a component: build it for wasm32-wasip2, or wrap it with \
                 `wasm-tools component new`"
                .into(),
        ),
        [0, b'a', b's', b'm', ..] => {
            Err("it is WebAssembly of a version that this server does not know: build it for wasm32-wasip2"
                .into())
        }
        _ => Err("it is not WebAssembly: a plugin is a component, built for wasm32-wasip2".into()),
    }
}

fn explain_imports(engine: &Engine, component: &Component, error: &wasmtime::Error) -> String {
    let ty = component.component_type();
    let provided = format!("tuffet:policy@{VERSION} and WASI 0.2");
    for (name, _) in ty.imports(engine) {
        if let Some(version) = name.strip_prefix("tuffet:policy/").and_then(|name| name.split('@').nth(1))
            && version != VERSION
        {
            return format!(
                "it was built for tuffet:policy@{version} and this server has {VERSION}: rebuild it with the SDK \
                 of this server"
            );
        }
        if !name.starts_with("wasi:") && !name.starts_with("tuffet:policy/") {
            return format!(
                "it imports {name}, and this server provides {provided} alone: rebuild it without, or link \
                 what it needs into it"
            );
        }
    }
    let error = text::reason(&format!("{error:#}"));
    format!("it imports what this server does not provide ({provided}): {error}")
}

fn explain_exports(pre: &InstancePre<Sandbox>, hook: &str) -> String {
    let component = pre.component();
    let ty = component.component_type();
    let exports: Vec<&str> = ty.exports(component.engine()).map(|(name, _)| name).collect();
    let wanted = format!("tuffet:policy/{hook}@");
    if let Some(version) = exports.iter().find_map(|name| name.strip_prefix(&wanted)) {
        return format!(
            "it exports tuffet:policy/{hook}@{version} and this server asks for {VERSION}, as in its \
             sdk/wit/policy.wit: rebuild it with the SDK of this server"
        );
    }
    let exports = if exports.is_empty() { "nothing".into() } else { exports.join(", ") };
    let remedy = match hook {
        "lifecycle" => "every plugin exports it, the SDK does it for you".to_string(),
        hook => format!("take it out of policy.{hook}, or implement the hook"),
    };
    format!("it does not export tuffet:policy/{hook}@{VERSION} but {exports}: {remedy}")
}

fn explain(spec: &PluginSpec, failure: Failure) -> Vec<LoadProblem> {
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

fn problem(spec: &PluginSpec, kind: LoadProblemKind, message: String) -> LoadProblem {
    LoadProblem { plugin: spec.name.clone(), kind, pointer: None, message }
}
