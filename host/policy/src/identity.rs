//! The identity of a loaded plugin: its component, version and digest.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A plugin and its component.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginIdentity {
    /// The plugin's name in the configuration.
    pub plugin: String,
    /// `builtin:NAME`, the path of its file, or `oci://…`.
    pub component: String,
    /// The version from its manifest; empty without one.
    pub version: String,
    /// The SHA-256 digest of the component: 64 hexadecimal digits.
    pub sha256: String,
    /// The digest of the manifest, of a component from a registry: 64 hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<String>,
    /// Whether its signature was verified.
    #[serde(default)]
    pub verified: bool,
}

/// The name, the version and the first digits of the digest: `acl 0.1.0 sha256:0123456789ab`.
impl fmt::Display for PluginIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.plugin)?;
        if !self.version.is_empty() {
            write!(f, " {}", self.version)?;
        }
        write!(f, " sha256:{:.12}", self.sha256)
    }
}
