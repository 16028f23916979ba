//! Loads the policy of a configuration, and locates its problems in the YAML file.

use super::ServeError;
use crate::privileges::{Confinement, account_to_become};
use std::fmt::Display;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tuffet_config::{Config, Finding, Grant, Privileges, join_pointer};
use tuffet_policy::Policy;
use tuffet_registry::Registries;
use tuffet_store::Roots;
use tuffet_wasm::compiler::Compilers;
use tuffet_wasm::{PolicyRuntime, PolicySpec, Stage, is_own_code_cache, locate_in_config};

/// Starts the plugin runtime of a server, which compiles in other processes; there is one runtime per process.
///
/// # Errors
/// The system has no thread or no memory for it.
pub(super) fn start_runtime(
    config: &Config,
    compilers: Option<Compilers>,
) -> Result<PolicyRuntime, ServeError> {
    started(PolicyRuntime::with_compilers(compiled(config), compilers))
}

/// Starts the process that starts compilers, if compiled plugins have a folder. Must be called after the change of
/// user, because these processes inherit it, and before the filter, which forbids starting programs.
///
/// # Errors
/// The server's user cannot execute this program.
pub(super) fn start_compilers(config: &Config) -> Result<Option<Compilers>, ServeError> {
    let Some(folder) = compiled(config) else { return Ok(None) };
    let started = std::path::absolute(folder)
        .and_then(|folder| Compilers::start(Confinement::of(folder, &config.privileges).to_arguments()));
    started.map(Some).map_err(|error| {
        ServeError::System(
            "cannot start this program as a compiler of plugins; let the server's user execute it, or write `policy: { \
             compiled: none }` to have the server compile",
            error,
        )
    })
}

/// Returns the folder for compiled plugins; without plugins there is none.
pub(super) fn compiled(config: &Config) -> Option<&Path> {
    config.policy.compiled.as_deref().filter(|_| !config.policy.plugins.is_empty())
}

/// Starts the runtime for a check. Creates only files that the server can use later.
///
/// # Errors
/// The system has no thread or no memory for it.
pub(super) fn start_runtime_for_check(
    compiled: Option<&Path>,
    privileges: &Privileges,
) -> Result<PolicyRuntime, ServeError> {
    start_runtime_with(compiled.filter(|folder| may_fill_code_cache(folder, privileges)))
}

/// Returns whether a check may write into this folder for compiled plugins: whether the server's user could use it.
pub fn may_fill_code_cache(folder: &Path, privileges: &Privileges) -> bool {
    keeps_its_user(privileges) || is_own_code_cache(folder)
}

/// Returns whether a check may create the server's folders and files: as root, it would create some that the server's
/// user cannot write.
pub(super) fn keeps_its_user(privileges: &Privileges) -> bool {
    let stays = || match account_to_become(privileges) {
        Ok(account) => account.is_none_or(|account| account.uid.is_root()),
        // The user does not exist: no server would start.
        Err(_) => false,
    };
    !rustix::process::geteuid().is_root() || stays()
}

/// Starts the runtime with this folder for compiled plugins.
///
/// # Errors
/// The system has no thread or no memory for it.
pub(super) fn start_runtime_with(compiled: Option<&Path>) -> Result<PolicyRuntime, ServeError> {
    started(PolicyRuntime::new(compiled))
}

fn started<E: Display>(runtime: Result<PolicyRuntime, E>) -> Result<PolicyRuntime, ServeError> {
    runtime.map_err(|error| {
        ServeError::System("the plugin runtime cannot start", io::Error::other(format!("{error:#}")))
    })
}

/// Compiles all plugins and lets them check their settings. `live`: whether the policy will run; otherwise nothing is
/// opened that a running server may use.
///
/// # Errors
/// All problems of all plugins, as errors of the configuration.
pub(crate) async fn load_policy(
    runtime: &PolicyRuntime,
    config: &Config,
    roots: &Roots,
    live: bool,
) -> Result<Policy, ServeError> {
    load(runtime, config, PolicySpec::of(config, roots, live)).await
}

/// As [`load_policy`], for a check. `root_makes_state`: whether root starts the server as another user, and creates the
/// folder of `state` for it.
///
/// # Errors
/// As there.
pub(super) async fn check_policy(
    runtime: &PolicyRuntime,
    config: &Config,
    roots: &Roots,
    root_makes_state: bool,
) -> Result<Policy, ServeError> {
    load(runtime, config, PolicySpec { root_makes_state, ..PolicySpec::of(config, roots, false) }).await
}

/// As [`check_policy`], and pulls missing components from registries.
///
/// # Errors
/// As there.
pub(super) async fn pull_policy(
    runtime: &PolicyRuntime,
    config: &Config,
    roots: &Roots,
    root_makes_state: bool,
) -> Result<Policy, ServeError> {
    let registries = Registries::of(config, true);
    let spec = PolicySpec { registries, root_makes_state, ..PolicySpec::of(config, roots, false) };
    load(runtime, config, spec).await
}

/// As [`load_policy`], for plugins on a stage, where their actions have no effect.
///
/// # Errors
/// As there.
pub(super) async fn load_policy_on(
    runtime: &PolicyRuntime,
    config: &Config,
    roots: &Roots,
    stage: Option<Arc<Stage>>,
) -> Result<Policy, ServeError> {
    load(runtime, config, PolicySpec { stage, ..PolicySpec::of(config, roots, false) }).await
}

async fn load(runtime: &PolicyRuntime, config: &Config, spec: PolicySpec) -> Result<Policy, ServeError> {
    let (started, live) = (Instant::now(), spec.live);
    let policy = runtime.load(&spec).await.map_err(|problems| {
        for problem in problems.iter().filter(|_| live) {
            tracing::error!(
                target: "tuffet::policy",
                plugin = problem.plugin,
                failure = problem.failure(),
                "a plugin cannot be loaded: {}",
                problem.message
            );
        }
        ServeError::Config(config.error_of(problems.iter().map(|problem| locate_in_config(problem, config))))
    })?;
    if live && !config.policy.plugins.is_empty() {
        let (kept, compiled) = runtime.compiled().unzip();
        let took_ms = started.elapsed().as_millis() as u64;
        let versions: Vec<String> = policy.plugins().iter().map(ToString::to_string).collect();
        let versions = versions.join(", ");
        tracing::info!(
            target: "tuffet::server::policy",
            plugins = config.policy.plugins.len(),
            versions,
            kept,
            compiled,
            took_ms,
            "plugins loaded"
        );
    }
    Ok(policy)
}

/// Logs one line per plugin with its counters since the start of the process.
pub(crate) fn log_totals(runtime: &PolicyRuntime) {
    runtime.records().rates().report();
    for counted in runtime.records().counted() {
        let failures = counted.failures.iter().filter(|(_, count)| *count > 0);
        let failures: Vec<String> = failures.map(|(cause, count)| format!("{cause}={count}")).collect();
        tracing::info!(
            target: "tuffet::policy",
            plugin = %counted.plugin,
            fetch_failures = counted.fetch,
            load_failures = counted.load,
            calls = counted.calls,
            failures = failures.join(" "),
            opened = counted.opened,
            monitored = counted.monitored,
            differing = counted.differing,
            cache_hits = counted.hits,
            cache_misses = counted.misses,
            events_lost = counted.lost,
            "plugin totals"
        );
    }
}

/// Logs one line per sink with its counters since the start of the process.
pub(crate) fn log_sink_totals(runtime: &PolicyRuntime) {
    for counted in runtime.sinks().counted() {
        tracing::info!(
            target: "tuffet::server::policy",
            sink = counted.sink,
            kind = counted.kind,
            queued = counted.queued,
            refused = counted.refused,
            delivered = counted.delivered,
            dropped = counted.dropped,
            retried = counted.retried,
            waiting = counted.waiting,
            spooled_bytes = counted.spooled_bytes,
            "sink totals"
        );
    }
}

/// Returns the warnings about a policy, each with its place in the file.
pub fn warnings(config: &Config, policy: &Policy) -> Vec<String> {
    let granted = |name: &str| {
        let grants = config.policy.plugins.iter().flat_map(|plugin| &plugin.grants);
        grants.into_iter().any(|grant| matches!(grant, Grant::Sinks(its) if its == name))
    };
    let idle = config.sinks.iter().filter(|sink| !granted(&sink.name)).map(|sink| {
        let name = &sink.name;
        let message = format!(
            "no plugin is granted the sink `{name}`, so nothing goes there; add `sinks/{name}` to the `grants` of a \
             plugin, or remove the sink"
        );
        Finding::value(join_pointer("/sinks", name), message)
    });
    let problems = policy.warnings().iter().map(|problem| locate_in_config(problem, config));
    let problems: Vec<_> = problems
        .chain(idle)
        .chain(config.warnings.iter().map(|(pointer, message)| Finding::value(pointer, message)))
        .collect();
    if problems.is_empty() {
        return Vec::new();
    }
    config.error_of(problems).to_string().lines().map(str::to_owned).collect()
}
