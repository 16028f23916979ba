//! A configured policy, and the problems of loading it.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::stage::Stage;
use tuffet_config::sinks::SinkSpec;
use tuffet_config::{KvBucket, PolicyConfig};
use tuffet_registry::Registries;
use tuffet_store::Roots;

/// A configured policy, with everything that loading it needs.
#[derive(Debug, Clone)]
pub struct PolicySpec {
    /// The chains and the plugins. A plugin in no chain is loaded and checked all the same.
    pub config: PolicyConfig,
    /// The names of the configured roots. Naming any other root is a failure of the plugin.
    pub roots: Vec<String>,
    /// The opened roots, which know which of them are private; no answer may name those either.
    pub open_roots: Roots,
    /// The configured sinks.
    pub sinks: Vec<SinkSpec>,
    /// The folder for persistent state.
    pub state: PathBuf,
    /// How components are had from registries.
    pub registries: Registries,
    /// The bucket with the keys; `None` for a file in `state`.
    pub kv: Option<KvBucket>,
    /// Whether the policy is to run. Otherwise it is only checked, and neither sinks nor the file of keys are
    /// opened: the running server uses them.
    pub live: bool,
    /// Prefix length that identifies a client in IPv6, for the shares of plugins.
    pub ipv6_prefix: u8,
    /// The replacement for the host in a trial; `None` in a server.
    pub stage: Option<Arc<Stage>>,
}

impl PolicySpec {
    /// Returns the roots that an answer may name.
    pub fn served_roots(&self) -> Vec<String> {
        self.roots.iter().filter(|root| !self.open_roots.is_private(root)).cloned().collect()
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
    /// There is no such builtin, the file cannot be read, or the registry does not give it.
    Unreadable,
    /// It is not the component that `sha256` pins.
    Digest,
    /// The bytes are not a component that this server can compile.
    NotAComponent,
    /// It imports an interface that this server does not provide.
    Import,
    /// It lacks a grant, or its manifest is invalid.
    Grant,
    /// A sink that it is granted cannot be opened.
    Sink,
    /// It lacks an interface that every plugin has, or has it in another version.
    Export,
    /// It is in the chain of this hook, and lacks it, or has it in another version.
    Hook(&'static str),
    /// It refuses its settings.
    Settings,
    /// It failed while it was configured: a trap, or a limit.
    Failed,
}

impl LoadProblem {
    /// Returns `fetch` if the component could not be had, `load` for all other problems.
    pub fn failure(&self) -> &'static str {
        match self.kind {
            LoadProblemKind::Unreadable | LoadProblemKind::Digest => "fetch",
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
