//! Loads a plugin from its specification.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use wasmtime::Engine;
use wasmtime::component::{Component, InstancePre};

use super::ahead::Ahead;
use super::bindings::Version;
use super::breaker::Breaker;
use super::builtin;
use super::code::Code;
use super::decisions::{Decisions, Weighty};
use super::engine::PolicyRuntime;
use super::failure::{Cause, Failure};
use super::grants::{self, Judged, Known};
use super::hooks::{accept_upload, authorize, lifecycle, resolve};
use super::identity::PluginIdentity;
use super::imports::{Access, HostCalls, Keys, Live, Staged, StagedKeys, StoredKeys, Unsent};
use super::line_rate::LineRate;
use super::manifest::Manifest;
use super::plugin::Plugin;
use super::pool::Pool;
use super::sandbox::Sandbox;
use super::spec::{LoadProblem, LoadProblemKind, PolicySpec};
use super::text;
use super::turns::Turns;
use super::wit_events as observe;
use crate::kv::{self, KvOpenError, KvPlace, Namespace, Quota};
use crate::registry::{MAX_COMPONENT, Pulled};
use tuffet_config::{ComponentSource, Fact, Grant, PluginConfig, PluginMode, ReuseConfig, Sha256Digest};

/// How long an idle instance waits where its plugin says that it may be reused, and the configuration nothing.
const DECLARED_IDLE: Duration = Duration::from_secs(30);

/// Pulls, reads, compiles and links a plugin and lets it check its settings. Compiling takes milliseconds to
/// seconds and is done off the async threads.
pub(super) async fn load(
    runtime: &PolicyRuntime,
    policy: &PolicySpec,
    spec: &PluginConfig,
) -> Result<Plugin, Vec<LoadProblem>> {
    let pulled = match &spec.component {
        ComponentSource::Registry(reference) => {
            let pulled = policy.registries.fetch(reference, spec.verify.as_ref()).await;
            Some(pulled.map_err(|message| vec![problem(spec, LoadProblemKind::Unreadable, message)])?)
        }
        ComponentSource::Builtin(_) | ComponentSource::Path(_) => None,
    };
    let (its_runtime, its_policy, its_spec) = (runtime.clone(), policy.clone(), spec.clone());
    let compile = move || compile(&its_runtime, &its_policy, &its_spec, pulled);
    let compiled = tokio::task::spawn_blocking(compile).await;
    let plugin = compiled.unwrap_or_else(|panicked| {
        let message = format!("the compiler failed, please report it with the component: {panicked}");
        Err(vec![problem(spec, LoadProblemKind::NotAComponent, message)])
    });
    let plugin = plugin?;
    match plugin.check().await {
        Ok(()) => Ok(plugin),
        Err(failure) => Err(explain(spec, failure)),
    }
}

fn compile(
    runtime: &PolicyRuntime,
    policy: &PolicySpec,
    spec: &PluginConfig,
    pulled: Option<Pulled>,
) -> Result<Plugin, Vec<LoadProblem>> {
    let shared = runtime.shared();
    let one = |kind, message| vec![problem(spec, kind, message)];
    let binary = match &pulled {
        Some(pulled) => Cow::Borrowed(&pulled.component[..]),
        None => read(&spec.component).map_err(|message| one(LoadProblemKind::Unreadable, message))?,
    };
    if let Some(pinned) = spec.sha256.as_ref().filter(|pinned| Sha256Digest::of(&binary) != **pinned) {
        let message = format!(
            "the component {} has the digest {}, and `sha256` pins {pinned}; deploy the pinned one, or pin this one",
            spec.component,
            Sha256Digest::of(&binary)
        );
        return Err(one(LoadProblemKind::Digest, message));
    }
    check_kind(&binary).map_err(|message| one(LoadProblemKind::NotAComponent, message))?;
    let compile = || Component::from_binary(&shared.engine, &binary);
    let component = shared.compiled.get(&binary, compile).map_err(|error| {
        let message = format!("the component cannot be compiled: {}", text::reason(&format!("{error:#}")));
        one(LoadProblemKind::NotAComponent, message)
    })?;
    let pre = shared
        .linker
        .instantiate_pre(&component)
        .map_err(|error| one(LoadProblemKind::Import, explain_imports(&shared.engine, &component, &error)))?;
    let version = Version::of(&shared.engine, &component);
    let lifecycle = version.and_then(|version| lifecycle::GuestIndices::new(&pre, version).ok());
    let Some((version, lifecycle)) = version.zip(lifecycle) else {
        return Err(one(LoadProblemKind::Export, explain_exports(&pre, "lifecycle")));
    };
    let manifest = Manifest::of(&binary).map_err(|message| one(LoadProblemKind::NotAComponent, message))?;
    let judged = judge(runtime, policy, spec, &component, &manifest)?;
    let name: Arc<str> = Arc::from(spec.name.as_str());
    let access = Arc::new(access(runtime, policy, spec, &judged)?);
    let reuse = match spec.reuse {
        None => manifest.reuse.then_some(ReuseConfig { calls: u32::MAX, idle: DECLARED_IDLE }),
        Some(reuse) => Some(reuse).filter(|reuse| reuse.calls > 1),
    };
    let pool = reuse.map(|reuse| Pool::new(spec.limits.instances, reuse.idle, Arc::clone(&shared.kept)));
    let facts = manifest.depends_on.as_deref().filter(|_| reuse.is_some() && is_pure(&judged.granted));
    let of_grants = judged.warnings.into_iter().map(|warning| (LoadProblemKind::Grant, warning));
    let of_pull = pulled.iter().flat_map(|pulled| &pulled.warnings);
    let warnings = of_grants.chain(of_pull.map(|warning| (LoadProblemKind::Unreadable, warning.clone())));
    Ok(Plugin {
        identity: PluginIdentity::of(spec, &manifest, &binary, pulled.as_ref()),
        on_error: spec.on_error,
        warnings: warnings.collect(),
        limits: spec.limits,
        turns: Turns::new(
            spec.limits.instances,
            spec.limits.queue,
            Arc::clone(&runtime.shared().slices),
            pool,
        ),
        ahead: (reuse.is_none() && policy.live && is_timeless(&judged.granted))
            .then(|| Ahead::new(Arc::clone(&shared.kept))),
        reuse: reuse.map(|reuse| reuse.calls),
        ipv6_prefix: policy.ipv6_prefix,
        overload: Arc::default(),
        breaker: Breaker::new(spec.breaker),
        counters: runtime.counters_of(&spec.name),
        monitors: spec.mode == PluginMode::Monitor,
        verdicts: decisions(spec, facts),
        resolutions: decisions(spec, facts),
        authorize: authorize::GuestIndices::new(&pre, version).ok(),
        resolve: resolve::GuestIndices::new(&pre, version).ok(),
        accept_upload: accept_upload::GuestIndices::new(&pre, version).ok(),
        observe: observe::GuestIndices::new(&pre, version).ok(),
        wants: manifest.wants(),
        code: Arc::new(Code {
            name: Arc::clone(&name),
            access: Arc::clone(&access),
            limits: spec.limits,
            runtime: runtime.clone(),
            settings: spec.settings.to_string(),
            component: pre,
            version,
            lifecycle,
        }),
        name,
        access,
    })
}

/// Whether these grants let a plugin see nothing but its settings and requests, and have no effects.
fn is_pure(granted: &[Grant]) -> bool {
    granted.iter().all(|grant| *grant == Grant::ClientMac)
}

/// Whether `configure` comes to the same at any time. It may read files and the clock where they are granted.
fn is_timeless(granted: &[Grant]) -> bool {
    granted.iter().all(|grant| !matches!(grant, Grant::Files(_) | Grant::Clock))
}

/// The decision cache of a hook: the configured one, or one for decisions that depend on `facts` alone.
fn decisions<O: Weighty + Clone>(spec: &PluginConfig, facts: Option<&[Fact]>) -> Option<Decisions<O>> {
    let configured = spec.cache.as_ref().map(Decisions::configured);
    configured.or_else(|| facts.map(Decisions::declared))
}

pub(super) fn read(source: &ComponentSource) -> Result<Cow<'static, [u8]>, String> {
    match source {
        ComponentSource::Builtin(name) => builtin::component(name).map(Cow::Borrowed).ok_or_else(|| {
            let known = builtin::names().map(|name| format!("builtin:{name}")).collect::<Vec<_>>().join(", ");
            format!("there is no builtin:{name}: there are {known}")
        }),
        ComponentSource::Path(path) => read_file(path).map(Cow::Owned),
        ComponentSource::Registry(reference) => Err(format!("{reference} has not been pulled")),
    }
}

/// Reads a component. What is not a regular file may have no end, or never begin.
fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    let shown = path.display();
    let unreadable = |error: io::Error| format!("cannot read {shown}: {error}");
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty()).map_err(|error| unreadable(error.into()))?;
    let file = fs::File::from(file);
    let about = file.metadata().map_err(unreadable)?;
    if !about.is_file() {
        return Err(format!("{shown} is not a file; name the file of the component"));
    }
    let mut binary = Vec::new();
    file.take(MAX_COMPONENT + 1).read_to_end(&mut binary).map_err(unreadable)?;
    if binary.len() as u64 > MAX_COMPONENT {
        return Err(format!(
            "{shown} has {} bytes, and a component has at most {MAX_COMPONENT}; check that it is one",
            about.len()
        ));
    }
    Ok(binary)
}

/// Compares what the component imports and asks for with what it is granted.
fn judge(
    runtime: &PolicyRuntime,
    policy: &PolicySpec,
    spec: &PluginConfig,
    component: &Component,
    manifest: &Manifest,
) -> Result<Judged, Vec<LoadProblem>> {
    let ty = component.component_type();
    let imports: Vec<&str> = ty.imports(&runtime.shared().engine).map(|(name, _)| name).collect();
    let sinks: Vec<String> = policy.sinks.iter().map(|sink| sink.name.clone()).collect();
    let known = Known { roots: &policy.roots, sinks: &sinks };
    let mut judged = grants::judge(&imports, manifest, &spec.grants, &known);
    if judged.problems.is_empty() {
        return Ok(judged);
    }
    let problems = judged.problems.drain(..);
    Err(problems.map(|message| problem(spec, LoadProblemKind::Grant, message)).collect())
}

/// Opens the resources that the plugin is granted; only checks them if the policy is not going to run.
fn access(
    runtime: &PolicyRuntime,
    policy: &PolicySpec,
    spec: &PluginConfig,
    judged: &Judged,
) -> Result<Access, Vec<LoadProblem>> {
    let resources = &runtime.shared().resources;
    let granted = &judged.granted;
    let plugin: Arc<str> = Arc::from(spec.name.as_str());
    let mut access = Access {
        lines: LineRate::own(&plugin),
        notes: LineRate::calls(&plugin),
        plugin,
        client_mac: granted.contains(&Grant::ClientMac),
        clock: granted.contains(&Grant::Clock),
        random: granted.contains(&Grant::Random),
        upload: granted.contains(&Grant::Upload),
        metrics: granted.contains(&Grant::Metrics).then(|| match &policy.stage {
            Some(stage) => stage.series(),
            None => runtime.counters_of(&spec.name).series(),
        }),
        keys: None,
        shared_keys: Vec::new(),
        files: Vec::new(),
        http: Vec::new(),
        sinks: Vec::new(),
        unsent: judged.empty_batches.then(Unsent::new),
        host: host(policy),
    };
    let mut problems = Vec::new();
    for grant in granted {
        match grant {
            Grant::Kv => match keys(runtime, policy, spec, None) {
                Ok(keys) => access.keys = keys,
                Err(error) => problems.push((LoadProblemKind::Grant, error.to_string())),
            },
            Grant::SharedKv(name) => match keys(runtime, policy, spec, Some(name)) {
                Ok(keys) => access.shared_keys.extend(keys.map(|keys| (name.clone(), keys))),
                Err(error) => problems.push((LoadProblemKind::Grant, error.to_string())),
            },
            Grant::Files(root) => access.files.push(root.clone()),
            Grant::Http(host) => access.http.push(host.clone()),
            Grant::Sinks(name) if let Some(stage) = &policy.stage => {
                access.sinks.push((name.clone(), stage.clone()));
            }
            Grant::Sinks(name) if policy.live => {
                let Some(sink) = policy.sinks.iter().find(|sink| sink.name == *name) else { continue };
                match resources.sinks.open(sink) {
                    Ok(open) => access.sinks.push((name.clone(), open)),
                    Err(error) => problems.push((
                        LoadProblemKind::Sink,
                        format!("its sink `{name}` cannot be opened: {error}; let this user write there, or correct the sink"),
                    )),
                }
            }
            Grant::Sinks(_) | Grant::ClientMac | Grant::Clock | Grant::Random => {}
            Grant::Metrics | Grant::Upload => {}
        }
    }
    if problems.is_empty() {
        Ok(access)
    } else {
        Err(problems.into_iter().map(|(kind, message)| problem(spec, kind, message)).collect())
    }
}

/// Opens the plugin's own keys, or those of a namespace that it shares; `None` if the policy is not going to run.
fn keys(
    runtime: &PolicyRuntime,
    policy: &PolicySpec,
    spec: &PluginConfig,
    shared: Option<&str>,
) -> Result<Option<Arc<dyn Keys>>, KvOpenError> {
    if let Some(stage) = &policy.stage {
        return Ok(Some(Arc::new(StagedKeys { stage: stage.clone(), namespace: shared.map(str::to_owned) })));
    }
    if policy.live {
        let store = runtime.shared().resources.store(&place_of_keys(policy))?;
        let namespace = namespace(policy, spec, shared);
        store.join(&namespace);
        return Ok(Some(Arc::new(StoredKeys { store, namespace })));
    }
    if policy.kv.is_none() {
        kv::usable(&policy.state)?;
    }
    Ok(None)
}

fn place_of_keys(policy: &PolicySpec) -> KvPlace {
    match &policy.kv {
        Some(bucket) => KvPlace::Bucket(bucket.clone()),
        None => KvPlace::Folder(policy.state.clone()),
    }
}

fn namespace(policy: &PolicySpec, spec: &PluginConfig, shared: Option<&str>) -> Namespace {
    // No plugin has a name with a slash.
    let name = shared.map_or_else(|| spec.name.clone(), |shared| format!("shared/{shared}"));
    let usual = || policy.kv.as_ref().map(|bucket| bucket.when_away).unwrap_or_default();
    Namespace {
        name: Arc::from(name),
        quota: Quota::from(&spec.limits),
        when_away: spec.when_away.unwrap_or_else(usual),
    }
}

/// The implementation of the plugin's host calls.
fn host(policy: &PolicySpec) -> Box<dyn HostCalls> {
    let live = Live { roots: policy.open_roots.clone() };
    match &policy.stage {
        None => Box::new(live),
        Some(stage) => Box::new(Staged { stage: stage.clone(), world: live }),
    }
}

/// Why a plugin that loaded cannot be in the chain of this hook.
pub(super) fn missing_hook(plugin: &Plugin, hook: &'static str) -> LoadProblem {
    LoadProblem {
        plugin: plugin.name.to_string(),
        kind: LoadProblemKind::Hook(hook),
        pointer: None,
        message: explain_exports(&plugin.code.component, hook),
    }
}

/// Checks the first eight bytes, which distinguish a component from a core module.
pub(super) fn check_kind(binary: &[u8]) -> Result<(), String> {
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
    let provided = format!("tuffet:policy@{} and WASI 0.2", Version::PROVIDED);
    for (name, _) in ty.imports(engine) {
        if let Some(version) = name.strip_prefix("tuffet:policy/").and_then(|name| name.split('@').nth(1))
            && Version::ALL.iter().all(|provided| provided.as_str() != version)
        {
            return format!(
                "it was built for tuffet:policy@{version} and this server has {}: rebuild it with the SDK of this \
                 server",
                Version::PROVIDED
            );
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
    let error = text::reason(&format!("{error:#}"));
    format!("it imports what this server does not provide ({provided}): {error}")
}

fn explain_exports(pre: &InstancePre<Sandbox>, hook: &str) -> String {
    let component = pre.component();
    let ty = component.component_type();
    let exports: Vec<&str> = ty.exports(component.engine()).map(|(name, _)| name).collect();
    let wanted = format!("tuffet:policy/{hook}@");
    if let Some(version) = exports.iter().find_map(|name| name.strip_prefix(&wanted)) {
        if let Some(built) = Version::of(component.engine(), component) {
            return format!(
                "it exports tuffet:policy/{hook}@{version} beside tuffet:policy/lifecycle@{built}: build all of it for one \
                 version"
            );
        }
        return format!(
            "it exports tuffet:policy/{hook}@{version} and this server asks for {}, as in its sdk/wit: rebuild it with \
             the SDK of this server",
            Version::PROVIDED
        );
    }
    if hook == "lifecycle" {
        let exports = if exports.is_empty() { "nothing".into() } else { exports.join(", ") };
        return format!(
            "it does not export tuffet:policy/{hook} ({}) but {exports}: every plugin exports it, the SDK does it for you",
            Version::PROVIDED
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

fn explain(spec: &PluginConfig, failure: Failure) -> Vec<LoadProblem> {
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

fn problem(spec: &PluginConfig, kind: LoadProblemKind, message: String) -> LoadProblem {
    LoadProblem { plugin: spec.name.clone(), kind, pointer: None, message }
}
