//! Identifies the component of a plugin.

use super::answer_values::digest;
use super::manifest::Manifest;
use tuffet_config::PluginConfig;
use tuffet_policy::{PluginIdentity, text};
use tuffet_registry::Pulled;

/// The maximum length of a version, in characters: a manifest may contain anything.
const MAX_VERSION: usize = 60;

pub(super) fn identity(
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
