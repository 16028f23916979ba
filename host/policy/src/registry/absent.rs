//! In place of pulling and pushing, in a server without registries. A server refuses a configuration that names one
//! before it gets here.

use tuffet_config::{ArtifactReference, RegistrySpec, Sha256Digest, VerifyConfig};

use super::{Artifact, Pulled, Registries};

pub(super) async fn fetch(
    _: &Registries,
    reference: &ArtifactReference,
    _: Option<&VerifyConfig>,
) -> Result<Pulled, String> {
    Err(missing(reference))
}

pub(super) async fn push(
    _: &RegistrySpec,
    reference: &ArtifactReference,
    _: Artifact,
) -> Result<Sha256Digest, String> {
    Err(missing(reference))
}

fn missing(reference: &ArtifactReference) -> String {
    format!(
        "{reference}: this build of tuffet leaves out registries; build it with the feature `registries` \
         (docs/build.md)"
    )
}
