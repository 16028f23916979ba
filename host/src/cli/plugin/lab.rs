//! The environment for trying out plugins: the server's runtime, and the inputs of a plugin.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::server::{self, ServeError};
use tuffet_config::{
    BreakerConfig, ComponentSource, DefaultVerdict, Grant, OnError, PluginConfig, PluginLimits, PluginMode,
    PluginSecrets, PolicyConfig, Privileges, ReuseConfig, Silent, VerifyConfig,
};
use tuffet_policy::LoadProblem;
use tuffet_registry::Registries;
use tuffet_request::RootSpec;
use tuffet_store::{Disks, Origins, RootError, Roots};
use tuffet_wasm::{Given, Hook, HookInput, PolicyRuntime, PolicySpec, Stage, Trial, Tried};

/// A plugin and its context.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// The plugin's name in messages.
    pub name: String,
    pub component: ComponentSource,
    /// Where a component from a registry is looked for.
    pub registries: Registries,
    /// Whose signature it must carry.
    pub verify: Option<VerifyConfig>,
    pub settings: Value,
    /// Those of them that a configuration keeps secret.
    pub secrets: PluginSecrets,
    pub grants: Vec<Grant>,
    /// Roots with their folders.
    pub roots: Vec<RootSpec>,
    /// Those of them that did not answer, which the plugin cannot read.
    pub silent: Vec<Silent>,
    /// The roots that an answer may name; empty allows any.
    pub named_roots: Vec<String>,
    pub given: Given,
    pub limits: PluginLimits,
    pub reuse: Option<ReuseConfig>,
    /// The folder for its keys; `None` keeps them in memory, for one call.
    pub state: Option<PathBuf>,
}

/// Both runtimes: that of the plugins, and the one that drives it.
pub(super) struct Lab {
    driver: tokio::runtime::Runtime,
    runtime: PolicyRuntime,
}

/// The reason why a plugin cannot be loaded.
pub(super) enum Unloaded {
    Root(ServeError),
    Problems(Vec<LoadProblem>),
}

impl Lab {
    /// Opens the environment. Compiled code is read from and written to the folder of a server, if this
    /// user's server could use it.
    ///
    /// # Errors
    /// The system lacks a thread or memory for it.
    pub fn open() -> Result<Lab, ServeError> {
        let driver = server::control_runtime()?;
        let compiled = tuffet_config::default_compiled();
        let runtime = server::start_runtime_to_look(compiled.as_deref(), &Privileges::default())?;
        Ok(Lab { driver, runtime })
    }

    pub fn runtime(&self) -> &PolicyRuntime {
        &self.runtime
    }

    /// Loads a plugin on a stage of its own, which records the calls that it had no answer for.
    pub fn load(&self, plan: &Plan) -> (Result<Trial, Unloaded>, Arc<Stage>) {
        let given = Given { stores_keys: plan.state.is_some(), ..plan.given.clone() };
        let stage = Arc::new(Stage::new(given));
        let roots = match open(plan) {
            Ok(roots) => roots,
            Err(error) => return (Err(Unloaded::Root(ServeError::Root(error))), stage),
        };
        let config = PolicyConfig {
            default: DefaultVerdict::Allow,
            authorize: Vec::new(),
            resolve: Vec::new(),
            accept_upload: Vec::new(),
            observe: Vec::new(),
            time_limit: Duration::from_secs(1),
            compiled: None,
            listeners: Vec::new(),
            plugins: Vec::new(),
        };
        let policy = PolicySpec {
            config,
            roots: plan.named_roots.clone(),
            open_roots: roots,
            registries: plan.registries.clone(),
            sinks: Vec::new(),
            state: plan.state.clone().unwrap_or_default(),
            kv: None,
            live: false,
            ipv6_prefix: 64,
            stage: Some(Arc::clone(&stage)),
        };
        let plugin = PluginConfig {
            name: plan.name.clone(),
            component: plan.component.clone(),
            sha256: None,
            verify: plan.verify.clone(),
            settings: plan.settings.clone(),
            secrets: plan.secrets.clone(),
            on_error: OnError::Deny,
            grants: plan.grants.clone(),
            limits: plan.limits,
            reuse: plan.reuse,
            mode: PluginMode::Enforce,
            breaker: BreakerConfig { failures: u32::MAX, back_off: Duration::ZERO, cap: Duration::ZERO },
            when_away: None,
            cache: None,
        };
        let loaded = self.driver.block_on(Trial::load(&self.runtime, &policy, &plugin));
        (loaded.map_err(Unloaded::Problems), stage)
    }

    /// Calls a hook of a plugin.
    pub fn ask(&self, trial: &Trial, hook: Hook, matter: &HookInput) -> Tried {
        self.driver.block_on(trial.ask(hook, matter))
    }
}

/// Opens the roots, but for those that did not answer.
fn open(plan: &Plan) -> Result<Roots, RootError> {
    let silent: Vec<String> = plan.silent.iter().map(|its| its.root.clone()).collect();
    Roots::open_without(&plan.roots, &Disks::default(), &silent, None, &Origins::new())
}

/// Checks a component named on the command line: `builtin:NAME`, `oci://…`, or a file.
///
/// # Errors
/// The reference to a registry is invalid.
pub(super) fn component(text: &str) -> Result<String, String> {
    ComponentSource::parse(text).map(|_| text.to_owned())
}

/// Parses `builtin:NAME`, `oci://…`, or a file.
pub(super) fn source(component: &str, base: &Path) -> ComponentSource {
    match ComponentSource::parse(component) {
        Ok(ComponentSource::Path(path)) => ComponentSource::Path(base.join(path)),
        Ok(other) => other,
        // It is reported as a file that is not there.
        Err(_) => ComponentSource::Path(component.into()),
    }
}

/// Returns the name in messages of a plugin outside of any configuration.
pub(super) fn name_of(component: &ComponentSource) -> String {
    match component {
        ComponentSource::Builtin(name) => name.clone(),
        ComponentSource::Path(path) => {
            path.file_stem().map_or_else(|| "plugin".into(), |stem| stem.to_string_lossy().into_owned())
        }
        ComponentSource::Registry(reference) => {
            reference.repository.rsplit('/').next().unwrap_or("plugin").to_owned()
        }
    }
}
