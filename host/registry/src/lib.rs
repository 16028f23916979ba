//! Components from OCI registries.
//!
//! Components are pulled when a policy is loaded (start, reload, `tuffet check --pull`) and by `tuffet plugin pull`,
//! never while a request waits. They stay in a folder (`cache`), so that a start needs no network. Every byte is
//! checked against its digest; a required signature is verified at each load, also offline (`signature`).
//!
//! The HTTP client is our own (`client`): a server pulls unattended, so reads are limited, and a login is sent only
//! to its registry.

mod cache;
mod client;
mod keyless;
mod manifest;
mod pull;
mod push;
mod sign;
mod signature;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
pub use sign::SignKey;
use tuffet_config::{ArtifactReference, Config, RegistrySpec, Sha256Digest, VerifyConfig};

/// The maximum size of a component, in bytes. Components of interpreted languages contain their interpreter, some 40
/// MB.
pub const MAX_COMPONENT: u64 = 128 << 20;

/// The total time of a pull, as a multiple of the registry's time-out, which limits each silence.
const PULL_TIMEOUTS: u32 = 30;

/// The configured registries, and the folder of pulled components.
#[derive(Debug, Clone, Default)]
pub struct Registries {
    /// The configured registries.
    pub specs: Vec<RegistrySpec>,
    /// The folder of pulled components; `None` stores nothing.
    pub cache: Option<PathBuf>,
    /// Whether registries may be contacted. Otherwise only the folder is used.
    pub online: bool,
}

/// A pulled component, with its metadata.
#[derive(Debug, Clone)]
pub struct Pulled {
    /// The component.
    pub component: Bytes,
    /// The digest of the manifest that the reference leads to.
    pub manifest: Sha256Digest,
    /// Whether everything was in the folder already.
    pub cached: bool,
    /// Whether a signature was required and verified.
    pub verified: bool,
    /// The identity of its signer, if it is keyless.
    pub signer: Option<String>,
    /// The media types of the artifact's configuration and of the component.
    pub media_types: [String; 2],
    /// The annotations of the manifest.
    pub annotations: BTreeMap<String, String>,
    /// Warnings for the operator.
    pub warnings: Vec<String>,
}

/// A component to push, with the metadata for its manifest.
#[derive(Debug, Clone)]
pub struct Artifact {
    /// The component.
    pub component: Bytes,
    /// The name of its file.
    pub file: String,
    /// The interfaces that it imports.
    pub imports: Vec<String>,
    /// The interfaces that it exports.
    pub exports: Vec<String>,
    /// The build time. The same component with the same time gives the same artifact.
    pub created: SystemTime,
    /// The annotations of the manifest.
    pub annotations: BTreeMap<String, String>,
}

impl Registries {
    /// Returns the registries of a configuration. `online`: whether they may be contacted.
    pub fn of(config: &Config, online: bool) -> Registries {
        let cache = Some(Registries::folder(&config.state));
        Registries { specs: config.registries.clone(), cache, online }
    }

    /// Returns the folder of pulled components below the folder for persistent state.
    pub fn folder(state: &Path) -> PathBuf {
        state.join("components")
    }

    /// Returns the component of a reference: from the folder, else from the registry. A tag without a digest is
    /// looked up in the registry each time; if that fails, the last pulled version is used.
    ///
    /// # Errors
    /// It cannot be pulled, or does not match the reference, its digests or `verify`; with the remedy.
    pub async fn fetch(
        &self,
        reference: &ArtifactReference,
        verify: Option<&VerifyConfig>,
    ) -> Result<Pulled, String> {
        pull::fetch(self, reference, verify).await
    }

    /// Pushes a component, and returns the digest of its manifest.
    ///
    /// # Errors
    /// The registry cannot be reached or refuses the component.
    pub async fn push(
        &self,
        reference: &ArtifactReference,
        artifact: Artifact,
        key: Option<&SignKey>,
    ) -> Result<Sha256Digest, String> {
        let spec = self.spec(&reference.registry);
        let push = async {
            let digest = push::push(&spec, reference, artifact).await?;
            if let Some(key) = key {
                sign::sign(&spec, reference, &digest, key).await?;
            }
            Ok(digest)
        };
        let pushed = tokio::time::timeout(time_limit(&spec), push).await;
        pushed.unwrap_or_else(|_| {
            Err(format!("{} did not accept it within {:?}", spec.host, time_limit(&spec)))
        })
    }

    /// The configuration of this registry, or the default one.
    fn spec(&self, host: &str) -> RegistrySpec {
        self.specs.iter().find(|spec| spec.host == host).cloned().unwrap_or_else(|| RegistrySpec::of(host))
    }
}

/// The total time limit of a pull or push.
fn time_limit(spec: &RegistrySpec) -> Duration {
    spec.timeout * PULL_TIMEOUTS
}
