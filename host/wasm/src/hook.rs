//! The hooks, as the command line and case files name them.

use schemars::JsonSchema;
use serde::Deserialize;

/// A hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)] // a doc comment on a variant would appear in the help of `tuffet plugin`
pub enum Hook {
    Authorize,
    Resolve,
    AcceptUpload,
    Observe,
}

impl Hook {
    /// All hooks, in the order in which they are called.
    pub const ALL: [Hook; 4] = [Hook::Authorize, Hook::Resolve, Hook::AcceptUpload, Hook::Observe];

    /// Returns the name in the configuration.
    pub fn word(self) -> &'static str {
        match self {
            Hook::Authorize => "authorize",
            Hook::Resolve => "resolve",
            Hook::AcceptUpload => "accept-upload",
            Hook::Observe => "observe",
        }
    }
}
