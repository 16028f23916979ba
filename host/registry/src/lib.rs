//! Components from OCI registries.
//!
//! They are pulled when a policy is loaded (a start, a reload, `tuffet check --pull`) and by `tuffet plugin pull`,
//! never while requests wait. What was pulled stays in a folder (`cache`), so that a start needs no network. Every
//! byte is compared with the digest that names it; a signature that the configuration asks for is verified at each
//! load, also offline (`signature`).
//!
//! The HTTP is our own (`client`): a server pulls unattended, so nothing is read beyond a bound, and a login goes to
//! its registry alone.

mod cache;
mod client;
mod manifest;
mod pull;
mod push;
mod signature;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use tuffet_config::{ArtifactReference, Config, RegistrySpec, Sha256Digest, VerifyConfig};

/// The largest component, in bytes: those of interpreted languages contain their interpreter, some 40 MB.
pub const MAX_COMPONENT: u64 = 128 << 20;

/// A pull may take this many times the time-out of the registry, which ends each silence.
const LONGEST: u32 = 30;

/// How registries are reached, and where components are kept.
#[derive(Debug, Clone, Default)]
pub struct Registries {
    /// The configured registries.
    pub specs: Vec<RegistrySpec>,
    /// The folder of pulled components; `None` keeps nothing.
    pub cache: Option<PathBuf>,
    /// Whether registries are asked. Otherwise the folder alone answers.
    pub online: bool,
}

/// A component from a registry, with what is known of it.
#[derive(Debug, Clone)]
pub struct Pulled {
    /// The component.
    pub component: Bytes,
    /// The digest of the manifest that the reference leads to.
    pub manifest: Sha256Digest,
    /// Whether nothing had to be transferred.
    pub kept: bool,
    /// Whether a signature was asked for and verified.
    pub verified: bool,
    /// The media types of the artifact's configuration and of the component.
    pub media_types: [String; 2],
    /// The annotations of the manifest.
    pub annotations: BTreeMap<String, String>,
    /// What an operator should know.
    pub warnings: Vec<String>,
}

/// A component to push, with what its manifest says of it.
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
    /// When it was made. The same component with the same time is the same artifact.
    pub created: SystemTime,
    /// The annotations of the manifest.
    pub annotations: BTreeMap<String, String>,
}

impl Registries {
    /// Returns those of a configuration. `online`: whether they may be asked.
    pub fn of(config: &Config, online: bool) -> Registries {
        let cache = Some(Registries::folder(&config.state));
        Registries { specs: config.registries.clone(), cache, online }
    }

    /// Returns the folder of pulled components below the folder for persistent state.
    pub fn folder(state: &Path) -> PathBuf {
        state.join("components")
    }

    /// Returns the component of a reference: from the folder if that has it, else from the registry. A tag without a
    /// digest asks the registry each time, and stands for what was pulled last if that does not answer.
    ///
    /// # Errors
    /// It cannot be pulled, or is not what the reference, its digests or `verify` say; with the remedy.
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
    /// The registry cannot be reached or refuses it.
    pub async fn push(
        &self,
        reference: &ArtifactReference,
        artifact: Artifact,
    ) -> Result<Sha256Digest, String> {
        let spec = self.spec(&reference.registry);
        let pushed = tokio::time::timeout(longest(&spec), push::push(&spec, reference, artifact)).await;
        pushed.unwrap_or_else(|_| Err(format!("{} has not taken it within {:?}", spec.host, longest(&spec))))
    }

    /// How this registry is reached.
    fn spec(&self, host: &str) -> RegistrySpec {
        self.specs.iter().find(|spec| spec.host == host).cloned().unwrap_or_else(|| RegistrySpec::of(host))
    }
}

/// How long a pull or push may take in all.
fn longest(spec: &RegistrySpec) -> Duration {
    spec.timeout * LONGEST
}
