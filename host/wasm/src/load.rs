//! Loads a plugin from its specification.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use wasmtime::component::Component;

use super::access::{Access, HostCalls, Keys, Live, Staged, StagedKeys, StoredKeys};
use super::ahead::Ahead;
use super::bindings::{accept_upload, authorize, lifecycle, render, render_parts, resolve};
use super::builtin;
use super::code::Code;
use super::compile;
use super::engine::PolicyRuntime;
use super::facts::Facts;
use super::from_config;
use super::grants::{self, Judged, Known};
use super::identity::identity;
use super::kind::check_kind;
use super::load_problems::{explain, explain_exports, explain_imports, explain_types, problem};
use super::manifest::Manifest;
use super::observe;
use super::plugin::Plugin;
use super::spec::PolicySpec;
use tuffet_config::{ComponentSource, Grant, PluginConfig, ReuseConfig, Sha256Digest};
use tuffet_kv::{self as kv, KvOpenError, KvPlace, Namespace, Quota};
use tuffet_policy::{Breaker, LineRate, LoadProblem, LoadProblemKind, Pool, Turns, Unsent, text};
use tuffet_registry::{MAX_COMPONENT, Pulled};

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
        Err(failure) => {
            let component = plugin.code.component.component();
            let types = explain_types(component.engine(), component);
            Err(types.map_or_else(
                || explain(spec, failure),
                |message| vec![problem(spec, LoadProblemKind::Export, message)],
            ))
        }
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
    let compile = || compile::component(shared, &spec.name, &binary);
    let component = shared.compiled.get(&binary, compile).map_err(|error| {
        let message = format!("the component cannot be compiled: {}", text::reason(&format!("{error:#}")));
        one(LoadProblemKind::NotAComponent, message)
    })?;
    let pre = shared
        .linker
        .instantiate_pre(&component)
        .map_err(|error| one(LoadProblemKind::Import, explain_imports(&shared.engine, &component, &error)))?;
    let Ok(lifecycle) = lifecycle::GuestIndices::new(&pre) else {
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
    let of_pull = of_pull.map(|warning| (LoadProblemKind::Unreadable, warning.clone()));
    let of_cache = spec.cache.iter().flat_map(|cache| manifest.facts_beyond(&cache.key)).map(|fact| {
        let message = format!(
            "its manifest asks for the fact `{fact}`, and `cache.key` does not name it: requests that differ in it get \
             the same decision; add `{fact}` to `key`, unless its decisions do not depend on it"
        );
        (LoadProblemKind::Settings, message)
    });
    let warnings = of_grants.chain(of_pull).chain(of_cache);
    Ok(Plugin {
        identity: identity(spec, &manifest, &binary, pulled.as_ref()),
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
        breaker: Arc::new(Breaker::new(from_config::breaker(&spec.breaker))),
        depends_on: facts.map(|facts| facts.iter().copied().map(from_config::fact).collect()),
        roots: Some(policy.served_roots().into()),
        authorize: authorize::GuestIndices::new(&pre).ok(),
        resolve: resolve::GuestIndices::new(&pre).ok(),
        render: render::GuestIndices::new(&pre).ok(),
        render_parts: render_parts::GuestIndices::new(&pre).ok(),
        accept_upload: accept_upload::GuestIndices::new(&pre).ok(),
        observe: observe::GuestIndices::new(&pre).ok(),
        wants: manifest.wants(),
        code: Arc::new(Code {
            name: Arc::clone(&name),
            access: Arc::clone(&access),
            limits: spec.limits,
            runtime: runtime.clone(),
            settings: spec.secrets.reveal_in(&spec.settings).to_string(),
            secrets: spec.secrets.clone(),
            component: pre,
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
    let (resources, rates) = (&runtime.shared().resources, &runtime.shared().rates);
    let granted = &judged.granted;
    let plugin: Arc<str> = Arc::from(spec.name.as_str());
    let mut access = Access {
        lines: rates.with(LineRate::own(&plugin)),
        notes: rates.with(LineRate::calls(&plugin)),
        plugin,
        client_mac: granted.contains(&Grant::ClientMac),
        facts: Facts::of(&judged.facts, granted.contains(&Grant::ClientMac)),
        client_history: granted.contains(&Grant::ClientHistory),
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
        host: host(runtime, policy, granted),
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
            Grant::Sinks(_) | Grant::ClientHistory | Grant::ClientMac | Grant::Clock | Grant::Random => {}
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
    if let Some(stage) = policy.stage.as_ref().filter(|stage| !stage.stores_keys()) {
        return Ok(Some(Arc::new(StagedKeys { stage: stage.clone(), namespace: shared.map(str::to_owned) })));
    }
    if policy.live || policy.stage.is_some() {
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
fn host(runtime: &PolicyRuntime, policy: &PolicySpec, granted: &[Grant]) -> Box<dyn HostCalls> {
    let remembers = policy.live && granted.contains(&Grant::ClientHistory);
    let history = remembers.then(|| runtime.history().reader());
    let live = Live { roots: policy.open_roots.clone(), history };
    match &policy.stage {
        None => Box::new(live),
        Some(stage) => Box::new(Staged { stage: stage.clone(), world: live }),
    }
}
