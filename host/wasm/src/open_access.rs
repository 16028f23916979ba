//! Opens the granted resources of a plugin.

use std::path::Path;
use std::sync::Arc;

use super::access::{
    Access, GrantedHost, HostCalls, Keys, Live, ScratchKeys, ScratchSink, Staged, StagedKeys, StoredKeys,
    UnaskedClock,
};
use super::engine::PolicyRuntime;
use super::facts::Facts;
use super::grants::GrantCheck;
use super::load_problems::problem;
use super::spec::PolicySpec;
use tuffet_config::{Grant, KvBucket, PluginConfig};
use tuffet_kv::{self as kv, KvLocation, KvOpenError, Namespace, Quota};
use tuffet_policy::{LineRate, LoadProblem, LoadProblemKind, Unsent};

/// Opens the granted resources, or only checks them if the policy is not going to run.
pub(super) fn open(
    runtime: &PolicyRuntime,
    policy: &PolicySpec,
    spec: &PluginConfig,
    unasked_clock: Option<UnaskedClock>,
    judged: &GrantCheck,
) -> Result<Access, Vec<LoadProblem>> {
    let (resources, rates) = (&runtime.shared().resources, runtime.records().rates());
    let granted = &judged.granted;
    let plugin: Arc<str> = Arc::from(spec.name.as_str());
    let mut access = Access {
        lines: rates.with(LineRate::of_plugin(&plugin)),
        notes: rates.with(LineRate::calls("plugin", &plugin)),
        plugin,
        secrets: spec.secrets.clone(),
        client_mac: granted.contains(&Grant::ClientMac),
        facts: Facts::of(&judged.facts, granted.contains(&Grant::ClientMac)),
        client_history: granted.contains(&Grant::ClientHistory),
        clock: granted.contains(&Grant::Clock),
        unasked_clock,
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
            Grant::Http(host) => {
                access.http.push(GrantedHost::new(host.clone(), spec.breaker));
            }
            Grant::Sinks(name) if let Some(stage) = &policy.stage => {
                access.sinks.push((name.clone(), stage.clone()));
            }
            Grant::Sinks(name) if policy.live && !spec.has_effects() => {
                access.sinks.push((name.clone(), Arc::new(ScratchSink)));
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
        let resources = &runtime.shared().resources;
        let store = resources.store(&location(policy.kv.as_ref(), &policy.state))?;
        let namespace = namespace(policy.kv.as_ref(), spec, shared);
        store.join(&namespace);
        resources.note_keys(&store, &namespace);
        let turns = resources.turns(&policy.state, &Arc::from(spec.name.as_str()));
        let stored = StoredKeys { store, namespace, turns };
        return Ok(Some(if spec.has_effects() {
            Arc::new(stored)
        } else {
            Arc::new(ScratchKeys::over(stored))
        }));
    }
    if policy.kv.is_none() && !policy.root_makes_state {
        kv::check_folder(&policy.state)?;
    }
    Ok(None)
}

/// Returns where plugins store their keys: in this bucket, or in a file in `state`.
pub(super) fn location(bucket: Option<&KvBucket>, state: &Path) -> KvLocation {
    match bucket {
        Some(bucket) => KvLocation::Bucket(bucket.clone()),
        None => KvLocation::Folder(state.to_owned()),
    }
}

/// Returns the namespace of a plugin's own keys, or of those that it shares.
pub(super) fn namespace(bucket: Option<&KvBucket>, spec: &PluginConfig, shared: Option<&str>) -> Namespace {
    // No plugin has a name with a slash.
    let name = shared.map_or_else(|| spec.name.clone(), |shared| format!("shared/{shared}"));
    let usual = || bucket.map(|bucket| bucket.when_away).unwrap_or_default();
    Namespace {
        name: Arc::from(name),
        quota: Quota::from(&spec.limits),
        when_away: spec.when_away.unwrap_or_else(usual),
    }
}

/// Returns the implementation of the plugin's host calls.
fn host(runtime: &PolicyRuntime, policy: &PolicySpec, granted: &[Grant]) -> Box<dyn HostCalls> {
    let remembers = policy.live && granted.contains(&Grant::ClientHistory);
    let history = remembers.then(|| runtime.records().history().reader());
    let live = Live { roots: policy.open_roots.clone(), history };
    match &policy.stage {
        None => Box::new(live),
        Some(stage) => Box::new(Staged { stage: stage.clone(), world: live }),
    }
}
