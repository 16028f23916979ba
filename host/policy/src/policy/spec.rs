//! A policy as configured, and what can be wrong with it.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::stage::Stage;
use tuffet_config::PolicyConfig;
use tuffet_config::sinks::SinkSpec;
use tuffet_store::Roots;

/// A policy as configured, and what it is loaded with.
#[derive(Debug, Clone)]
pub struct PolicySpec {
    /// The chains and the plugins. A plugin that no chain names is loaded and checked all the same.
    pub config: PolicyConfig,
    /// The names of the configured roots: a plugin that answers with another one has failed.
    pub roots: Vec<String>,
    /// The same roots, open. They know which of them are private, which no answer may name either.
    pub open_roots: Roots,
    /// The configured sinks.
    pub sinks: Vec<SinkSpec>,
    /// The folder for what must outlive the process.
    pub state: PathBuf,
    /// Whether this is to run. Else it is only checked, and neither sinks nor the file of keys are opened:
    /// the server that runs has them.
    pub live: bool,
    /// Bits of an IPv6 address that make a client, for shares of plugins.
    pub ipv6_prefix: u8,
    /// What stands in for the host where a plugin is tried out; `None` in a server.
    pub stage: Option<Arc<Stage>>,
}

impl PolicySpec {
    /// The roots that an answer may name.
    pub fn served_roots(&self) -> Vec<String> {
        self.roots.iter().filter(|root| !self.open_roots.is_private(root)).cloned().collect()
    }
}

/// Why a policy cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadProblem {
    /// The plugin's name in the configuration.
    pub plugin: String,
    /// What kind of thing is wrong.
    pub kind: LoadProblemKind,
    /// A JSON pointer (RFC 6901) into the plugin's settings, where the problem is one of the settings.
    pub pointer: Option<String>,
    /// What is wrong and how to mend it. Does not repeat the plugin's name.
    pub message: String,
}

/// What kind of thing is wrong with a plugin.
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
    /// It lacks a grant, or its manifest is none.
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
    /// `fetch` where the component was not to be had, `load` where it, or what surrounds it, is wrong.
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
