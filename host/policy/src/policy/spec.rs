//! A configured policy, and the problems of loading it.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::stage::Stage;
use crate::kv::Quota;
use tuffet_config::sinks::SinkSpec;
use tuffet_config::{
    BreakerConfig, ComponentSource, DecisionCacheConfig, DefaultVerdict, Grant, OnError, PluginMode,
};
use tuffet_store::Roots;

/// The chains and the plugins in them.
#[derive(Debug, Clone)]
pub struct PolicySpec {
    /// What happens to a request on which no plugin has an opinion.
    pub default: DefaultVerdict,
    /// The plugins that are asked whether a request is allowed, in order.
    pub authorize: Vec<String>,
    /// The plugins that are asked what a request gets, in order.
    pub resolve: Vec<String>,
    /// The plugins that are asked whether an upload becomes visible, in order.
    pub accept_upload: Vec<String>,
    /// The plugins that are told what happened.
    pub observe: Vec<String>,
    /// The time that the chains have for one request.
    pub time_limit: Duration,
    /// The plugins by name. One that no chain names is loaded and checked all the same.
    pub plugins: Vec<PluginSpec>,
    /// The names of the configured roots: a plugin that answers with another one has failed.
    pub roots: Vec<String>,
    /// The same roots, opened. They know which of them are private; no answer may name those either.
    pub open_roots: Roots,
    /// The configured sinks.
    pub sinks: Vec<SinkSpec>,
    /// The folder for persistent state.
    pub state: PathBuf,
    /// Whether the policy is to run. Otherwise it is only checked, and neither sinks nor the file of keys are
    /// opened: the running server uses them.
    pub live: bool,
    /// What stands in for the host where a plugin is tried out; `None` in a server.
    pub stage: Option<Arc<Stage>>,
}

impl PolicySpec {
    /// Returns the roots that an answer may name.
    pub fn served_roots(&self) -> Vec<String> {
        self.roots.iter().filter(|root| !self.open_roots.is_private(root)).cloned().collect()
    }
}

/// One plugin.
#[derive(Debug, Clone)]
pub struct PluginSpec {
    /// Its name in the configuration, in chains and in the log.
    pub name: String,
    /// Where its code is.
    pub component: ComponentSource,
    /// Its own block of the configuration; `{}` when there is none.
    pub settings: serde_json::Value,
    /// What a failure of it means.
    pub on_error: OnError,
    /// What it is told and given beyond the request.
    pub grants: Vec<Grant>,
    /// What it may keep, with the grant `kv`.
    pub quota: Quota,
    /// What one call may cost.
    pub limits: CallLimits,
    /// How long an instance is kept for further calls; `None` is a fresh one for each.
    pub reuse: Option<Reuse>,
    /// Whether its opinions count.
    pub mode: PluginMode,
    /// When it is left alone.
    pub breaker: BreakerConfig,
    /// What is remembered of its decisions.
    pub cache: Option<DecisionCacheConfig>,
}

/// How long an instance of a plugin is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reuse {
    /// The calls that it serves, at least 1.
    pub calls: u32,
    /// How long it waits for the next one.
    pub idle: Duration,
}

/// What one call of a plugin may cost, `configure` of the fresh instance included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallLimits {
    /// Time that it computes. Measured in steps of [`super::engine::TICK`].
    pub cpu: Duration,
    /// Time in all: waiting for a free instance, computing, sleeping.
    pub wall: Duration,
    /// Bytes of all its memories and tables.
    pub memory: u64,
    /// Bytes of content that it may answer with.
    pub content: u64,
    /// Calls that run at once, each with an instance of its own. Fewer than the runtime has instances, so
    /// that one plugin that is stuck in all of its calls leaves room for the others.
    pub instances: u32,
    /// Calls that wait for an instance.
    pub queue: u32,
}

impl Default for CallLimits {
    /// As in the configuration.
    fn default() -> Self {
        CallLimits {
            cpu: Duration::from_millis(200),
            wall: Duration::from_millis(500),
            memory: 64 << 20,
            content: 1 << 20,
            instances: 32,
            queue: 1024,
        }
    }
}

/// Why a policy cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadProblem {
    /// The plugin's name in the configuration.
    pub plugin: String,
    /// The kind of problem.
    pub kind: LoadProblemKind,
    /// A JSON pointer (RFC 6901) into the plugin's settings, if the problem is in them.
    pub pointer: Option<String>,
    /// What is wrong and how to fix it. Does not repeat the plugin's name.
    pub message: String,
}

/// The kind of a plugin's problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadProblemKind {
    /// A chain names a plugin that is not configured.
    UnknownPlugin,
    /// There is no such builtin, or the file cannot be read.
    Unreadable,
    /// The bytes are not a component that this server can compile.
    NotAComponent,
    /// It needs something that this server does not provide.
    Import,
    /// It lacks a grant, or its manifest is invalid.
    Grant,
    /// A sink that it is granted cannot be opened.
    Sink,
    /// It lacks a hook, or has it in another version.
    Export,
    /// It refuses its settings.
    Settings,
    /// It failed while it was configured: a trap, or a limit.
    Failed,
}

impl LoadProblem {
    /// Returns `fetch` if the component could not be read, `load` for all other problems.
    pub fn failure(&self) -> &'static str {
        match self.kind {
            LoadProblemKind::Unreadable => "fetch",
            _ => "load",
        }
    }
}

impl fmt::Display for LoadProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "plugin {:?}", self.plugin)?;
        if let Some(pointer) = &self.pointer {
            write!(f, ", settings{pointer}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for LoadProblem {}
