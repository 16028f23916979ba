//! Which component a plugin was loaded from.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::manifest::Manifest;
use super::shown::digest;
use super::text;
use tuffet_config::PluginConfig;
use tuffet_registry::Pulled;

/// The longest version shown, in characters: a manifest may contain anything.
const MAX_VERSION: usize = 60;

/// A plugin and its component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

impl PluginIdentity {
    pub(super) fn of(
        spec: &PluginConfig,
        manifest: &Manifest,
        binary: &[u8],
        pulled: Option<&Pulled>,
    ) -> PluginIdentity {
        PluginIdentity {
            plugin: spec.name.clone(),
            component: spec.component.to_string(),
            version: text::one_line(&manifest.version, MAX_VERSION),
            sha256: digest(binary),
            manifest: pulled.map(|pulled| pulled.manifest.to_string()),
            verified: pulled.is_some_and(|pulled| pulled.verified),
        }
    }
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
