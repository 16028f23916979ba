//! The problems of loading a policy.

use std::fmt;

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
    /// No such builtin, an unreadable file, or a refusal by the registry.
    Unreadable,
    /// The component differs from the pinned `sha256`.
    Digest,
    /// The bytes are not a component that this server can compile.
    NotAComponent,
    /// It imports an interface that this server does not provide.
    Import,
    /// It lacks a grant, or its manifest is invalid.
    Grant,
    /// A granted sink cannot be opened.
    Sink,
    /// It lacks a mandatory interface, or has it in another version.
    Export,
    /// It lacks the hook of its chain, or has it in another version.
    Hook(&'static str),
    /// It refuses its settings, or they do not fit their schema.
    Settings,
    /// Its settings have a key that their schema lacks.
    UnknownSetting,
    /// It trapped or exceeded a limit while it was configured.
    Failed,
}

impl LoadProblem {
    /// Returns `fetch` if the component could not be obtained, `load` for all other problems.
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
