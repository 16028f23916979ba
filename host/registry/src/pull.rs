//! Pulls a component: resolves the reference, verifies the artifact and stores it.

use std::io;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::OnceCell;
use tokio::task::spawn_blocking;
use tokio::time::{Instant as Deadline, timeout_at};
use tuffet_config::{ArtifactReference, RegistrySpec, Sha256Digest, VerifyConfig};

use super::cache::Cache;
use super::client::{Access, Client, RegistryError};
use super::manifest::{ACCEPTED, Manifest};
use super::signature::{self, Found, Signature, Valid};
use super::{MAX_COMPONENT, Pulled, Registries, time_limit};

/// The maximum size of a manifest that registries have to accept.
const MAX_MANIFEST: u64 = 4 << 20;

/// The minimum time for verifying the signatures that were found, far more than they need.
const VERIFICATION: Duration = Duration::from_secs(10);

/// The header of a component.
const COMPONENT_HEADER: [u8; 8] = [0, b'a', b's', b'm', 0x0d, 0, 1, 0];

/// One pull.
struct Pull<'a> {
    reference: &'a ArtifactReference,
    verify: Option<&'a VerifyConfig>,
    spec: RegistrySpec,
    cache: Option<Cache>,
    /// Created when something is missing; `None` offline.
    client: Option<OnceCell<Client>>,
    until: Deadline,
}

/// Downloaded parts, stored once everything is verified.
#[derive(Default)]
struct Download {
    blobs: Vec<(Sha256Digest, Bytes)>,
    /// The one that counts.
    signature: Option<Signature>,
}

pub(super) async fn fetch(
    registries: &Registries,
    reference: &ArtifactReference,
    verify: Option<&VerifyConfig>,
) -> Result<Pulled, String> {
    let spec = registries.spec(&reference.registry);
    let pull = Pull {
        reference,
        verify,
        until: Deadline::now() + time_limit(&spec),
        spec,
        cache: registries.cache.as_deref().map(Cache::at),
        client: registries.online.then(OnceCell::new),
    };
    pull.run().await.map_err(|why| format!("the component {reference} cannot be loaded: {why}"))
}

impl Pull<'_> {
    async fn run(&self) -> Result<Pulled, String> {
        let started = Instant::now();
        let reference = self.reference;
        let last = match &reference.digest {
            Some(_) => None,
            None => self.with_cache(|cache, reference| cache.tag(reference)).await.flatten(),
        };
        let pulled = match (&reference.digest, &last) {
            (Some(digest), _) => self.complete(digest, None, None).await,
            (None, Some(last)) if self.client.is_none() => self.complete(last, None, Some(last)).await,
            (None, last) => self.by_tag(last.as_ref()).await,
        };
        let pulled = match (pulled, last) {
            // The network may answer in place of the registry (a portal, a proxy), or the registry may serve
            // something else. A failed signature is not a network problem.
            (Err(error), Some(last))
                if self.client.is_some() && !matches!(error, RegistryError::Unsigned(_)) =>
            {
                let why = self.explain(error);
                self.offline(&last, why).await?
            }
            (pulled, _) => pulled.map_err(|error| self.explain(error))?,
        };
        if !pulled.cached {
            tracing::info!(
                target: "tuffet::policy",
                component = %reference,
                manifest = %pulled.manifest,
                bytes = pulled.component.len(),
                took_ms = started.elapsed().as_millis() as u64,
                "component pulled"
            );
        }
        Ok(pulled)
    }

    /// Looks up the tag in the registry.
    async fn by_tag(&self, last: Option<&Sha256Digest>) -> Result<Pulled, RegistryError> {
        let tag = self.reference.tag.as_deref().unwrap_or("latest");
        let bytes = self.ask(format!("manifests/{tag}"), MAX_MANIFEST).await?;
        self.complete(&Sha256Digest::of(&bytes), Some(bytes), last).await
    }

    /// Uses the last pulled version, because the lookup of the tag failed.
    async fn offline(&self, last: &Sha256Digest, why: String) -> Result<Pulled, String> {
        let Pull { reference, verify, spec, cache, until, .. } = self;
        let (spec, cache) = (spec.clone(), cache.clone());
        let offline = Pull { reference, verify: *verify, spec, cache, client: None, until: *until };
        let mut pulled = offline.complete(last, None, Some(last)).await.map_err(|error| {
            format!("{why}; and the last pulled version cannot be used: {}", offline.explain(error))
        })?;
        pulled.warnings.push(format!(
            "{why}; using the last pulled version of {reference}, sha256:{last}: pin that digest to start without the registry"
        ));
        Ok(pulled)
    }

    /// Gets the artifact with this digest, verifies it, and stores new parts. `manifest`: its manifest, if known;
    /// `last`: the last manifest of the tag.
    async fn complete(
        &self,
        top: &Sha256Digest,
        manifest: Option<Bytes>,
        last: Option<&Sha256Digest>,
    ) -> Result<Pulled, RegistryError> {
        let mut download = Download::default();
        let bytes = self.part("manifests", top, MAX_MANIFEST, manifest, &mut download).await?;
        let mut manifest = Manifest::parse(&bytes).map_err(RegistryError::Invalid)?;
        if let Some(entry) = manifest.chosen().map_err(RegistryError::Invalid)? {
            let digest = entry.digest().map_err(RegistryError::Invalid)?;
            let bytes = self.part("manifests", &digest, MAX_MANIFEST, None, &mut download).await?;
            manifest = Manifest::parse(&bytes).map_err(RegistryError::Invalid)?;
        }
        let signer = match self.verify {
            Some(verify) => self.require_signature(verify, top, &mut download).await?,
            None => None,
        };
        let layer = manifest.component().map_err(RegistryError::Invalid)?;
        if layer.size > MAX_COMPONENT {
            let size = layer.size;
            return Err(RegistryError::Invalid(format!(
                "it has {size} bytes, and a component has at most {MAX_COMPONENT}; check that it is one"
            )));
        }
        let digest = layer.digest().map_err(RegistryError::Invalid)?;
        let component = self.part("blobs", &digest, layer.size, None, &mut download).await?;
        if component.len() as u64 != layer.size {
            let (size, declared) = (component.len(), layer.size);
            return Err(RegistryError::Invalid(format!(
                "it has {size} bytes, and its manifest says {declared}; push it again"
            )));
        }
        let cached = download.blobs.is_empty();
        // Anything else is not stored, and the load explains it.
        let warning = match component.starts_with(&COMPONENT_HEADER) {
            true => self.store(download, top, last).await,
            false => None,
        };
        let config = manifest.config.as_ref().map(|config| config.media_type.clone());
        Ok(Pulled {
            component,
            manifest: top.clone(),
            cached,
            verified: self.verify.is_some(),
            signer,
            media_types: [config.unwrap_or_default(), layer.media_type.clone()],
            annotations: manifest.annotations.clone(),
            warnings: warning.into_iter().collect(),
        })
    }

    /// Returns a part of the artifact: from the folder, else `downloaded`, else from the registry.
    async fn part(
        &self,
        kind: &str,
        digest: &Sha256Digest,
        max_bytes: u64,
        downloaded: Option<Bytes>,
        download: &mut Download,
    ) -> Result<Bytes, RegistryError> {
        let wanted = digest.clone();
        if let Some(content) = self.with_cache(move |cache, _| cache.blob(&wanted)).await.flatten() {
            return Ok(content.into());
        }
        let content = match downloaded {
            Some(content) => content,
            None => self.ask(format!("{kind}/sha256:{digest}"), max_bytes).await?,
        };
        let (wanted, bytes) = (digest.clone(), content.clone());
        let same = spawn_blocking(move || Sha256Digest::of(&bytes) == wanted).await.unwrap_or(false);
        if !same {
            let host = &self.spec.host;
            return Err(RegistryError::Invalid(format!(
                "{host} sends something else under the digest sha256:{digest}"
            )));
        }
        download.blobs.push((digest.clone(), content.clone()));
        Ok(content)
    }

    /// Requires a valid signature: a stored one, else one from the registry. Returns its signer, if it is keyless.
    async fn require_signature(
        &self,
        verify: &VerifyConfig,
        top: &Sha256Digest,
        download: &mut Download,
    ) -> Result<Option<String>, RegistryError> {
        let manifest = top.clone();
        let stored = self.with_cache(move |cache, _| cache.signatures(&manifest)).await.unwrap_or_default();
        let (judged, _) = self.judge(Found::kept(stored), verify, top).await;
        if judged.is_ok() || self.client.is_none() {
            return judged.map(|valid| valid.signer).map_err(RegistryError::Unsigned);
        }
        let client = self.client().await?;
        let found =
            timeout_at(self.until, signature::find(client, top)).await.map_err(|_| self.too_late())??;
        let (judged, mut signatures) = self.judge(found, verify, top).await;
        let Valid { index, signer } = judged.map_err(RegistryError::Unsigned)?;
        // The others prove nothing, and would be tried again at each load.
        download.signature = Some(signatures.swap_remove(index));
        Ok(signer)
    }

    /// Verifies signatures on a thread that may block, and returns them. They get [`VERIFICATION`], also if the
    /// registry took all the time.
    async fn judge(
        &self,
        found: Found,
        verify: &VerifyConfig,
        manifest: &Sha256Digest,
    ) -> (Result<Valid, String>, Vec<Signature>) {
        let (verify, name, manifest) = (verify.clone(), self.reference.name(), manifest.clone());
        let until = self.until.max(Deadline::now() + VERIFICATION);
        let judged = spawn_blocking(move || {
            let judged = signature::verify(&found, &verify, &name, &manifest, until.into_std());
            (judged, found.signatures)
        });
        let failed = |why: String| (Err(why), Vec::new());
        match timeout_at(until, judged).await {
            Ok(judged) => judged.unwrap_or_else(|e| failed(format!("its signatures were not verified: {e}"))),
            Err(_) => failed(signature::TOO_SLOW.into()),
        }
    }

    /// Stores new parts; returns a warning if that fails.
    async fn store(
        &self,
        download: Download,
        top: &Sha256Digest,
        last: Option<&Sha256Digest>,
    ) -> Option<String> {
        let tagged = self.reference.digest.is_none() && self.client.is_some() && last != Some(top);
        if download.blobs.is_empty() && download.signature.is_none() && !tagged {
            return None;
        }
        let top = top.clone();
        let stored = self.with_cache(move |cache, reference| -> io::Result<()> {
            cache.make()?;
            for (digest, content) in &download.blobs {
                cache.put_blob(digest, content)?;
            }
            if let Some(signature) = &download.signature {
                cache.put_signature(&top, signature)?;
            }
            if tagged {
                cache.put_tag(reference, &top)?;
            }
            cache.sweep();
            Ok(())
        });
        let error = stored.await?.err()?;
        Some(format!(
            "{} cannot be stored, so the next start needs the registry again: {error}; let this user write below `state`",
            self.reference
        ))
    }

    /// Runs `work` on the folder, on a thread that may block; `None` without a folder.
    async fn with_cache<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Cache, &ArtifactReference) -> T + Send + 'static,
    ) -> Option<T> {
        let (cache, reference) = (self.cache.clone()?, self.reference.clone());
        spawn_blocking(move || work(&cache, &reference)).await.ok()
    }

    async fn ask(&self, path: String, max_bytes: u64) -> Result<Bytes, RegistryError> {
        let client = self.client().await?;
        let got = timeout_at(self.until, client.get(&path, ACCEPTED, max_bytes)).await;
        got.map_err(|_| self.too_late())?.map(Bytes::from)
    }

    async fn client(&self) -> Result<&Client, RegistryError> {
        match &self.client {
            Some(client) => {
                client.get_or_try_init(async || Client::new(&self.spec, self.reference, Access::Pull)).await
            }
            None => Err(RegistryError::Missing),
        }
    }

    fn too_late(&self) -> RegistryError {
        RegistryError::Unavailable(format!(
            "{} did not send it within {:?}",
            self.spec.host,
            time_limit(&self.spec)
        ))
    }

    fn explain(&self, error: RegistryError) -> String {
        match (error, &self.client, &self.cache) {
            (
                RegistryError::Unavailable(why)
                | RegistryError::Denied(why)
                | RegistryError::Invalid(why)
                | RegistryError::Unsigned(why),
                ..,
            ) => why,
            (RegistryError::Missing, Some(_), _) => {
                format!("{} does not have it; correct the reference, or push it", self.spec.host)
            }
            (RegistryError::Missing, None, Some(_)) => {
                "it has not been pulled, and this command does not pull: `tuffet plugin pull --config FILE` and `tuffet check \
                 --pull FILE` pull it, and so does a start of the server"
                    .into()
            }
            (RegistryError::Missing, None, None) => {
                let reference = self.reference;
                format!("this command does not pull: run `tuffet plugin pull {reference} -o FILE`, and name that file")
            }
        }
    }
}
