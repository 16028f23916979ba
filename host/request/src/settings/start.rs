//! What must be there at the start.

use serde::{Deserialize, Serialize};

/// What must be there at the start: interfaces, addresses, and folders of roots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// Nothing: the server waits for what is missing, and serves the rest.
    #[default]
    Available,
    /// Everything.
    All,
}
