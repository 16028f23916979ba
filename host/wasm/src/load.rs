//! Loads a plugin from its specification.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use wasmtime::component::{Component, InstancePre};

use super::access::{READ_CLOCK, UnaskedClock};
use super::answer_values::digest;
use super::bindings::{accept_upload, authorize, lifecycle, render, render_parts, resolve};
use super::code::Code;
use super::compile;
use super::engine::PolicyRuntime;
use super::grants::{self, ConfiguredNames, GrantCheck};
use super::hook::Hook;
use super::kind::check_kind;
use super::load_problems::{explain, explain_exports, explain_imports, explain_types, problem};
use super::manifest::Manifest;
use super::observe;
use super::open_access;
use super::plugin::Plugin;
use super::prepared::PreparedInstances;
use super::read::read;
use super::sandbox::Sandbox;
use super::sections;
use super::settings_schema;
use super::spec::PolicySpec;
use super::unused_hooks::unused_hooks;
use tuffet_config::{ComponentSource, Fact, Grant, GrantKind, PluginConfig, ReuseConfig, Sha256Digest};
use tuffet_kv::check_folder;
use tuffet_policy::{Breaker, LoadProblem, LoadProblemKind, PluginIdentity, Pool, Turns, text};
use tuffet_registry::Pulled;

/// How long instances stay idle if the manifest permits reuse and the configuration does not mention it.
const DECLARED_IDLE: Duration = Duration::from_secs(30);
/// The maximum length of a version, in characters: a manifest may contain anything.
const MAX_VERSION: usize = 60;

/// Pulls, reads, compiles and links a plugin, and lets it check its settings. Compiling takes milliseconds to
/// seconds, on a thread that may block.
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
    let (task_runtime, task_policy, task_spec) = (runtime.clone(), policy.clone(), spec.clone());
    let prepare = move || prepare(&task_runtime, &task_policy, &task_spec, pulled.as_ref());
    let prepared = tokio::task::spawn_blocking(prepare).await;
    let plugin = prepared.unwrap_or_else(|panicked| {
        let message = format!("the compiler failed, please report it with the component: {panicked}");
        Err(vec![problem(spec, LoadProblemKind::NotAComponent, message)])
    });
    let mut plugin = plugin?;
    match plugin.check().await {
        Ok(()) => {
            // The log of a running server has it, and tools of authors say so themselves.
            if !policy.live && policy.stage.is_none() && plugin.access.has_read_unasked_clock() {
                plugin.warnings.push((LoadProblemKind::Grant, READ_CLOCK.to_owned()));
            }
            Ok(plugin)
        }
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

/// Reads, compiles and links a plugin, and opens its granted resources. Blocks.
fn prepare(
    runtime: &PolicyRuntime,
    policy: &PolicySpec,
    spec: &PluginConfig,
    pulled: Option<&Pulled>,
) -> Result<Plugin, Vec<LoadProblem>> {
    let one = |problem| vec![problem];
    let binary = match pulled {
        Some(pulled) => Cow::Borrowed(&pulled.component[..]),
        None => read(&spec.component)
            .map_err(|message| vec![problem(spec, LoadProblemKind::Unreadable, message)])?,
    };
    require_pinned(spec, &binary).map_err(one)?;
    let (component, lifecycle) = link(runtime, spec, &binary).map_err(one)?;
    let manifest = Manifest::of(&binary)
        .map_err(|message| vec![problem(spec, LoadProblemKind::NotAComponent, message)])?;
    let judged = judge(runtime, policy, spec, component.component(), &manifest)?;
    let problems = settings_schema::check(policy, spec, &binary);
    if !problems.is_empty() {
        return Err(problems);
    }
    let clock = unasked_clock(policy, &manifest, &binary);
    let access = Arc::new(open_access::open(runtime, policy, spec, clock, &judged)?);
    let code = Arc::new(Code {
        name: Arc::from(spec.name.as_str()),
        access,
        limits: spec.limits,
        runtime: runtime.clone(),
        settings: spec.secrets.reveal_in(&spec.settings).to_string(),
        component,
        lifecycle,
    });
    let identity = identity(spec, &manifest, &binary, pulled);
    let mut warnings = warnings(spec, &manifest, &judged, pulled);
    let unused = unused(policy, spec, &code.component);
    warnings.extend(unused.into_iter().map(|problem| (problem.kind, problem.message)));
    warnings.extend(without_turns(policy, spec, &judged));
    Ok(plugin(policy, spec, code, &manifest, &judged.granted, (identity, warnings)))
}

/// Returns the report for a plugin that must not read the clock: one whose manifest does not mention it. Go's runtime reads
/// it in each collection, so there it says nothing about the plugin.
fn unasked_clock(policy: &PolicySpec, manifest: &Manifest, binary: &[u8]) -> Option<UnaskedClock> {
    let is_mistake = manifest.grant_request(GrantKind::Clock).is_none() && !sections::is_made_by_go(binary);
    is_mistake.then(|| UnaskedClock::new(policy.live))
}

/// Compares the component with its pinned digest, if there is one.
fn require_pinned(spec: &PluginConfig, binary: &[u8]) -> Result<(), LoadProblem> {
    let Some(pinned) = &spec.sha256 else { return Ok(()) };
    let digest = Sha256Digest::of(binary);
    if digest == *pinned {
        return Ok(());
    }
    let message = format!(
        "the component {} has the digest {digest}, and `sha256` pins {pinned}; deploy the pinned one, or pin this one",
        spec.component,
    );
    Err(problem(spec, LoadProblemKind::Digest, message))
}

/// Compiles a component, and links it with the host.
fn link(
    runtime: &PolicyRuntime,
    spec: &PluginConfig,
    binary: &[u8],
) -> Result<(InstancePre<Sandbox>, lifecycle::GuestIndices), LoadProblem> {
    let shared = runtime.shared();
    check_kind(binary).map_err(|message| problem(spec, LoadProblemKind::NotAComponent, message))?;
    let compile = || compile::component(shared, binary);
    let component = shared.components.get(binary, compile).map_err(|error| {
        let message = format!("the component cannot be compiled: {}", text::reason(&format!("{error:#}")));
        problem(spec, LoadProblemKind::NotAComponent, message)
    })?;
    let linked = shared.linker.instantiate_pre(&component).map_err(|error| {
        problem(spec, LoadProblemKind::Import, explain_imports(&shared.engine, &component, &error))
    })?;
    match lifecycle::GuestIndices::new(&linked) {
        Ok(_) if hooks_of(&linked).is_empty() => {
            let hooks = Hook::ALL.map(|hook| format!("`{}`", hook.word())).join(", ");
            let message = format!(
                "it has no hook, so it would never be called: implement one of {hooks}; in Rust, `export!` names it"
            );
            Err(problem(spec, LoadProblemKind::Export, message))
        }
        Ok(lifecycle) => Ok((linked, lifecycle)),
        Err(_) => Err(problem(spec, LoadProblemKind::Export, explain_exports(&linked, "lifecycle"))),
    }
}

/// Returns the warnings about a loaded plugin.
fn warnings(
    spec: &PluginConfig,
    manifest: &Manifest,
    judged: &GrantCheck,
    pulled: Option<&Pulled>,
) -> Vec<(LoadProblemKind, String)> {
    let of_grants = judged.warnings.iter().map(|warning| (LoadProblemKind::Grant, warning.clone()));
    let of_pull = pulled.into_iter().flat_map(|pulled| &pulled.warnings);
    let of_pull = of_pull.map(|warning| (LoadProblemKind::Unreadable, warning.clone()));
    let of_cache = spec.cache.iter().flat_map(|cache| manifest.facts_beyond(&cache.key)).map(|fact| {
        let message = format!(
            "its manifest asks for the fact `{fact}`, and `cache.key` does not name it: requests that differ in it get \
             the same decision; add `{fact}` to `key`, unless its decisions do not depend on it"
        );
        (LoadProblemKind::Settings, message)
    });
    let of_facts = voided(spec, manifest, judged).map(|message| (LoadProblemKind::Grant, message));
    of_grants.chain(of_pull).chain(of_cache).chain(of_facts).collect()
}

/// Returns the warning about a plugin that declares what its decisions depend on, and has a grant by which they may depend
/// on more.
fn voided(spec: &PluginConfig, manifest: &Manifest, judged: &GrantCheck) -> Option<String> {
    let grants: Vec<String> = judged
        .granted
        .iter()
        .filter(|grant| !is_pure(std::slice::from_ref(*grant)))
        .map(|grant| format!("`{grant}`"))
        .collect();
    (manifest.depends_on.is_some() && !grants.is_empty() && !is_bundled(spec)).then(|| {
        format!(
            "its manifest says what its decisions depend on, so that equal requests share a call, and the grant {} voids \
             that, because decisions may depend on what it gives: make two components of it, one that decides without that grant, \
             and one with it",
            grants.join(", ")
        )
    })
}

/// Returns the warnings about hooks that no chain calls. A bundled plugin with several hooks may well be used for one of
/// them; an observer that is in no list is an oversight in any case.
fn unused(policy: &PolicySpec, spec: &PluginConfig, component: &InstancePre<Sandbox>) -> Vec<LoadProblem> {
    // A trial runs single hooks.
    if policy.stage.is_some() {
        return Vec::new();
    }
    let mut hooks = hooks_of(component);
    hooks.retain(|hook| *hook == Hook::Observe || !is_bundled(spec));
    unused_hooks(&policy.config, &spec.name, &hooks)
}

/// Returns the warning about an observer with keys in a bucket that cannot take turns with another process of the server,
/// because that needs the folder of `state`.
fn without_turns(
    policy: &PolicySpec,
    spec: &PluginConfig,
    judged: &GrantCheck,
) -> Option<(LoadProblemKind, String)> {
    let takes_turns = policy.kv.is_some()
        && policy.stage.is_none()
        && !policy.root_makes_state
        && policy.config.observes(&spec.name)
        && judged.granted.contains(&Grant::Kv);
    let error = takes_turns.then(|| check_folder(&policy.state).err()).flatten()?;
    let message = format!(
        "{error}; without the folder, two processes call its hook `observe` at a time while a restart without a gap lasts, \
         and each may change keys behind the other"
    );
    Some((LoadProblemKind::Grant, message))
}

/// Returns the hooks that a component exports.
fn hooks_of(component: &InstancePre<Sandbox>) -> Vec<Hook> {
    let has = |hook: &Hook| match hook {
        Hook::Authorize => authorize::GuestIndices::new(component).is_ok(),
        Hook::Resolve => resolve::GuestIndices::new(component).is_ok(),
        Hook::AcceptUpload => accept_upload::GuestIndices::new(component).is_ok(),
        Hook::Observe => observe::GuestIndices::new(component).is_ok(),
    };
    Hook::ALL.into_iter().filter(has).collect()
}

fn is_bundled(spec: &PluginConfig) -> bool {
    matches!(spec.component, ComponentSource::Builtin(_))
}

/// Creates the plugin with the limits and instances of its calls.
fn plugin(
    policy: &PolicySpec,
    spec: &PluginConfig,
    code: Arc<Code>,
    manifest: &Manifest,
    granted: &[Grant],
    (identity, warnings): (PluginIdentity, Vec<(LoadProblemKind, String)>),
) -> Plugin {
    let shared = code.runtime.shared();
    let reuse = match spec.reuse {
        None => manifest.reuse.then_some(ReuseConfig { calls: u32::MAX, idle: DECLARED_IDLE }),
        Some(reuse) => Some(reuse).filter(|reuse| reuse.calls > 1),
    };
    let pool =
        reuse.map(|reuse| Pool::new(spec.limits.instances, reuse.idle, Arc::clone(&shared.idle_permits)));
    let facts = manifest.depends_on.as_deref().filter(|_| reuse.is_some() && is_pure(granted));
    let component = &code.component;
    Plugin {
        name: Arc::clone(&code.name),
        identity,
        access: Arc::clone(&code.access),
        warnings,
        limits: spec.limits,
        turns: Turns::new(spec.limits.instances, spec.limits.queue, Arc::clone(&shared.slices), pool),
        prepared: (reuse.is_none() && policy.live && is_timeless(granted))
            .then(|| PreparedInstances::new(Arc::clone(&shared.idle_permits))),
        reuse: reuse.map(|reuse| reuse.calls),
        breaker: Arc::new(Breaker::new(spec.breaker)),
        depends_on: facts.map(<[Fact]>::to_vec),
        judges_paths: manifest.depends_on.iter().flatten().any(|fact| *fact == Fact::Path),
        roots: Some(policy.served_roots().into()),
        authorize: authorize::GuestIndices::new(component).ok(),
        resolve: resolve::GuestIndices::new(component).ok(),
        render: render::GuestIndices::new(component).ok(),
        render_parts: render_parts::GuestIndices::new(component).ok(),
        accept_upload: accept_upload::GuestIndices::new(component).ok(),
        observe: observe::GuestIndices::new(component).ok(),
        wants: manifest.wants(),
        code,
    }
}

/// Whether a plugin with these grants sees only its settings and requests, and has no effects.
fn is_pure(granted: &[Grant]) -> bool {
    granted.iter().all(|grant| is_pure_kind(grant.kind()))
}

/// Identifies the component of a plugin.
fn identity(
    spec: &PluginConfig,
    manifest: &Manifest,
    binary: &[u8],
    pulled: Option<&Pulled>,
) -> PluginIdentity {
    PluginIdentity {
        plugin: spec.name.clone(),
        component: spec.component.to_string(),
        version: text::one_line(&manifest.version, MAX_VERSION),
        sha256: digest(binary),
        manifest: pulled.map(|pulled| pulled.manifest.to_string()),
        verified: pulled.is_some_and(|pulled| pulled.verified),
    }
}

/// Whether a plugin with such a grant sees only its settings and requests, and has no effects.
pub(super) fn is_pure_kind(grant: GrantKind) -> bool {
    grant == GrantKind::ClientMac
}

/// Whether `configure` has the same result at any time. It may read granted files and the clock.
fn is_timeless(granted: &[Grant]) -> bool {
    granted.iter().all(|grant| !matches!(grant, Grant::Files(_) | Grant::Clock))
}

/// Compares the imports and requests of the component with its grants.
fn judge(
    runtime: &PolicyRuntime,
    policy: &PolicySpec,
    spec: &PluginConfig,
    component: &Component,
    manifest: &Manifest,
) -> Result<GrantCheck, Vec<LoadProblem>> {
    let ty = component.component_type();
    let imports: Vec<&str> = ty.imports(&runtime.shared().engine).map(|(name, _)| name).collect();
    let sinks: Vec<String> = policy.sinks.iter().map(|sink| sink.name.clone()).collect();
    let known = ConfiguredNames { roots: &policy.roots, sinks: &sinks };
    let mut judged = grants::judge(&imports, manifest, &spec.grants, &known);
    if judged.problems.is_empty() {
        return Ok(judged);
    }
    let problems = judged.problems.drain(..);
    Err(problems.map(|message| problem(spec, LoadProblemKind::Grant, message)).collect())
}
