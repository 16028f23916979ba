//! Manifests of artifacts, and the component in them.
//!
//! The layout follows the CNCF's WebAssembly working group: a configuration `application/vnd.wasm.config.v0+json` and
//! a layer `application/wasm`. Earlier tools wrote other media types.

use std::collections::BTreeMap;

use serde::Deserialize;
use tuffet_config::Sha256Digest;

pub(super) const CONFIG: &str = "application/vnd.wasm.config.v0+json";
pub(super) const LAYER: &str = "application/wasm";

/// Media types of layers that earlier tools wrote.
const OLD_LAYERS: [&str; 4] = [
    "application/vnd.wasm.content.layer.v1+wasm",
    "application/vnd.bytecodealliance.wasm.component.layer.v0+wasm",
    "application/vnd.bytecodealliance.component.layer.v0+wasm",
    "application/vnd.module.wasm.content.layer.v1+wasm",
];

pub(super) const IMAGE: &str = "application/vnd.oci.image.manifest.v1+json";
pub(super) const INDEX: &str = "application/vnd.oci.image.index.v1+json";
/// The accepted media types, including Docker's earlier ones.
pub(super) const ACCEPTED: &str = "application/vnd.oci.image.manifest.v1+json, \
     application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.v2+json, \
     application/vnd.docker.distribution.manifest.list.v2+json";

/// An image manifest, or an index of several.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Manifest {
    pub schema_version: u32,
    #[serde(default)]
    pub config: Option<Descriptor>,
    #[serde(default)]
    pub layers: Vec<Descriptor>,
    /// The entries of an index.
    #[serde(default)]
    pub manifests: Vec<Descriptor>,
    #[serde(default)]
    pub annotations: BTreeMap<String, String>,
}

/// A reference to a part, by its digest.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Descriptor {
    pub media_type: String,
    digest: String,
    pub size: u64,
    #[serde(default)]
    pub artifact_type: Option<String>,
    #[serde(default)]
    platform: Option<Platform>,
    #[serde(default)]
    pub annotations: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Deserialize)]
struct Platform {
    architecture: String,
}

impl Manifest {
    /// # Errors
    /// The bytes are not a manifest.
    pub fn parse(bytes: &[u8]) -> Result<Manifest, String> {
        let manifest: Manifest =
            serde_json::from_slice(bytes).map_err(|error| format!("its manifest cannot be read: {error}"))?;
        match manifest.schema_version {
            2 => Ok(manifest),
            other => Err(format!("its manifest is of version {other}, and only version 2 is known")),
        }
    }

    /// Returns the entry of an index to continue with: that for WebAssembly, or the only one. `None` for a manifest.
    ///
    /// # Errors
    /// The index has several candidates, or none.
    pub fn chosen(&self) -> Result<Option<&Descriptor>, String> {
        if self.config.is_some() {
            return Ok(None);
        }
        let is_wasm = |entry: &&Descriptor| {
            entry.platform.as_ref().is_some_and(|platform| platform.architecture == "wasm")
        };
        let mut of_wasm = self.manifests.iter().filter(is_wasm);
        match (of_wasm.next(), of_wasm.next(), &self.manifests[..]) {
            (Some(entry), None, _) | (None, _, [entry]) => Ok(Some(entry)),
            (_, _, []) => Err("its manifest names no configuration, and no other manifest".into()),
            _ => Err(format!(
                "it is an index of {} artifacts, and not just one of them is for the architecture `wasm`; name the \
                 digest of one",
                self.manifests.len()
            )),
        }
    }

    /// Returns the layer with the component.
    ///
    /// # Errors
    /// There is none, or several; names the layers instead.
    pub fn component(&self) -> Result<&Descriptor, String> {
        let is_wasm =
            |layer: &&Descriptor| layer.media_type == LAYER || OLD_LAYERS.contains(&&*layer.media_type);
        let mut of_wasm = self.layers.iter().filter(is_wasm);
        match (of_wasm.next(), of_wasm.next(), &self.layers[..]) {
            (Some(layer), None, _) => Ok(layer),
            (Some(_), Some(_), _) => {
                Err("it has several layers of WebAssembly, and a plugin is one component".into())
            }
            // The caller checks the first bytes.
            (None, _, [layer]) if !layer.media_type.contains("tar") => Ok(layer),
            (None, ..) => {
                let types: Vec<String> = self
                    .layers
                    .iter()
                    .take(3)
                    .map(|layer| layer.media_type.escape_debug().to_string())
                    .collect();
                let types = if types.is_empty() { "no layer".to_owned() } else { types.join(", ") };
                Err(format!(
                    "it holds no component but {types:.200}: push one by `tuffet plugin push`, `wkg oci push` or `oras`"
                ))
            }
        }
    }
}

impl Descriptor {
    /// # Errors
    /// It is not a SHA-256 digest.
    pub fn digest(&self) -> Result<Sha256Digest, String> {
        let sha256 = self.digest.starts_with("sha256:").then(|| self.digest.parse().ok()).flatten();
        sha256.ok_or_else(|| {
            let named = self.digest.escape_debug().to_string();
            format!("its manifest names a part by {named:.100}, which is no SHA-256 digest")
        })
    }
}
