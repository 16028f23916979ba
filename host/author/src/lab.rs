//! The environment for trying out plugins: the server's runtime, and the inputs of a plugin.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::driver;
use crate::error::ToolError;
use crate::program::ServerProgram;
use tuffet_config::{
    BreakerLimits, ComponentSource, DefaultVerdict, Grant, OnError, PluginConfig, PluginLimits, PluginMode,
    PluginSecrets, PolicyConfig, ReuseConfig, SettingNames, UnopenedRoot, VerifyConfig, reach,
};
use tuffet_policy::LoadProblem;
use tuffet_registry::Registries;
use tuffet_request::{RootSpec, Unopened};
use tuffet_store::{Disks, Origins, RootError, Roots};
use tuffet_terminal::print_stderr;
use tuffet_wasm::{Hook, HookInput, PolicyRuntime, PolicySpec, Stage, StagedAnswers, Trial, TrialResult};

/// A plugin and its context.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// The plugin's name in messages.
    pub name: String,
    pub component: ComponentSource,
    /// The names that its settings may refer to.
    pub names: SettingNames,
    /// The registries for its component.
    pub registries: Registries,
    /// The signature that it requires.
    pub verify: Option<VerifyConfig>,
    pub settings: Value,
    /// The settings that the configuration keeps secret.
    pub secrets: PluginSecrets,
    pub grants: Vec<Grant>,
    /// Roots with their folders.
    pub roots: Vec<RootSpec>,
    /// The roots that did not answer; the plugin cannot read them.
    pub unopened: Vec<UnopenedRoot>,
    /// The roots that an answer may name; empty allows any.
    pub named_roots: Vec<String>,
    pub given: StagedAnswers,
    pub limits: PluginLimits,
    pub reuse: Option<ReuseConfig>,
    /// The folder for its keys; `None` keeps them in memory, for one call.
    pub state: Option<PathBuf>,
}

/// The plugin runtime, and the async runtime that drives it.
pub(crate) struct Lab {
    driver: tokio::runtime::Runtime,
    runtime: PolicyRuntime,
}

/// The reason why a plugin cannot be loaded.
pub(crate) enum LoadError {
    Root(RootError),
    Problems(Vec<LoadProblem>),
}

impl Lab {
    /// Opens the environment. It shares compiled code with the server, if that could use the files of this user.
    ///
    /// # Errors
    /// The system lacks a thread or memory for it.
    pub fn open(server: &dyn ServerProgram) -> Result<Lab, ToolError> {
        let driver = driver::start()?;
        let runtime = PolicyRuntime::new(server.code_cache().as_deref()).map_err(|error| {
            ToolError::System("the plugin runtime cannot start", io::Error::other(format!("{error:#}")))
        })?;
        Ok(Lab { driver, runtime })
    }

    pub fn runtime(&self) -> &PolicyRuntime {
        &self.runtime
    }

    /// Loads a plugin on a new stage, which records the calls without an answer.
    pub fn load(&self, plan: &Plan) -> (Result<Trial, LoadError>, Arc<Stage>) {
        let given = StagedAnswers { stores_keys: plan.state.is_some(), ..plan.given.clone() };
        let stage = Arc::new(Stage::new(given));
        let roots = match open(plan) {
            Ok(roots) => roots,
            Err(error) => return (Err(LoadError::Root(error)), stage),
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
            names: plan.names.clone(),
            sinks: Vec::new(),
            state: plan.state.clone().unwrap_or_default(),
            kv: None,
            live: false,
            root_makes_state: false,
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
            effects: false,
            breaker: BreakerLimits { failures: u32::MAX, back_off: Duration::ZERO, cap: Duration::ZERO },
            when_away: None,
            cache: None,
        };
        let loaded = self.driver.block_on(Trial::load(&self.runtime, &policy, &plugin));
        (loaded.map_err(LoadError::Problems), stage)
    }

    /// Calls a hook of a plugin.
    pub fn ask(&self, trial: &Trial, hook: Hook, input: &HookInput) -> TrialResult {
        self.driver.block_on(trial.ask(hook, input))
    }
}

/// Opens all roots that are there and answered.
fn open(plan: &Plan) -> Result<Roots, RootError> {
    let unopened: Vec<(String, Unopened)> =
        plan.unopened.iter().map(|its| (its.root.clone(), its.why)).collect();
    Roots::open_without(&plan.roots, &Disks::default(), &unopened, None, &Origins::new())
}

/// Warns of roots that are missing, or did not answer.
pub(crate) fn warn_of_unopened_roots(unopened: &[UnopenedRoot]) {
    for UnopenedRoot { root, why, .. } in unopened {
        let why = match why {
            Unopened::Missing => "does not exist".to_owned(),
            Unopened::Unresponsive => format!("has not answered for {} s", reach::PATIENCE.as_secs()),
        };
        print_stderr(format_args!("warning: root `{root}`: its folder {why}; the plugin cannot read it"));
    }
}
